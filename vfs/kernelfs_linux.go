package vfs

import (
	"os"
	"syscall"
)

// Magic numbers of <linux/magic.h>.
const (
	procMagic    = 0x9fa0
	sysfsMagic   = 0x62656572
	cgroupMagic  = 0x27e0eb
	cgroup2Magic = 0x63677270
	debugfsMagic = 0x64626720
	tracefsMagic = 0x74726163
	securityfs   = 0x73636673
	configfs     = 0x62656570
)

// onKernelFS reports whether a file lies on a file system whose files are made
// when they are opened.
func onKernelFS(f *os.File) bool {
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var st syscall.Statfs_t
	var serr error
	if err := conn.Control(func(fd uintptr) { serr = syscall.Fstatfs(int(fd), &st) }); err != nil || serr != nil {
		return false
	}
	switch uint64(st.Type) & 0xffffffff {
	case procMagic, sysfsMagic, cgroupMagic, cgroup2Magic, debugfsMagic, tracefsMagic, securityfs, configfs:
		return true
	}
	return false
}
