package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

// checkPatchFile says why a patch could not be written to a path. It makes
// nothing: the guest would see it.
func checkPatchFile(name string) error {
	if name == "-" {
		return errors.New("--emit-diff -: standard output is the guest's; name a file")
	}
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return fmt.Errorf("--emit-diff %s: it is a directory; name a file", name)
	}
	if st, err := os.Stat(filepath.Dir(name)); err != nil || !st.IsDir() {
		return fmt.Errorf("--emit-diff %s: there is no directory %s; make it first", name, filepath.Dir(name))
	}
	return nil
}

// writePatch writes changes as a patch, whole or not at all. With a single
// mount the paths are below it, so that the patch applies where --dir pointed.
func writePatch(name string, changes []vfs.Change, mounts []runtime.Mount) error {
	if len(mounts) == 1 {
		changes = below(changes, mounts[0].Guest)
	}
	var patch bytes.Buffer
	err := vfs.Patch(&patch, changes)
	if err == nil {
		err = os.WriteFile(name, patch.Bytes(), 0o666)
	}
	if err != nil {
		return fmt.Errorf("--emit-diff: %w", err)
	}
	return nil
}
