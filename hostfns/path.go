package hostfns

import (
	"path"
	"strings"

	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

// Functions on paths take a directory's descriptor and a path of path_len
// bytes below it. EBADF: no descriptor. ENOTDIR: no directory. ENOTCAPABLE: a
// right is missing. EPERM: the path leads out of the directory. EILSEQ: it is
// no UTF-8. ENOENT, ENAMETOOLONG, ELOOP, EROFS: as POSIX has them.

// symlinkFollow is the one bit of lookupflags.
const symlinkFollow = 1

func how(flags uint64) vfs.How {
	if flags&symlinkFollow != 0 {
		return vfs.Follow
	}
	return 0
}

// at returns a directory's inode and a path below it.
func (g *Guest) at(fd, ptr, n uint64, need rights) (vfs.Ino, string, errno.Errno) {
	d, e := g.dir(fd, need)
	if e != errno.OK {
		return 0, "", e
	}
	path, e := g.path(ptr, n)
	return d.file.Ino(), path, e
}

// pathCreateDirectory makes a directory. EEXIST.
func pathCreateDirectory(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[1], p[2], rightPathCreateDirectory)
	if e != errno.OK {
		return e
	}
	return g.cfg.FS.MkdirAt(dir, path, 0o755)
}

// pathFilestatGet writes the filestat of a path; see putFilestat.
func pathFilestatGet(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[2], p[3], rightPathFilestatGet)
	if e != errno.OK {
		return e
	}
	st, e := g.cfg.FS.StatAt(dir, path, how(p[1]))
	if e != errno.OK {
		return e
	}
	return g.putFilestat(p[4], st)
}

// pathFilestatSetTimes sets the times of a path. EINVAL: see times.
func pathFilestatSetTimes(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[2], p[3], rightPathFilestatSetTimes)
	if e != errno.OK {
		return e
	}
	a, m, e := g.times(p[4], p[5], p[6])
	if e != errno.OK {
		return e
	}
	return g.cfg.FS.SetTimesAt(dir, path, how(p[1]), a, m)
}

// pathLink gives a file a further name. EPERM: it is a directory. EINVAL: a
// symlink is to be followed, which no host function here does for a link.
// EEXIST.
func pathLink(g *Guest, p []uint64) errno.Errno {
	oldDir, oldPath, e := g.at(p[0], p[2], p[3], rightPathLinkSource)
	if e != errno.OK {
		return e
	}
	newDir, newPath, e := g.at(p[4], p[5], p[6], rightPathLinkTarget)
	if e != errno.OK {
		return e
	}
	if p[1]&symlinkFollow != 0 {
		return errno.EINVAL
	}
	return g.cfg.FS.LinkAt(oldDir, oldPath, 0, newDir, newPath)
}

// pathReadlink writes a symlink's target, cut off where the buffer ends, and
// how many bytes that is, u32. EINVAL: it is no symlink.
func pathReadlink(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[1], p[2], rightPathReadlink)
	if e != errno.OK {
		return e
	}
	buf, e := g.bytes(p[3], p[4])
	if e != errno.OK {
		return e
	}
	target, e := g.cfg.FS.ReadlinkAt(dir, path)
	if e != errno.OK {
		return e
	}
	return g.putU32(p[5], uint32(copy(buf, target)))
}

// pathRemoveDirectory takes an empty directory away. ENOTDIR, ENOTEMPTY,
// EINVAL: ".", EBUSY: a mount.
func pathRemoveDirectory(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[1], p[2], rightPathRemoveDirectory)
	if e != errno.OK {
		return e
	}
	return g.cfg.FS.RmdirAt(dir, path)
}

// pathUnlinkFile takes a name away. EISDIR: a directory's.
func pathUnlinkFile(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[1], p[2], rightPathUnlinkFile)
	if e != errno.OK {
		return e
	}
	return g.cfg.FS.UnlinkAt(dir, path)
}

// pathRename moves a name, over a file or an empty directory if one is there.
// EINVAL: into itself. EISDIR, ENOTDIR, ENOTEMPTY, EBUSY.
func pathRename(g *Guest, p []uint64) errno.Errno {
	oldDir, oldPath, e := g.at(p[0], p[1], p[2], rightPathRenameSource)
	if e != errno.OK {
		return e
	}
	newDir, newPath, e := g.at(p[3], p[4], p[5], rightPathRenameTarget)
	if e != errno.OK {
		return e
	}
	return g.cfg.FS.RenameAt(oldDir, oldPath, newDir, newPath)
}

