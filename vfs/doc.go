// Package vfs is the file tree of a session: inodes in memory, copy-on-write
// over nothing, a host directory or any fs.FS.
//
// # Two namespaces
//
// A guest names files by (directory inode, relative path), as WASI does, and
// no path leaves its directory: not by "..", not by an absolute path, not by
// a symlink of any origin. The host side names them by slash path from the
// root (WriteFile, View, Changes).
//
// # What is asked of a base, and when
//
// A base is asked for one thing at a time, the first time a guest needs it:
// the attributes of one name, one directory's names, one symlink's target, a
// stretch of one file (256 KiB, and up to 4 MiB of a file that is read
// through). Every such question is an answer on the tape
// (base.stat, base.list, base.link, base.read), keyed by the path in the
// tree, never by a path of the host. What was asked once is kept. So a tree
// over a million files costs nothing to open, and a tape replays on a machine
// that never had the tree: mount Absent there.
//
// # Cloning
//
// Clone is O(1). Inodes, directory entries and 64 KiB chunks are shared until
// one side writes. Each side has its own generation token; what carries
// another token is copied before it is changed, so clones can be used from
// different goroutines without a common lock.
//
// # Lock order
//
// FS.mu is taken by every exported operation and held while a base is asked.
// Below it are only the leaf locks of a Deck and of a Base. Callbacks
// (Config.Now, Config.Fault, the yield of ReadDir) run under FS.mu and must
// not call back into the FS; Err is the exception.
package vfs
