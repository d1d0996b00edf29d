//go:build linux || openbsd || dragonfly || solaris || illumos || aix

package vfs

import (
	"io/fs"
	"os"
	"syscall"
)

// hostStamp returns device, inode number and change time.
func hostStamp(fi fs.FileInfo) (dev, ino, ctime uint64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return uint64(st.Dev), uint64(st.Ino), uint64(st.Ctim.Sec)*1e9 + uint64(st.Ctim.Nsec)
}

// openRead opens p and does not wait if it has become a pipe meanwhile.
func openRead(root *os.Root, p string) (*os.File, error) {
	return root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
