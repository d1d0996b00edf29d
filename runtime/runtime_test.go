package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vclock"
	"github.com/seed48025506/belljar/vfs"
)

func TestArgsEnvStdinAndStreams(t *testing.T) {
	_, p := program(t, "env")
	out, err := p.Run(ctx, runtime.Spec{Name: "env", Args: []string{"a b"}, Env: []string{"X=1"}, Stdin: strings.NewReader("in\n")})
	require.NoError(t, err)
	require.Equal(t, uint32(2), out.ExitCode)
	require.Equal(t, "arg 0: env\narg 1: a b\nenv: X=1\nin\n", string(out.Stdout))
	require.Equal(t, "done\n", string(out.Stderr))
	var stream bytes.Buffer
	out, err = p.Run(ctx, runtime.Spec{Stdout: &stream})
	require.NoError(t, err)
	require.Equal(t, "arg 0: program\n", stream.String())
	require.Nil(t, out.Stdout)
}

func TestBadModules(t *testing.T) {
	rt := newRuntime(t)
	demo := guests.Wasm("demo")
	for name, c := range map[string]struct {
		wasm []byte
		want string
	}{
		"empty":     {nil, "empty"},
		"no wasm":   {[]byte("#!/bin/sh\n"), "not WebAssembly"},
		"short":     {demo[:6], "cut off"},
		"component": {[]byte("\x00asm\x0d\x00\x01\x00"), "component"},
		"no start":  {guests.Wasm("nostart"), "_start"},
		"no memory": {guests.Wasm("nomemory"), `"memory"`},
	} {
		_, err := rt.Compile(ctx, c.wasm)
		var bad *runtime.ModuleError
		require.ErrorAs(t, err, &bad, name)
		require.ErrorContains(t, err, c.want, name)
	}
	for n := 8; n < len(demo); n += 501 {
		_, err := rt.Compile(ctx, demo[:n])
		require.Error(t, err, "cut at %d", n)
	}
	_, err := rt.Compile(ctx, guests.Wasm("missing"))
	var link *runtime.LinkError
	require.ErrorAs(t, err, &link)
	require.Len(t, link.Missing, 5, "%v", link.Missing)
	require.Contains(t, link.Missing, "env.abort")
	require.Contains(t, link.Missing, "env.table")
}

func TestTrapsAreTypedAndReplay(t *testing.T) {
	for name, cause := range map[string]string{"trap": "unreachable", "recurse": "stack overflow"} {
		rt, p := program(t, name)
		path := filepath.Join(t.TempDir(), "run.tape")
		_, err := p.Run(ctx, runtime.Spec{Jar: runtime.Jar{Tape: path}})
		var trap *runtime.TrapError
		require.ErrorAs(t, err, &trap, name)
		require.Equal(t, cause, trap.Cause)
		require.Equal(t, name == "trap", trap.Stack != "", "wazero has no stack to show of an overflow")
		_, err = rt.Replay(ctx, runtime.ReplaySpec{Tape: path})
		require.ErrorAs(t, err, &trap)
		var diverged *tape.DivergenceError
		require.False(t, errors.As(err, &diverged))
	}
}

func TestMemoryLimits(t *testing.T) {
	for _, name := range []string{"bigmem", "hiddenmem"} {
		_, p := program(t, name)
		_, err := p.Run(ctx, runtime.Spec{})
		var limit *runtime.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, runtime.LimitMemory, limit.Limit)
	}
	_, p := program(t, "grow")
	out, err := p.Run(ctx, runtime.Spec{MaxMemory: 10 << 20})
	require.NoError(t, err)
	require.Equal(t, uint32(9), out.ExitCode, "steps of 1 MiB after the first page")
	_, err = p.Run(ctx, runtime.Spec{MaxMemory: 1 << 40})
	require.ErrorContains(t, err, "MaxMemory")
}

