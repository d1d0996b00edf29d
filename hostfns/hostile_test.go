package hostfns

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
)

// good is a call of each function that succeeds on a new fake with its file
// open at 4, and which of its arguments are pointers.
var good = map[string]struct {
	args     []uint64
	pointers []int
}{
	"args_get":                {[]uint64{16, 32}, []int{0, 1}},
	"args_sizes_get":          {[]uint64{16, 32}, []int{0, 1}},
	"environ_get":             {[]uint64{16, 32}, []int{0, 1}},
	"environ_sizes_get":       {[]uint64{16, 32}, []int{0, 1}},
	"clock_res_get":           {[]uint64{1, 16}, []int{1}},
	"clock_time_get":          {[]uint64{1, 0, 16}, []int{2}},
	"fd_fdstat_get":           {[]uint64{4, 256}, []int{1}},
	"fd_filestat_get":         {[]uint64{4, 256}, []int{1}},
	"fd_pread":                {[]uint64{4, 128, 1, 0, 32}, []int{1, 4}},
	"fd_pwrite":               {[]uint64{4, 128, 1, 0, 32}, []int{1, 4}},
	"fd_read":                 {[]uint64{4, 128, 1, 32}, []int{1, 3}},
	"fd_write":                {[]uint64{4, 128, 1, 32}, []int{1, 3}},
	"fd_prestat_get":          {[]uint64{3, 32}, []int{1}},
	"fd_prestat_dir_name":     {[]uint64{3, 32, 2}, []int{1}},
	"fd_readdir":              {[]uint64{3, 1024, 64, 0, 32}, []int{1, 4}},
	"fd_seek":                 {[]uint64{4, 0, 0, 32}, []int{3}},
	"fd_tell":                 {[]uint64{4, 32}, []int{1}},
	"path_create_directory":   {[]uint64{3, 8192, 1}, []int{1}},
	"path_filestat_get":       {[]uint64{3, 0, 4096, 9, 256}, []int{2, 4}},
	"path_filestat_set_times": {[]uint64{3, 0, 4096, 9, 0, 0, 0}, []int{2}},
	"path_link":               {[]uint64{3, 0, 4096, 9, 3, 8192, 1}, []int{2, 5}},
	"path_open":               {[]uint64{3, 0, 4096, 9, 0, 0, 0, 0, 64}, []int{2, 8}},
	"path_readlink":           {[]uint64{3, 8200, 3, 512, 8, 32}, []int{1, 3, 5}},
	"path_remove_directory":   {[]uint64{3, 8210, 3}, []int{1}},
	"path_rename":             {[]uint64{3, 4096, 9, 3, 8192, 1}, []int{1, 4}},
	"path_symlink":            {[]uint64{4096, 9, 3, 8192, 1}, []int{0, 3}},
	"path_unlink_file":        {[]uint64{3, 4096, 9}, []int{1}},
	"poll_oneoff":             {[]uint64{1024, 2048, 1, 32}, []int{0, 1, 3}},
	"random_get":              {[]uint64{64, 8}, []int{0}},
}

// numbersOnly is what is not in good: functions without pointers, and those of
// sockets, which look at the descriptor and no further.
var numbersOnly = []string{"fd_advise", "fd_allocate", "fd_close", "fd_datasync", "fd_fdstat_set_flags",
	"fd_fdstat_set_rights", "fd_filestat_set_size", "fd_filestat_set_times", "fd_renumber", "fd_sync",
	"proc_exit", "proc_raise", "sched_yield", "sock_accept", "sock_recv", "sock_send", "sock_shutdown"}

func TestEveryFunctionWithPointersIsTried(t *testing.T) {
	for _, f := range Functions {
		_, tried := good[f.Name]
		require.NotEqual(t, tried, slices.Contains(numbersOnly, f.Name), f.Name)
	}
}

