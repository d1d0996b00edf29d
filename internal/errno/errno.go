// Package errno holds the error numbers of WASI preview 1, which are POSIX
// error names with numbers of WASI's own (typenames.witx, enum errno).
//
// The filesystem answers with them and the host functions hand them to the
// guest unchanged, so a result crosses from one to the other without a
// conversion and without an allocation.
package errno

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Errno is an error number of WASI preview 1. The zero value, OK, is success;
// a function that returns an Errno as an error must map OK to nil with Err.
type Errno uint16

// The error numbers, in the order of the specification.
const (
	OK Errno = iota
	E2BIG
	EACCES
	EADDRINUSE
	EADDRNOTAVAIL
	EAFNOSUPPORT
	EAGAIN
	EALREADY
	EBADF
	EBADMSG
	EBUSY
	ECANCELED
	ECHILD
	ECONNABORTED
	ECONNREFUSED
	ECONNRESET
	EDEADLK
	EDESTADDRREQ
	EDOM
	EDQUOT
	EEXIST
	EFAULT
	EFBIG
	EHOSTUNREACH
	EIDRM
	EILSEQ
	EINPROGRESS
	EINTR
	EINVAL
	EIO
	EISCONN
	EISDIR
	ELOOP
	EMFILE
	EMLINK
	EMSGSIZE
	EMULTIHOP
	ENAMETOOLONG
	ENETDOWN
	ENETRESET
	ENETUNREACH
	ENFILE
	ENOBUFS
	ENODEV
	ENOENT
	ENOEXEC
	ENOLCK
	ENOLINK
	ENOMEM
	ENOMSG
	ENOPROTOOPT
	ENOSPC
	ENOSYS
	ENOTCONN
	ENOTDIR
	ENOTEMPTY
	ENOTRECOVERABLE
	ENOTSOCK
	ENOTSUP
	ENOTTY
	ENXIO
	EOVERFLOW
	EOWNERDEAD
	EPERM
	EPIPE
	EPROTO
	EPROTONOSUPPORT
	EPROTOTYPE
	ERANGE
	EROFS
	ESPIPE
	ESRCH
	ESTALE
	ETIMEDOUT
	ETXTBSY
	EXDEV
	ENOTCAPABLE
	count
)

var names = [count]string{
	"OK", "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL", "EAFNOSUPPORT", "EAGAIN",
	"EALREADY", "EBADF", "EBADMSG", "EBUSY", "ECANCELED", "ECHILD", "ECONNABORTED",
	"ECONNREFUSED", "ECONNRESET", "EDEADLK", "EDESTADDRREQ", "EDOM", "EDQUOT", "EEXIST",
	"EFAULT", "EFBIG", "EHOSTUNREACH", "EIDRM", "EILSEQ", "EINPROGRESS", "EINTR", "EINVAL",
	"EIO", "EISCONN", "EISDIR", "ELOOP", "EMFILE", "EMLINK", "EMSGSIZE", "EMULTIHOP",
	"ENAMETOOLONG", "ENETDOWN", "ENETRESET", "ENETUNREACH", "ENFILE", "ENOBUFS", "ENODEV",
	"ENOENT", "ENOEXEC", "ENOLCK", "ENOLINK", "ENOMEM", "ENOMSG", "ENOPROTOOPT", "ENOSPC",
	"ENOSYS", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTRECOVERABLE", "ENOTSOCK", "ENOTSUP",
	"ENOTTY", "ENXIO", "EOVERFLOW", "EOWNERDEAD", "EPERM", "EPIPE", "EPROTO",
	"EPROTONOSUPPORT", "EPROTOTYPE", "ERANGE", "EROFS", "ESPIPE", "ESRCH", "ESTALE",
	"ETIMEDOUT", "ETXTBSY", "EXDEV", "ENOTCAPABLE",
}

// String returns the POSIX name, "ENOENT", or "errno(N)" for a number that
// the specification does not have.
func (e Errno) String() string {
	if e < count {
		return names[e]
	}
	return fmt.Sprintf("errno(%d)", uint16(e))
}

// Error returns the same text as String.
func (e Errno) Error() string { return e.String() }

// Err returns nil for OK and e otherwise.
func (e Errno) Err() error {
	if e == OK {
		return nil
	}
	return e
}

// Is makes an Errno match the portable errors of io/fs.
func (e Errno) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return e == ENOENT
	case fs.ErrExist:
		return e == EEXIST || e == ENOTEMPTY
	case fs.ErrPermission:
		return e == EACCES || e == EPERM || e == ENOTCAPABLE
	case fs.ErrInvalid:
		return e == EINVAL
	case fs.ErrClosed:
		return e == EBADF
	case errors.ErrUnsupported:
		return e == ENOTSUP || e == ENOSYS
	}
	return false
}

// hostNumbers lists the host errors that can come out of a host filesystem
// and that every operating system Go builds for has a name for.
var hostNumbers = []struct {
	host syscall.Errno
	wasi Errno
}{
	{syscall.EACCES, EACCES}, {syscall.EBADF, EBADF}, {syscall.EBUSY, EBUSY},
	{syscall.EEXIST, EEXIST}, {syscall.EINVAL, EINVAL}, {syscall.EIO, EIO},
	{syscall.EISDIR, EISDIR}, {syscall.ELOOP, ELOOP}, {syscall.EMFILE, EMFILE},
	{syscall.ENAMETOOLONG, ENAMETOOLONG}, {syscall.ENOENT, ENOENT},
	{syscall.ENOSPC, ENOSPC}, {syscall.ENOTDIR, ENOTDIR},
	{syscall.ENOTEMPTY, ENOTEMPTY}, {syscall.EPERM, EPERM}, {syscall.EROFS, EROFS},
	{syscall.EXDEV, EXDEV},
}

// From returns the number for an error of the host: an Errno inside it, a
// host number with the same name, a portable error of io/fs, else EIO. The
// text of a host error never reaches a guest.
func From(err error) Errno {
	if err == nil {
		return OK
	}
	var e Errno
	if errors.As(err, &e) {
		return e
	}
	for _, n := range hostNumbers {
		if errors.Is(err, n.host) {
			return n.wasi
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ENOENT
	case errors.Is(err, fs.ErrExist):
		return EEXIST
	case errors.Is(err, fs.ErrPermission):
		return EACCES
	case errors.Is(err, fs.ErrInvalid):
		return EINVAL
	}
	return EIO
}