func TestTimeoutAndCancelStopAGuestThatNeverCalls(t *testing.T) {
	_, p := program(t, "spin")
	_, err := p.Run(ctx, runtime.Spec{Timeout: 50 * time.Millisecond})
	var limit *runtime.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, runtime.LimitTimeout, limit.Limit)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	cctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = p.Run(cctx, runtime.Spec{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestAnInterruptedRunLeavesAnIncompleteTape(t *testing.T) {
	rt, p := program(t, "spin")
	path := filepath.Join(t.TempDir(), "run.tape")
	_, err := p.Run(ctx, runtime.Spec{Timeout: 20 * time.Millisecond, Jar: runtime.Jar{Tape: path}})
	require.Error(t, err)
	_, err = rt.Replay(ctx, runtime.ReplaySpec{Tape: path})
	var incomplete *tape.IncompleteError
	require.ErrorAs(t, err, &incomplete)
}

func TestAGoGuestWithSignalsSeesItsSleepExactly(t *testing.T) {
	_, p := goProgram(t, "signalsleep")
	out, err := p.Run(ctx, runtime.Spec{})
	require.NoError(t, err)
	require.Equal(t, "50ms\n", string(out.Stdout))
	_, err = p.Run(ctx, runtime.Spec{Jar: runtime.Jar{Clock: runtime.Clock{NoStep: true}}})
	require.ErrorIs(t, err, vclock.ErrClockStalled)
}

func TestADayIsNoTime(t *testing.T) {
	_, p := program(t, "sleep")
	out, err := p.Run(ctx, runtime.Spec{Args: []string{"86400"}})
	require.NoError(t, err)
	require.Equal(t, 24*time.Hour, out.Elapsed)
}

// A concurrent Go guest gives the same tape every time.
func TestReruns(t *testing.T) {
	_, p := goProgram(t, "concurrent")
	runs := 1000
	if testing.Short() {
		runs = 50
	}
	store := cas.NewMem()
	run := func(seed uint64) []byte {
		var buf bytes.Buffer
		out, err := p.Run(ctx, runtime.Spec{Args: []string{"/w/trace"}, Jar: runtime.Jar{Seed: seed, TapeTo: &buf, Store: store,
			Mounts: []runtime.Mount{{Guest: "/w"}}}})
		require.NoError(t, err)
		require.Zero(t, out.ExitCode, "%s", out.Stderr)
		return buf.Bytes()
	}
	first := run(7)
	for range runs - 1 {
		require.True(t, bytes.Equal(first, run(7)), "a rerun has another tape")
	}
	require.False(t, bytes.Equal(first, run(8)), "another seed has another tape")
}

func TestConcurrentSessions(t *testing.T) {
	rt, p := program(t, "demo")
	base := fstest.MapFS{"greeting.txt": {Data: []byte("hi\n"), Mode: 0o644}, "old.txt": {Data: []byte("old\n"), Mode: 0o644}}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			store, buf := cas.NewMem(), new(bytes.Buffer)
			out, err := p.Run(ctx, runtime.Spec{Jar: runtime.Jar{Seed: uint64(i), TapeTo: buf, Store: store,
				Mounts: []runtime.Mount{{Guest: "/work", Base: vfs.FromFS(base)}}}})
			if err == nil && out.ExitCode != 0 {
				err = errors.New(string(out.Stderr))
			}
			if err == nil {
				_, err = rt.Replay(ctx, runtime.ReplaySpec{From: buf, Store: store})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// A session runs several programs on one clock and one tree, and replays as one.
func TestSession(t *testing.T) {
	rt, p := goProgram(t, "concurrent")
	sleepHere, err := rt.Compile(ctx, guests.Wasm("sleep"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.tape")
	s, err := rt.NewSession(ctx, runtime.Jar{Tape: path, Mounts: []runtime.Mount{{Guest: "/w"}}})
	require.NoError(t, err)
	one, err := s.Run(ctx, p, runtime.Spec{Args: []string{"/w/one"}})
	require.NoError(t, err)
	_, err = s.Run(ctx, sleepHere, runtime.Spec{Args: []string{"3600"}})
	require.NoError(t, err)
	require.NoError(t, s.Advance(time.Minute))
	two, err := s.Run(ctx, p, runtime.Spec{Args: []string{"/w/two"}})
	require.NoError(t, err)
	require.NotEqual(t, one.Stdout, two.Stdout, "the second guest has its own stream and a later clock")
	require.Greater(t, s.Elapsed(), time.Hour+time.Minute)
	_, err = s.Run(ctx, p, runtime.Spec{Jar: runtime.Jar{Seed: 1}})
	require.ErrorContains(t, err, "Spec.Jar")
	report, err := s.Finalize()
	require.NoError(t, err)
	require.Len(t, report.Changes, 2)
	require.Zero(t, report.RealReads)
	same, err := s.Finalize()
	require.NoError(t, err)
	require.Same(t, report, same)
	require.NoError(t, errors.Join(s.Close(), s.Close()))
	_, err = s.Run(ctx, p, runtime.Spec{})
	require.ErrorIs(t, err, runtime.ErrClosed)

	outs, err := rt.Replay(ctx, runtime.ReplaySpec{Tape: path})
	require.NoError(t, err)
	require.Len(t, outs, 3)
	require.Equal(t, two.Stdout, outs[2].Stdout)
}

func TestAnotherProgramIsADivergence(t *testing.T) {
	rt, p := program(t, "env")
	other, err := rt.Compile(ctx, guests.Wasm("sleep"))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.tape")
	_, err = p.Run(ctx, runtime.Spec{Stdin: strings.NewReader("x"), Jar: runtime.Jar{Tape: path}})
	require.NoError(t, err)
	_, err = rt.Replay(ctx, runtime.ReplaySpec{Tape: path, Program: other})
	var diverged *tape.DivergenceError
	require.ErrorAs(t, err, &diverged)
	require.Equal(t, "program", diverged.Kind)
	_, err = rt.Verify(ctx, runtime.ReplaySpec{Tape: path, Stdin: strings.NewReader("y")})
	require.ErrorAs(t, err, &diverged)
	_, err = rt.Verify(ctx, runtime.ReplaySpec{Tape: path, Stdin: strings.NewReader("x")})
	require.NoError(t, err)
	_, err = rt.Replay(ctx, runtime.ReplaySpec{Tape: path + "x"})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// touchy changes a base file when the guest writes for the first time.
type touchy struct {
	file string
	t    *testing.T
}

func (w touchy) Write(p []byte) (int, error) {
	require.NoError(w.t, os.WriteFile(w.file, []byte("changed behind its back\n"), 0o644))
	return len(p), nil
}

func TestABaseThatChangesIsNamed(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), bytes.Repeat([]byte("x"), 64<<20), 0o644))
	_, p := program(t, "read64")
	base, err := vfs.Dir(dir)
	require.NoError(t, err)
	defer base.Close()
	_, err = p.Run(ctx, runtime.Spec{Jar: runtime.Jar{Mounts: []runtime.Mount{{Base: &changingBase{Base: base, t: t, dir: dir}}}}})
	require.ErrorIs(t, err, vfs.ErrBaseChanged)
	require.ErrorContains(t, err, "in")
}

// changingBase changes the file after a few reads.
type changingBase struct {
	vfs.Base
	t     *testing.T
	dir   string
	reads int
}

func (b *changingBase) Read(name string, info vfs.Info, off int64, n int) (*cas.Blob, error) {
	if b.reads++; b.reads == 5 {
		_, _ = touchy{file: filepath.Join(b.dir, "in"), t: b.t}.Write(nil)
	}
	return b.Base.Read(name, info, off, n)
}

func TestARealClockIsRecorded(t *testing.T) {
	rt, p := goProgram(t, "concurrent")
	store, buf := cas.NewMem(), new(bytes.Buffer)
	out, err := p.Run(ctx, runtime.Spec{Jar: runtime.Jar{Clock: runtime.Clock{Real: true}, TapeTo: buf, Store: store}})
	require.NoError(t, err)
	require.NotZero(t, out.Report.RealReads)
	outs, err := rt.Replay(ctx, runtime.ReplaySpec{From: buf, Store: store})
	require.NoError(t, err)
	require.Equal(t, out.Stdout, outs[0].Stdout)
}
