package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

// below returns the changes below a guest path, with paths from there.
func below(changes []vfs.Change, guest string) []vfs.Change {
	prefix := strings.TrimPrefix(path.Clean("/"+guest), "/")
	if prefix == "" {
		return changes
	}
	var list []vfs.Change
	for _, c := range changes {
		if rest, ok := strings.CutPrefix(c.Path, prefix+"/"); ok {
			c.Path = rest
			list = append(list, c)
		}
	}
	return list
}

// applyAll writes changes back to the host directories they lie over. A
// directory mounted below another one gets its own. Each directory is written
// whole or not at all; where a later one fails, the error names those before.
func applyAll(changes []vfs.Change, mounts []runtime.Mount) error {
	var written []string
	for i, m := range mounts {
		mine := below(changes, m.Guest)
		for j, inner := range mounts {
			if i != j {
				mine = without(mine, m.Guest, inner.Guest)
			}
		}
		if len(mine) == 0 {
			continue
		}
		if err := vfs.Apply(m.Host, mine); err != nil {
			err = fmt.Errorf("--apply to %s: %w", m.Host, err)
			if len(written) > 0 {
				err = fmt.Errorf("%w; but these are written: %s", err, strings.Join(written, ", "))
			}
			return err
		}
		written = append(written, m.Host)
	}
	return nil
}

// without drops what lies below inner, which is a guest path like outer.
func without(changes []vfs.Change, outer, inner string) []vfs.Change {
	rel, ok := strings.CutPrefix(path.Clean("/"+inner)+"/", strings.TrimSuffix(path.Clean("/"+outer), "/")+"/")
	if !ok || rel == "" {
		return changes
	}
	var list []vfs.Change
	for _, c := range changes {
		if !strings.HasPrefix(c.Path+"/", rel) {
			list = append(list, c)
		}
	}
	return list
}
