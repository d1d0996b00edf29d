package hostfns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/choice"
	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vclock"
	"github.com/seed48025506/belljar/vfs"
)

// fake is an engine without wasm: a memory and words.
type fake struct {
	t     testing.TB
	g     *Guest
	clock *vclock.Clock
	mem   []byte
	out   bytes.Buffer
	stop  bool
}

func newFake(t testing.TB, change func(*Config)) *fake {
	t.Helper()
	clock, err := vclock.New(vclock.Config{})
	require.NoError(t, err)
	tree := vfs.New(vfs.Config{Now: clock.Now})
	require.NoError(t, tree.Mount("/w", vfs.FromFS(fstest.MapFS{
		"hello.txt": {Data: []byte("hello, jar\n"), Mode: 0o644},
		"d/inner":   {Data: []byte("x"), Mode: 0o644},
	}), false))
	st, e := tree.StatAt(tree.Root(), "w", 0)
	require.Equal(t, errno.OK, e)
	f := &fake{t: t, clock: clock, mem: make([]byte, 1<<16)}
	cfg := Config{Args: []string{"prog", "-v"}, Env: []string{"A=1"}, Stdin: strings.NewReader("input"),
		Stdout: &f.out, FS: tree, Preopens: []Preopen{{GuestPath: "/w", Ino: st.Ino}},
		Clock: clock, Random: choice.Seed(1).Stream(0, choice.Random)}
	if change != nil {
		change(&cfg)
	}
	f.g, err = NewGuest(cfg)
	require.NoError(t, err)
	return f
}

// call runs a function by name and returns its errno.
func (f *fake) call(name string, args ...uint64) errno.Errno {
	f.t.Helper()
	fn := Lookup(ModuleName, name)
	require.NotNil(f.t, fn, name)
	require.Len(f.t, args, len(fn.Params), name)
	stack := append(args, 0)
	f.stop = f.g.Call(fn, f.mem, stack)
	return errno.Errno(stack[0])
}

func (f *fake) ok(name string, args ...uint64) {
	f.t.Helper()
	require.Equal(f.t, errno.OK, f.call(name, args...), name)
}

// str puts a string at 4096 and returns its pointer and length.
func (f *fake) str(s string) (ptr, n uint64) {
	copy(f.mem[4096:], s)
	return 4096, uint64(len(s))
}

func (f *fake) str2(s string) (ptr, n uint64) {
	copy(f.mem[8192:], s)
	return 8192, uint64(len(s))
}

func (f *fake) u32(at int) uint32 { return binary.LittleEndian.Uint32(f.mem[at:]) }
func (f *fake) u64(at int) uint64 { return binary.LittleEndian.Uint64(f.mem[at:]) }

const allRights = uint64(rightsAll)

// open opens a path below /w and returns its descriptor.
func (f *fake) open(path string, oflags, rights uint64) uint64 {
	f.t.Helper()
	p, n := f.str(path)
	f.ok("path_open", 3, 1, p, n, oflags, rights, allRights, 0, 64)
	return uint64(f.u32(64))
}

// vec makes one iovec at 128 for a buffer at 12288.
func (f *fake) vec(n uint64) (ptr, count uint64) {
	binary.LittleEndian.PutUint32(f.mem[128:], 12288)
	binary.LittleEndian.PutUint32(f.mem[132:], uint32(n))
	return 128, 1
}

func TestTheTableIsTheSpecification(t *testing.T) {
	require.Len(t, Functions, 46)
	for i, f := range Functions {
		require.Equal(t, i, f.Index)
		require.NotNil(t, f.fn, f.Name)
		require.Same(t, &Functions[i], Lookup(ModuleName, f.Name))
	}
	require.Equal(t, "clock_time_get", Functions[indexClock].Name)
	require.Empty(t, Lookup(ModuleName, "proc_exit").Results)
	require.Nil(t, Lookup("wasi_unstable", "fd_read"))
	require.Nil(t, Lookup(ModuleName, "fd_teleport"))
}

