package runtime

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
)

// StoreSuffix is added to a tape's path to name the folder of its payloads.
const StoreSuffix = ".cas"

// recording is a session's deck with what it writes to. Without a tape all
// but path and deck's zero values are unset.
type recording struct {
	deck  *tape.Deck // nil: no tape
	store cas.Store
	path  string
	file  *os.File      // the tape, if we opened it
	buf   *bufio.Writer // in front of the file or the embedder's writer
	count *countingWriter
	done  bool
}

// openRecording makes the recorder that a jar asks for, if any.
func openRecording(jar Jar) (*recording, error) {
	switch {
	case jar.Tape == "" && jar.TapeTo == nil:
		return &recording{store: guardStore(jar.Store)}, nil
	case jar.Tape != "" && jar.TapeTo != nil:
		return nil, errors.New("runtime: the jar has both Tape and TapeTo; set one")
	case jar.MaxTape < 0:
		return nil, fmt.Errorf("runtime: MaxTape %d is negative; 0 means no limit", jar.MaxTape)
	case jar.TapeTo != nil && jar.Store == nil:
		return nil, errors.New("runtime: the jar has TapeTo but no Store; set Store, where payloads go")
	}
	r := &recording{store: guardStore(jar.Store), path: jar.Tape}
	to := jar.TapeTo
	if r.store == nil {
		store, err := cas.OpenDir(jar.Tape + StoreSuffix)
		if err != nil {
			return nil, err
		}
		r.store = store
	}
	if to == nil {
		f, err := os.Create(jar.Tape)
		if err != nil {
			return nil, fmt.Errorf("runtime: tape: %w", err)
		}
		r.file, to = f, f
	}
	r.count = &countingWriter{to: to, limit: jar.MaxTape}
	r.buf = bufio.NewWriter(r.count)
	var err error
	r.deck, err = tape.Record(r.buf, r.store, header(jar))
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// header is what of a jar a replay must know.
func header(jar Jar) tape.Header {
	h := tape.Header{Seed: jar.Seed, NaN: jar.CanonicalNaN}
	h.Clock.Real = jar.Clock.Real
	h.Clock.Tick = int64(jar.Clock.Tick)
	h.Clock.NoStep = jar.Clock.NoStep
	if !jar.Clock.Start.IsZero() {
		h.Clock.Start = jar.Clock.Start.UnixNano()
	}
	for _, m := range jar.Mounts {
		h.Mounts = append(h.Mounts, tape.Mount{
			Guest:    guestPath(m),
			ReadOnly: m.ReadOnly,
			Empty:    m.Host == "" && m.Base == nil,
		})
	}
	return h
}

// runInfo is what the tape holds of a run before it begins. The program's
// bytes go to the store, so that the tape replays where the program is not.
func (r *recording) runInfo(p *Program, spec Spec) (tape.Run, error) {
	if r.deck.Mode() == tape.Recording {
		if err := r.keepProgram(p); err != nil {
			return tape.Run{}, fmt.Errorf("runtime: store the program: %w", err)
		}
	}
	return tape.Run{
		Program:  p.digest,
		Args:     append([]string{spec.Name}, spec.Args...),
		Env:      append([]string(nil), spec.Env...),
		HasStdin: spec.Stdin != nil,
		Limits: tape.Limits{
			Memory: spec.MaxMemory, Fuel: spec.Fuel, Output: spec.MaxOutput, Calls: spec.MaxCalls,
			Elapsed: int64(spec.MaxElapsed), Descriptors: uint64(spec.MaxDescriptors),
		},
	}, nil
}

func (r *recording) keepProgram(p *Program) error {
	if ok, err := r.store.Has(p.digest); ok || err != nil {
		return err
	}
	_, err := r.store.Put(p.wasm)
	return err
}

// end is what the tape holds of a run that has ended.
func (r *run) end(out Outcome, err error) tape.RunEnd {
	e := tape.RunEnd{
		ExitCode:    out.ExitCode,
		Stdout:      r.stdout.digest(),
		StdoutBytes: r.stdout.length,
		Stderr:      r.stderr.digest(),
		StderrBytes: r.stderr.length,
		Elapsed:     int64(out.Elapsed),
	}
	var trap *TrapError
	switch {
	case errors.As(err, &trap):
		e.Outcome = "trap: " + trap.Cause
	case err != nil:
		e.Outcome = err.Error()
	}
	return e
}

// finish writes or checks the end of the tape.
func (r *recording) finish(tree cas.Digest) error {
	if err := r.deck.Finish(tree); err != nil {
		return err
	}
	if r.buf == nil {
		return nil
	}
	if err := r.buf.Flush(); err != nil {
		return fmt.Errorf("runtime: write the tape: %w", err)
	}
	return nil
}

// close gives the file back; what was recorded is kept. It is idempotent.
func (r *recording) close() error {
	if r.done {
		return nil
	}
	r.done = true
	var errs []error
	if r.buf != nil {
		errs = append(errs, r.buf.Flush())
	}
	if r.file != nil {
		errs = append(errs, r.file.Close())
	}
	return errors.Join(errs...)
}

func (r *recording) size() int64 {
	if r.count == nil {
		return 0
	}
	return r.count.n
}

// countingWriter knows how long the tape is, and how long it may be.
type countingWriter struct {
	to    io.Writer
	n     int64
	limit int64 // 0: none
}

func (c *countingWriter) Write(p []byte) (int, error) {
	if c.limit > 0 && int64(len(p)) > c.limit-c.n {
		return 0, &LimitError{Limit: LimitTape, Text: fmt.Sprintf(
			"the tape would be longer than %d bytes; raise MaxTape", c.limit)}
	}
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}