// pathSymlink makes a symlink. EPERM: its target is absolute, and the
// directory is not the guest's root, so that it would lead out. EEXIST.
func pathSymlink(g *Guest, p []uint64) errno.Errno {
	target, e := g.path(p[0], p[1])
	if e != errno.OK {
		return e
	}
	dir, path, e := g.at(p[2], p[3], p[4], rightPathSymlink)
	if e != errno.OK {
		return e
	}
	if strings.HasPrefix(target, "/") && dir != g.cfg.FS.Root() {
		return errno.EPERM
	}
	return g.cfg.FS.SymlinkAt(target, dir, path)
}

// oflags of the specification have the numbers of vfs's flags.
const (
	oflagCreat     = 1 << 0
	oflagDirectory = 1 << 1
	oflagExcl      = 1 << 2
	oflagTrunc     = 1 << 3
	oflagsAll      = 15
)

// writes reports whether a handle with these rights is for writing, which a
// directory never is (EISDIR). The right to set the size does not say so: Go
// asks for it whatever it wants to do. Nor does the one to allocate where a
// directory is asked for: it comes with sets of rights that only look.
func writes(base rights, oflags uint64) bool {
	if oflags&oflagDirectory != 0 {
		return base&rightFdWrite != 0
	}
	return base&(rightFdWrite|rightFdAllocate) != 0
}

// pathOpen opens a file or directory and writes its descriptor, u32, the
// lowest that is free. It gets the rights that were asked for, as far as the
// directory may hand them on and the thing opened has a use for them. EINVAL:
// unknown flags, or a directory is to be created. EEXIST, EISDIR, ENOTDIR,
// ELOOP: a symlink that is not to be followed. EMFILE.
func pathOpen(g *Guest, p []uint64) errno.Errno {
	dir, path, e := g.at(p[0], p[2], p[3], openRights(p[4]))
	if e != errno.OK {
		return e
	}
	if p[4]&^oflagsAll != 0 || p[7]&^fdFlagsAll != 0 {
		return errno.EINVAL
	}
	if _, e := g.bytes(p[8], 4); e != errno.OK {
		return e
	}
	parent := g.fds.get(p[0])
	base := rights(p[5]) & parent.inheriting
	// Go and wasi-libc do not ask for directory rights to hand on, yet open
	// directories in directories: those come as far as the parent has them.
	inheriting := (rights(p[6]) | rightsDir) & parent.inheriting
	flags := vfs.OpenFlags(p[4])
	if p[1]&symlinkFollow != 0 {
		flags |= vfs.OpenFollow
	}
	if writes(base, p[4]) {
		flags |= vfs.OpenWrite
	}
	if g.fds.full(g.cfg.MaxFDs) { // before a file is created or cut
		return errno.EMFILE
	}
	d, e := g.open(dir, path, flags)
	if e != errno.OK {
		return e
	}
	d.flags = uint16(p[7])
	switch d.typ {
	case vfs.TypeDir:
		if base&rightPathCreateFile != 0 {
			base |= rightPathFilestatSetSize & parent.inheriting // Go forgets it, and truncates
		}
		d.base, d.inheriting = base&rightsDir, inheriting
	case vfs.TypeFile:
		d.base = base & rightsFile
	default:
		d.base = base & (rightsStdio | rightFdRead | rightFdWrite)
	}
	fd, e := g.fds.add(d, g.cfg.MaxFDs)
	if e != errno.OK {
		d.close()
		return e
	}
	return g.putU32(p[8], uint32(fd))
}

// open opens what the tree has at a path, or the device of ours that stands
// for one of a base.
func (g *Guest) open(dir vfs.Ino, path string, flags vfs.OpenFlags) (*descriptor, errno.Errno) {
	file, e := g.cfg.FS.OpenAt(dir, path, flags, 0o644)
	if e == errno.OK {
		return &descriptor{file: file, typ: file.Type()}, e
	}
	st, se := g.cfg.FS.StatAt(dir, path, follow(flags))
	if s := device(path); se == errno.OK && st.Type == vfs.TypeChar && s != notStream {
		return &descriptor{stream: s, typ: vfs.TypeChar}, errno.OK
	}
	return nil, e
}

func follow(flags vfs.OpenFlags) vfs.How {
	if flags&vfs.OpenFollow != 0 {
		return vfs.Follow
	}
	return 0
}

// device says which of our devices a character device's path names.
func device(p string) stream {
	switch path.Base(p) {
	case "null":
		return streamNull
	case "zero":
		return streamZero
	case "random", "urandom":
		return streamRandom
	}
	return notStream
}

// openRights is what path_open needs of the directory.
func openRights(oflags uint64) rights {
	need := rightPathOpen
	if oflags&oflagCreat != 0 {
		need |= rightPathCreateFile
	}
	if oflags&oflagTrunc != 0 {
		need |= rightPathFilestatSetSize
	}
	return need
}