func TestArgsAndEnviron(t *testing.T) {
	f := newFake(t, nil)
	f.ok("args_sizes_get", 0, 4)
	require.Equal(t, []uint32{2, 8}, []uint32{f.u32(0), f.u32(4)})
	f.ok("args_get", 16, 32)
	require.Equal(t, uint32(32), f.u32(16))
	require.Equal(t, uint32(37), f.u32(20))
	require.Equal(t, "prog\x00-v\x00", string(f.mem[32:40]))
	f.ok("environ_sizes_get", 0, 4)
	require.Equal(t, []uint32{1, 4}, []uint32{f.u32(0), f.u32(4)})
	require.Equal(t, errno.EFAULT, f.call("args_get", 1<<16-4, 0))
	require.Equal(t, errno.EFAULT, f.call("environ_get", 0, math.MaxUint32))
	for _, bad := range []Config{{Args: []string{"a\x00b"}}, {Env: []string{"NOEQUALS"}}, {Env: []string{"=x"}}} {
		bad.Clock, bad.Random = f.clock, choice.Seed(0).Stream(0, choice.Random)
		_, err := NewGuest(bad)
		require.Error(t, err)
	}
}

func TestClock(t *testing.T) {
	f := newFake(t, nil)
	f.ok("clock_time_get", 0, 0, 8)
	require.Equal(t, uint64(vclock.DefaultStart.UnixNano()), f.u64(8))
	f.ok("clock_time_get", 1|7<<40, 0, 8|1<<50) // upper halves are not ours
	require.Equal(t, uint64(1), f.u64(8))
	f.ok("clock_res_get", 1, 8)
	require.Equal(t, uint64(1), f.u64(8))
	require.Equal(t, errno.EINVAL, f.call("clock_time_get", 9, 0, 8))
	require.Equal(t, errno.EINVAL, f.call("clock_res_get", 4, 8))
	require.Equal(t, errno.EFAULT, f.call("clock_time_get", 0, 0, 1<<16-7))
}

func TestReadWriteSeek(t *testing.T) {
	f := newFake(t, nil)
	fd := f.open("hello.txt", 0, allRights)
	require.Equal(t, uint64(4), fd)
	v, c := f.vec(5)
	f.ok("fd_read", fd, v, c, 32)
	require.Equal(t, "hello", string(f.mem[12288:12293]))
	f.ok("fd_tell", fd, 8)
	require.Equal(t, uint64(5), f.u64(8))
	f.ok("fd_pread", fd, v, c, 7, 32)
	require.Equal(t, "jar\n", string(f.mem[12288:12292]))
	require.Equal(t, uint32(4), f.u32(32))
	f.ok("fd_seek", fd, uint64(math.MaxUint64), 2, 8) // one before the end
	require.Equal(t, uint64(10), f.u64(8))
	copy(f.mem[12288:], "WORLD")
	f.ok("fd_write", fd, v, c, 32)
	f.ok("fd_filestat_get", fd, 256)
	require.Equal(t, uint64(15), f.u64(256+32))
	require.Equal(t, errno.EINVAL, f.call("fd_seek", fd, 1<<63, 0, 8))
	require.Equal(t, errno.EINVAL, f.call("fd_seek", fd, 0, 3, 8))
	f.ok("fd_filestat_set_size", fd, 3)
	f.ok("fd_allocate", fd, 0, 100)
	require.Equal(t, errno.EINVAL, f.call("fd_allocate", fd, 0, 0))
	f.ok("fd_filestat_get", fd, 256)
	require.Equal(t, uint64(100), f.u64(256+32))
	f.ok("fd_advise", fd, 0, 10, 5)
	require.Equal(t, errno.EINVAL, f.call("fd_advise", fd, 0, 10, 6))
	f.ok("fd_sync", fd)
	f.ok("fd_datasync", fd)
	f.ok("fd_close", fd)
	require.Equal(t, errno.EBADF, f.call("fd_close", fd))
}

