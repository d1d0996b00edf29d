package hostfns

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vclock"
)

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// requireAborted checks that the last call ended the guest because of the host.
func (f *fake) requireAborted(want error, text string) {
	f.t.Helper()
	_, exited, err := f.g.Result()
	require.True(f.t, f.stop)
	require.False(f.t, exited)
	require.ErrorIs(f.t, err, want)
	require.Contains(f.t, err.Error(), text)
}

func TestAStreamThatFailsEndsTheRun(t *testing.T) {
	f := newFake(t, func(c *Config) {
		c.Stdin, c.Stdout, c.Stderr = iotest.ErrReader(errBroken), brokenWriter{}, brokenWriter{}
	})
	v, n := f.vec(3)
	f.call("fd_read", 0, v, n, 32)
	f.requireAborted(errBroken, "standard input")
	for fd, name := range map[uint64]string{1: "standard output", 2: "standard error"} {
		f = newFake(t, func(c *Config) { c.Stdout, c.Stderr = brokenWriter{}, brokenWriter{} })
		f.call("fd_write", fd, v, n, 32) // no buffer of a new memory has a length
		require.False(t, f.stop)
		f.vec(3)
		f.call("fd_write", fd, v, n, 32)
		f.requireAborted(errBroken, name)
	}
}

func TestAReaderThatNeverSaysAnything(t *testing.T) {
	f := newFake(t, func(c *Config) { c.Stdin = silent{} })
	v, n := f.vec(3)
	f.call("fd_read", 0, v, n, 32)
	f.requireAborted(io.ErrNoProgress, "standard input")
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestNoStreams(t *testing.T) {
	f := newFake(t, func(c *Config) { c.Stdin, c.Stdout = nil, nil })
	v, n := f.vec(3)
	f.ok("fd_read", 0, v, n, 32)
	require.Zero(t, f.u32(32))
	f.ok("fd_write", 1, v, n, 32)
	require.Equal(t, uint32(3), f.u32(32))
	f.sub(0, 1, eventFdRead, 0)
	f.ok("poll_oneoff", 1024, 2048, 1, 32)
	require.Equal(t, uint16(eventHangup), binary.LittleEndian.Uint16(f.mem[2048+24:]))
}

func TestInputComesAsItIsRead(t *testing.T) {
	f := newFake(t, func(c *Config) { c.Stdin = iotest.OneByteReader(strings.NewReader("ab")) })
	v, n := f.vec(10)
	for _, want := range []uint32{1, 1, 0, 0} {
		f.ok("fd_read", 0, v, n, 32)
		require.Equal(t, want, f.u32(32))
	}
}

func TestPollSaysHowMuchAFileHas(t *testing.T) {
	f := newFake(t, nil)
	fd := f.open("hello.txt", 0, allRights)
	f.ok("fd_seek", fd, 4, 0, 8)
	f.sub(0, 7, eventFdRead, fd)
	f.sub(1, 8, eventFdRead, 3) // a directory
	f.ok("fd_fdstat_set_rights", 1, uint64(rightFdWrite), 0)
	f.sub(2, 9, eventFdWrite, 1) // without the right to poll
	f.sub(3, 10, eventFdWrite, 0)
	f.ok("poll_oneoff", 1024, 2048, 4, 32)
	require.Equal(t, []string{"7", "8 EBADF", "9 ENOTCAPABLE", "10 EBADF"}, f.events())
	require.Equal(t, uint64(7), f.u64(2048+16))
}

// TestPollsWithoutAWaitAreSpinning: a guest that waits by polling with no time
// to wait gets there by the spinning rule, or is told that it never will.
func TestPollsWithoutAWaitAreSpinning(t *testing.T) {
	f := newFake(t, nil)
	f.sub(0, 1, eventClock, clockMonotonic, 0)
	for range 1 << 16 {
		if f.ok("poll_oneoff", 1024, 2048, 1, 32); f.clock.Elapsed() >= time.Millisecond {
			break
		}
	}
	require.Equal(t, time.Millisecond, f.clock.Elapsed())

	still, err := vclock.New(vclock.Config{NoStep: true})
	require.NoError(t, err)
	f = newFake(t, func(c *Config) { c.Clock = still })
	f.sub(0, 1, eventClock, clockMonotonic, 0)
	for range 1 << 24 {
		if f.call("poll_oneoff", 1024, 2048, 1, 32); f.stop {
			break
		}
	}
	f.requireAborted(vclock.ErrClockStalled, "spins")
}

func TestOtherCallsAreProgress(t *testing.T) {
	f := newFake(t, nil)
	for range 1 << 12 {
		f.ok("sched_yield")
		f.ok("fd_tell", f.open("hello.txt", 0, allRights), 8)
		f.ok("fd_close", 4)
	}
	require.Zero(t, f.clock.Elapsed())
}

func TestPollTakesAPastMomentForDue(t *testing.T) {
	f := newFake(t, nil)
	require.NoError(t, f.clock.Advance(time.Hour))
	start := uint64(vclock.DefaultStart.UnixNano())
	f.sub(0, 1, eventClock, clockMonotonic, 5, 0, clockAbstime)
	f.sub(1, 2, eventClock, clockRealtime, start+5, 0, clockAbstime)
	f.sub(2, 3, eventClock, clockRealtime, start+uint64(2*time.Hour), 0, clockAbstime)
	f.sub(3, 4, eventClock, clockProcess, 1)
	f.ok("poll_oneoff", 1024, 2048, 4, 32)
	require.Equal(t, []string{"1", "2", "4 EINVAL"}, f.events())
	require.Equal(t, time.Hour, f.clock.Elapsed())
}

func TestARealSleepEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	wall, err := vclock.New(vclock.Config{Real: true})
	require.NoError(t, err)
	f := newFake(t, func(c *Config) { c.Clock, c.Context = wall, ctx })
	f.sub(0, 1, eventClock, clockMonotonic, uint64(time.Hour))
	f.call("poll_oneoff", 1024, 2048, 1, 32)
	f.requireAborted(context.Canceled, "")
}

func TestAbortEndsTheNextCall(t *testing.T) {
	f := newFake(t, nil)
	f.g.Abort(errBroken)
	f.g.Abort(errors.New("later"))
	require.Equal(t, errno.OK, f.call("sched_yield"))
	f.requireAborted(errBroken, "broken")
	require.NoError(t, f.g.Close())
	require.NoError(t, f.g.Close())
}
