package main

import (
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
// directory mounted below another one gets its own.
func applyAll(changes []vfs.Change, mounts []runtime.Mount) error {
	for i, m := range mounts {
		mine := below(changes, m.Guest)
		for j, inner := range mounts {
			if i != j {
				mine = without(mine, m.Guest, inner.Guest)
			}
		}
		if err := vfs.Apply(m.Host, mine); err != nil {
			return err
		}
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