func TestAppendAndFlags(t *testing.T) {
	f := newFake(t, nil)
	fd := f.open("hello.txt", 0, allRights)
	f.ok("fd_fdstat_set_flags", fd, fdAppend)
	require.Equal(t, errno.EINVAL, f.call("fd_fdstat_set_flags", fd, 1<<5))
	v, c := f.vec(2)
	f.ok("fd_write", fd, v, c, 32)
	f.ok("fd_tell", fd, 8)
	require.Equal(t, uint64(13), f.u64(8))
	f.ok("fd_fdstat_get", fd, 256)
	require.Equal(t, byte(vfs.TypeFile), f.mem[256])
	require.Equal(t, byte(fdAppend), f.mem[258])
}

func TestRights(t *testing.T) {
	f := newFake(t, nil)
	fd := f.open("hello.txt", 0, uint64(rightFdRead))
	v, c := f.vec(1)
	f.ok("fd_read", fd, v, c, 32)
	require.Equal(t, errno.EBADF, f.call("fd_write", fd, v, c, 32), "not open for writing")
	require.Equal(t, errno.ENOTCAPABLE, f.call("fd_seek", fd, 0, 0, 8))
	require.Equal(t, errno.ENOTCAPABLE, f.call("fd_fdstat_set_rights", fd, allRights, 0))
	f.ok("fd_fdstat_set_rights", fd, 0, 0)
	require.Equal(t, errno.EBADF, f.call("fd_read", fd, v, c, 32))

	f.ok("fd_fdstat_set_rights", 3, uint64(rightPathOpen), uint64(rightFdRead))
	p, n := f.str("new")
	require.Equal(t, errno.ENOTCAPABLE, f.call("path_create_directory", 3, p, n))
	require.Equal(t, errno.ENOTCAPABLE, f.call("path_open", 3, 0, p, n, oflagCreat, allRights, 0, 0, 64))
	fd = f.open("hello.txt", 0, allRights)
	f.ok("fd_fdstat_get", fd, 256)
	require.Equal(t, uint64(rightFdRead), f.u64(264), "no more than the directory hands on")
}

func TestADirectoryIsNotOpenedForWriting(t *testing.T) {
	f := newFake(t, nil)
	p, n := f.str(".")
	write := uint64(rightFdRead | rightFdWrite)
	require.Equal(t, errno.EISDIR, f.call("path_open", 3, 0, p, n, oflagDirectory, write, 0, 0, 64))
	f.ok("path_open", 3, 0, p, n, oflagDirectory, uint64(rightFdRead), 0, 0, 64)
	f.ok("path_open", 3, 0, p, n, 0, uint64(rightsDir), allRights, 0, 64)
	v, c := f.vec(1)
	require.Equal(t, errno.EBADF, f.call("fd_read", uint64(f.u32(64)), v, c, 32))
}

func TestPathsCannotLeave(t *testing.T) {
	f := newFake(t, nil)
	for _, path := range []string{"..", "../w/hello.txt", "/etc/passwd", "d/../../w", "d/../.."} {
		p, n := f.str(path)
		require.Equal(t, errno.EPERM, f.call("path_filestat_get", 3, 1, p, n, 256), path)
	}
	q, m := f.str2("/etc/passwd")
	p, n := f.str("link")
	require.Equal(t, errno.EPERM, f.call("path_symlink", q, m, 3, p, n))
	q, m = f.str2("../..")
	f.ok("path_symlink", q, m, 3, p, n)
	require.Equal(t, errno.EPERM, f.call("path_filestat_get", 3, 1, p, n, 256))
	p, n = f.str("loop")
	f.ok("path_symlink", p, n, 3, p, n)
	require.Equal(t, errno.ELOOP, f.call("path_filestat_get", 3, 1, p, n, 256))
	p, n = f.str("nul\x00byte")
	require.Equal(t, errno.EINVAL, f.call("path_filestat_get", 3, 1, p, n, 256))
	p, n = f.str("\xff")
	require.Equal(t, errno.EILSEQ, f.call("path_filestat_get", 3, 1, p, n, 256))
}