// goodFake has what the calls of good find.
func goodFake(t *testing.T) *fake {
	f := newFake(t, nil)
	require.Equal(t, uint64(4), f.open("hello.txt", 0, allRights))
	copy(f.mem[8200:], "sym")
	f.ok("path_symlink", 4096, 9, 3, 8200, 3)
	copy(f.mem[8210:], "dir")
	f.ok("path_create_directory", 3, 8210, 3)
	f.str("hello.txt")
	f.str2("z")
	f.vec(4)
	f.sub(0, 1, eventClock, clockMonotonic, 5)
	return f
}

// TestPointersOutOfMemory makes each pointer of each call bad in turn: just
// over the end, far over it, and so that adding a length wraps round 32 bits.
func TestPointersOutOfMemory(t *testing.T) {
	for name, g := range good {
		goodFake(t).ok(name, g.args...)
		for _, i := range g.pointers {
			for _, ptr := range []uint64{1 << 16, math.MaxUint32, math.MaxUint32 - 2, 1<<16 - 1} {
				if name == "path_create_directory" && ptr == 1<<16-1 || g.args[min(i+1, len(g.args)-1)] == 1 && ptr == 1<<16-1 {
					continue // one byte fits there
				}
				f := goodFake(t)
				args := append([]uint64(nil), g.args...)
				args[i] = ptr
				before := bytes.Clone(f.mem)
				require.Equal(t, errno.EFAULT, f.call(name, args...), "%s, argument %d at %d", name, i, ptr)
				require.Equal(t, before[4096:12288], f.mem[4096:12288], "%s: what it was given", name)
			}
		}
	}
}

func TestHostileBuffers(t *testing.T) {
	f := goodFake(t)
	for _, c := range []struct {
		ptr, n uint64
		want   errno.Errno
	}{
		{128, maxIovecs + 1, errno.EINVAL},
		{128, math.MaxUint32, errno.EINVAL},
		{1<<16 - 8, 2, errno.EFAULT},
		{math.MaxUint32 - 7, 1, errno.EFAULT},
	} {
		require.Equal(t, c.want, f.call("fd_read", 4, c.ptr, c.n, 32))
		require.Equal(t, c.want, f.call("fd_write", 4, c.ptr, c.n, 32))
	}
	binary.LittleEndian.PutUint32(f.mem[132:], math.MaxUint32) // a buffer longer than the memory
	require.Equal(t, errno.EFAULT, f.call("fd_read", 4, 128, 1, 32))
	f.ok("fd_read", 4, math.MaxUint16, 0, 32) // no buffers need no array
	require.Zero(t, f.u32(32))
	require.Equal(t, errno.EFAULT, f.call("random_get", 8, 1<<16))
	require.Equal(t, errno.EFAULT, f.call("fd_readdir", 3, 8, math.MaxUint32, 0, 32))
	require.Equal(t, errno.ENAMETOOLONG, f.call("path_unlink_file", 3, 0, maxPathLen+1))
}

// TestBuffersOverTheirOwnArray reads a file over the array that says where.
func TestBuffersOverTheirOwnArray(t *testing.T) {
	f := goodFake(t)
	fd := f.open("evil", oflagCreat, allRights)
	ff := bytes.Repeat([]byte{0xff}, 16)
	copy(f.mem[12288:], ff)
	v, n := f.vec(16)
	f.ok("fd_write", fd, v, n, 32)
	f.ok("fd_seek", fd, 0, 0, 8)
	for i := range 2 {
		binary.LittleEndian.PutUint32(f.mem[128+8*i:], 128)
		binary.LittleEndian.PutUint32(f.mem[132+8*i:], 16)
	}
	f.ok("fd_read", fd, 128, 2, 32)
	require.Equal(t, uint32(16), f.u32(32), "what was read before the second buffer went bad")
}

func TestAnEmptyMemory(t *testing.T) {
	for name, g := range good {
		f := goodFake(t)
		stack := append(append([]uint64(nil), g.args...), 0)
		f.g.Call(Lookup(ModuleName, name), nil, stack)
		require.Equal(t, errno.EFAULT, errno.Errno(stack[0]), name)
	}
}
