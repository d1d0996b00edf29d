package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"github.com/seed48025506/belljar/hostfns"
	"github.com/seed48025506/belljar/vfs"
)

// mounted is a mount in the tree and the name under which guests see it.
type mounted struct {
	guest    string // what fd_prestat_dir_name says
	ino      vfs.Ino
	readOnly bool
}

// mountAll puts the mounts into the tree. Host directories are opened over the
// cache, and added to opened, in a failure too.
func mountAll(tree *vfs.FS, mounts []Mount, cache *vfs.Cache, opened *[]vfs.Base) ([]mounted, error) {
	var list []mounted
	for _, m := range mounts {
		done, err := mountOne(tree, m, cache, opened)
		if err != nil {
			return nil, err
		}
		list = append(list, done)
	}
	return list, nil
}

func mountOne(tree *vfs.FS, m Mount, cache *vfs.Cache, opened *[]vfs.Base) (mounted, error) {
	guest := guestPath(m)
	fail := func(err error) (mounted, error) {
		return mounted{}, fmt.Errorf("runtime: mount %s: %w", guest, err)
	}
	base := m.Base
	switch {
	case m.Host != "" && base != nil:
		return fail(errors.New("it has both a Host and a Base; set one"))
	case m.Host != "":
		dir, err := cache.Dir(m.Host)
		if err != nil {
			return fail(err)
		}
		base = dir
		*opened = append(*opened, dir)
	case base != nil:
		base = guardedBase{base, "mount " + guest}
	}
	at := treePath(guest)
	if err := tree.Mount(at, base, m.ReadOnly); err != nil {
		return fail(err)
	}
	st, e := tree.StatAt(tree.Root(), "."+at, vfs.Follow)
	if e != 0 {
		return fail(cmp.Or(tree.Err(), error(e)))
	}
	return mounted{guest: guest, ino: st.Ino, readOnly: m.ReadOnly}, nil
}

// guestPath is where the guest sees a mount.
func guestPath(m Mount) string {
	if m.Guest == "" {
		return "/"
	}
	return m.Guest
}

// treePath is where a mount lies in the session's tree: relative names such as
// "." are preopens of their own and are kept apart by what they say.
func treePath(guest string) string { return path.Clean("/" + guest) }

func preopens(list []mounted) []hostfns.Preopen {
	out := make([]hostfns.Preopen, len(list))
	for i, m := range list {
		out[i] = hostfns.Preopen{GuestPath: m.guest, Ino: m.ino, ReadOnly: m.readOnly}
	}
	return out
}