func TestPathFunctions(t *testing.T) {
	f := newFake(t, nil)
	p, n := f.str("dir")
	f.ok("path_create_directory", 3, p, n)
	require.Equal(t, errno.EEXIST, f.call("path_create_directory", 3, p, n))
	f.ok("fd_close", f.open("dir/file", oflagCreat|oflagExcl, allRights))
	p, n = f.str("dir/file")
	q, m := f.str2("dir/hard")
	f.ok("path_link", 3, 0, p, n, 3, q, m)
	f.ok("path_filestat_get", 3, 0, p, n, 256)
	require.Equal(t, uint64(2), f.u64(256+24))
	require.Equal(t, errno.EINVAL, f.call("path_link", 3, 1, p, n, 3, q, m))
	f.ok("path_filestat_set_times", 3, 0, p, n, 5, 7, setAtim|setMtim)
	f.ok("path_filestat_get", 3, 0, q, m, 256)
	require.Equal(t, []uint64{5, 7}, []uint64{f.u64(256 + 40), f.u64(256 + 48)})
	require.Equal(t, errno.EINVAL, f.call("path_filestat_set_times", 3, 0, p, n, 5, 7, setAtim|setAtimNow))
	q, m = f.str2("moved")
	f.ok("path_rename", 3, p, n, 3, q, m)
	p, n = f.str("dir")
	require.Equal(t, errno.ENOTEMPTY, f.call("path_remove_directory", 3, p, n))
	require.Equal(t, errno.EISDIR, f.call("path_unlink_file", 3, p, n))
	p, n = f.str("dir/hard")
	require.Equal(t, errno.ENOTDIR, f.call("path_remove_directory", 3, p, n))
	f.ok("path_unlink_file", 3, p, n)
	p, n = f.str("dir")
	f.ok("path_remove_directory", 3, p, n)
	p, n = f.str("target")
	q, m = f.str2("sym")
	f.ok("path_symlink", p, n, 3, q, m)
	f.ok("path_readlink", 3, q, m, 512, 3, 32)
	require.Equal(t, "tar", string(f.mem[512:515]))
	require.Equal(t, uint32(3), f.u32(32))
	require.Equal(t, errno.ELOOP, f.call("path_open", 3, 0, q, m, 0, allRights, 0, 0, 64))
	p, n = f.str("nothing")
	require.Equal(t, errno.EINVAL, f.call("path_open", 3, 0, p, n, oflagCreat|oflagDirectory, allRights, 0, 0, 64))
}

func TestReaddirIsStableAndCutsOff(t *testing.T) {
	f := newFake(t, nil)
	f.ok("fd_readdir", 3, 1024, 30, 0, 32)
	require.Equal(t, uint32(30), f.u32(32), "a full buffer says that there is more")
	require.Equal(t, uint64(1), f.u64(1024))

	var names []string
	cookie := uint64(0)
	for i := 0; ; i++ {
		f.ok("fd_readdir", 3, 1024, 24+40, cookie, 32)
		used := int(f.u32(32))
		if used < direntSize {
			break
		}
		size := int(f.u32(1024 + 16))
		names = append(names, string(f.mem[1024+24:1024+24+size]))
		cookie = f.u64(1024)
		if i == 2 { // what comes and goes does not shift the others
			p, n := f.str(names[2])
			if names[2] == "d" {
				q, m := f.str2("zz")
				f.ok("path_rename", 3, p, n, 3, q, m)
			} else {
				f.ok("path_unlink_file", 3, p, n)
			}
		}
	}
	require.Equal(t, []string{".", "..", "d", "hello.txt", "zz"}, names)
	require.Equal(t, errno.ENOTDIR, f.call("fd_readdir", 1, 1024, 64, 0, 32))
}

func TestPreopensRenumberAndStreams(t *testing.T) {
	f := newFake(t, nil)
	f.ok("fd_prestat_get", 3, 0)
	require.Equal(t, uint32(2), f.u32(4))
	f.ok("fd_prestat_dir_name", 3, 64, 2)
	require.Equal(t, "/w", string(f.mem[64:66]))
	require.Equal(t, errno.ENAMETOOLONG, f.call("fd_prestat_dir_name", 3, 64, 1))
	require.Equal(t, errno.EBADF, f.call("fd_prestat_get", 2, 0))
	fd := f.open("hello.txt", 0, allRights)
	f.ok("fd_renumber", fd, 0)
	require.Equal(t, errno.EBADF, f.call("fd_renumber", fd, 0))
	require.Equal(t, errno.ESPIPE, f.call("fd_seek", 1, 0, 0, 8))
	require.Equal(t, errno.ENOTSOCK, f.call("sock_shutdown", 1, 0))
	require.Equal(t, errno.EBADF, f.call("sock_recv", 99, 0, 0, 0, 0, 0))
	copy(f.mem[12288:], "out")
	v, c := f.vec(3)
	f.ok("fd_write", 1, v, c, 32)
	require.Equal(t, "out", f.out.String())
}

func TestStdinComesFromTheTape(t *testing.T) {
	store, buf := cas.NewMem(), new(bytes.Buffer)
	deck, err := tape.Record(buf, store, tape.Header{})
	require.NoError(t, err)
	read := func(d *tape.Deck, in string) string {
		f := newFake(t, func(c *Config) { c.Deck, c.Stdin = d, strings.NewReader(in) })
		v, c := f.vec(100)
		f.ok("fd_read", 0, v, c, 32)
		return string(f.mem[12288 : 12288+f.u32(32)])
	}
	require.Equal(t, "live", read(deck, "live"))
	require.NoError(t, deck.Finish(cas.Digest{}))
	tp, err := tape.Open(buf)
	require.NoError(t, err)
	again, err := tp.Replay(store)
	require.NoError(t, err)
	require.Equal(t, "live", read(again, "never read"))
}

// sub writes a subscription.
func (f *fake) sub(i int, user uint64, tag byte, rest ...uint64) {
	at := 1024 + i*subscriptionSize
	clear(f.mem[at : at+subscriptionSize])
	binary.LittleEndian.PutUint64(f.mem[at:], user)
	f.mem[at+8] = tag
	for j, v := range rest {
		binary.LittleEndian.PutUint64(f.mem[at+16+8*j:], v)
	}
}

// events returns the user data of the events, with errnos where there are any.
func (f *fake) events() (list []string) {
	for i := range int(f.u32(32)) {
		at := 2048 + i*eventSize
		s := fmt.Sprint(f.u64(at))
		if e := errno.Errno(binary.LittleEndian.Uint16(f.mem[at+8:])); e != errno.OK {
			s += " " + e.String()
		}
		list = append(list, s)
	}
	return list
}

func TestPoll(t *testing.T) {
	f := newFake(t, nil)
	second := uint64(time.Second)
	f.sub(0, 10, eventClock, clockMonotonic, 3*second)
	f.sub(1, 11, eventClock, clockRealtime, second)
	f.sub(2, 12, eventClock, clockMonotonic, 1+second, 0, clockAbstime)
	f.sub(3, 13, eventClock, clockRealtime, uint64(vclock.DefaultStart.UnixNano())+second, 0, clockAbstime)
	f.ok("poll_oneoff", 1024, 2048, 4, 32)
	require.Equal(t, []string{"11", "12", "13"}, f.events(), "all that is due at the earliest deadline")
	require.Equal(t, time.Second, f.clock.Elapsed())

	f.sub(0, 20, eventClock, clockMonotonic, second)
	f.sub(1, 21, eventFdRead, 0)
	f.sub(2, 22, eventFdWrite, 1)
	f.sub(3, 23, eventFdRead, 77)
	f.ok("poll_oneoff", 1024, 2048, 4, 32)
	require.Equal(t, []string{"21", "22", "23 EBADF"}, f.events())
	require.Equal(t, time.Second, f.clock.Elapsed(), "what is ready lets no time pass")

	f.sub(0, 30, eventClock, 9, second)
	f.ok("poll_oneoff", 1024, 2048, 1, 32)
	require.Equal(t, []string{"30 EINVAL"}, f.events())
	f.sub(0, 40, eventClock, clockMonotonic, math.MaxUint64)
	f.ok("poll_oneoff", 1024, 2048, 1, 32)
	require.Equal(t, []string{"40"}, f.events())
	require.Equal(t, errno.EINVAL, f.call("poll_oneoff", 1024, 2048, 0, 32))
	require.Equal(t, errno.EFAULT, f.call("poll_oneoff", 1024, 2048, 60000, 32))
	f.sub(0, 50, 7)
	require.Equal(t, errno.EINVAL, f.call("poll_oneoff", 1024, 2048, 1, 32))
}

func TestExitAndRaise(t *testing.T) {
	f := newFake(t, nil)
	f.call("proc_exit", 7)
	code, exited, err := f.g.Result()
	require.True(t, f.stop && exited)
	require.Equal(t, uint32(7), code)
	require.NoError(t, err)
	f = newFake(t, nil)
	f.ok("proc_raise", 0)
	require.False(t, f.stop)
	require.Equal(t, errno.EINVAL, f.call("proc_raise", 31))
	f.call("proc_raise", 15)
	code, _, _ = f.g.Result()
	require.Equal(t, uint32(143), code)
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	deck, err := tape.Record(new(bytes.Buffer), cas.NewMem(), tape.Header{})
	require.NoError(t, err)
	f := newFake(t, func(c *Config) { c.Deck, c.Stdout = deck, nil })
	fd := f.open("hot", oflagCreat, allRights)
	v, c := f.vec(4096)
	f.ok("fd_write", fd, v, c, 32)
	for name, args := range map[string][]uint64{
		"clock_time_get": {1, 0, 8}, "sched_yield": {}, "random_get": {64, 64},
		"fd_pread": {fd, v, c, 0, 32}, "fd_pwrite": {fd, v, c, 0, 32}, "fd_read": {fd, v, c, 32}, "fd_write": {1, v, c, 32},
	} {
		fn, stack := Lookup(ModuleName, name), make([]uint64, 10)
		require.Zero(t, testing.AllocsPerRun(200, func() {
			copy(stack, args)
			f.g.Call(fn, f.mem, stack)
		}), name)
	}
}

// FuzzCalls makes calls with anything for arguments on a memory of anything:
// no panic, nothing outside the memory touched, no hang.
func FuzzCalls(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, []byte("hello.txt"))
	}
	f.Fuzz(func(t *testing.T, seed uint64, text []byte) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := newFake(t, nil)
		const size, guard = 4096, 64
		whole := make([]byte, size+2*guard)
		for i := range whole {
			whole[i] = byte(r.Uint32())
		}
		copy(whole[guard+256:], text)
		before := bytes.Clone(whole)
		mem := whole[guard : guard+size : guard+size]
		for range 200 {
			fn := &Functions[r.IntN(len(Functions))]
			stack := make([]uint64, 12)
			for i := range stack {
				stack[i] = anyWord(r)
			}
			if g.g.Call(fn, mem, stack) {
				break
			}
		}
		require.NoError(t, g.g.Close())
		require.Equal(t, before[:guard], whole[:guard])
		require.Equal(t, before[guard+size:], whole[guard+size:])
	})
}

// anyWord likes small numbers, pointers into the memory, and edges.
func anyWord(r *rand.Rand) uint64 {
	switch r.IntN(6) {
	case 0:
		return r.Uint64N(8)
	case 1:
		return 256 + r.Uint64N(16)
	case 2:
		return r.Uint64N(4200)
	case 3:
		return math.MaxUint32 - r.Uint64N(16)
	case 4:
		return 1 << r.UintN(64)
	}
	return r.Uint64()
}
