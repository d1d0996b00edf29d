package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/choice"
	"github.com/seed48025506/belljar/vclock"
	"github.com/seed48025506/belljar/vfs"
)

// Session is one clock, one tree, one seed and one tape, in which programs run
// one after another. Its methods may be called from any goroutine; they take
// turns. Close it when done.
type Session struct {
	rt    *Runtime
	clock *vclock.Clock
	tree  *vfs.FS
	seed  choice.Seed
	rec   *recording
	nan   bool // programs have canonical NaNs only

	mu       sync.Mutex // the baton: held while a program runs; guards what follows
	mounts   []mounted
	opened   []vfs.Base // host directories, ours to close
	guests   uint64     // how many programs have run
	current  aborter
	broken   error // what made the session unfit to go on
	report   *Report
	finalErr error
	closed   bool
}

// aborter stops the guest that is running.
type aborter interface{ Abort(err error) }

// NewSession opens a session. It reads nothing of the mounts yet; it fails
// where a host directory, the tape or the clock's settings are no good.
func (r *Runtime) NewSession(ctx context.Context, jar Jar) (*Session, error) {
	if err := r.alive(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rec, err := openRecording(jar)
	if err != nil {
		return nil, err
	}
	return r.newSession(jar, rec)
}

// newSession builds a session around a deck that records, replays or verifies.
func (r *Runtime) newSession(jar Jar, rec *recording) (*Session, error) {
	s := &Session{rt: r, seed: choice.Seed(jar.Seed), rec: rec, nan: jar.CanonicalNaN}
	rec.deck.SetFailed(s.fail)
	var err error
	s.clock, err = vclock.New(vclock.Config{
		Real: jar.Clock.Real, Start: jar.Clock.Start, Tick: jar.Clock.Tick,
		NoStep: jar.Clock.NoStep, Deck: rec.deck,
	})
	if err != nil {
		return nil, errors.Join(err, rec.close())
	}
	s.tree = vfs.New(vfs.Config{Now: s.now(), Deck: rec.deck, Fault: s.fail})
	if s.mounts, err = mountAll(s.tree, jar.Mounts, r.filesFor(rec.deck), &s.opened); err != nil {
		return nil, errors.Join(err, s.closeBases(), rec.close())
	}
	return s, nil
}

// now is the clock for file times: a real clock under a tape stands for it
// with its start, since host time in the tree would not replay.
func (s *Session) now() func() int64 {
	if s.clock.Real() && s.rec.deck.Mode() != tape.Off {
		return func() int64 { return vclock.DefaultStart.UnixNano() }
	}
	return s.clock.Now
}

// fail is told of errors below that must end the run: a divergence, a base
// that changed, a store that cannot be read. It is called with the baton held.
func (s *Session) fail(err error) {
	if s.broken == nil {
		s.broken = err
	}
	if s.current != nil {
		s.current.Abort(err)
	}
}

// Tree returns the session's tree. It is safe to read while no program runs.
// In a recorded session it must not be written from the host: what the host
// puts there is not on the tape. Hand it over as a Mount's Base instead.
func (s *Session) Tree() *vfs.FS { return s.tree }

// Elapsed is the session's age on its own clock.
func (s *Session) Elapsed() time.Duration { return s.clock.Elapsed() }

// Advance moves virtual time forward by d between runs. It is on the tape.
func (s *Session) Advance(d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if s.clock.Real() {
		return vclock.ErrRealAdvance
	}
	if d < 0 {
		return s.clock.Advance(d)
	}
	if err := s.rec.deck.Advance(int64(d)); err != nil {
		return err
	}
	return s.clock.Advance(d)
}

// usable must be called with s.mu held.
func (s *Session) usable() error {
	switch {
	case s.closed || s.report != nil || s.finalErr != nil:
		return fmt.Errorf("session is over: %w", ErrClosed)
	case s.broken != nil:
		return fmt.Errorf("runtime: the session cannot go on after: %w", s.broken)
	}
	return nil
}

// Finalize ends the session and returns what it leaves. It is idempotent;
// Close without it leaves a tape that says that it is incomplete.
func (s *Session) Finalize() (*Report, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report != nil || s.finalErr != nil {
		return s.report, s.finalErr
	}
	if s.closed {
		return nil, ErrClosed
	}
	s.report, s.finalErr = s.finalize()
	return s.report, s.finalErr
}

func (s *Session) finalize() (*Report, error) {
	if s.broken != nil {
		// The run that broke has returned the error; the tape stays without
		// an end, so that nobody takes it for a whole one.
		return s.summary(nil), s.rec.close()
	}
	if s.rec.deck.Mode() != tape.Off {
		digest, err := s.tree.Digest()
		if err != nil {
			return nil, errors.Join(err, s.rec.close())
		}
		if err := s.rec.finish(digest); err != nil {
			return nil, errors.Join(err, s.rec.close())
		}
	}
	s.tree.Detach()
	changes, err := s.tree.Changes()
	return s.summary(changes), errors.Join(err, s.rec.close())
}

func (s *Session) summary(changes []vfs.Change) *Report {
	return &Report{
		Tree: s.tree, Changes: changes,
		Tape: s.rec.path, TapeBytes: s.rec.size(),
		Records: s.rec.deck.Records(), Events: s.rec.deck.Events(), Sum: s.rec.deck.Sum(),
		RealReads: s.clock.RealReads(), Elapsed: s.clock.Elapsed(),
	}
}

// Close gives back files and host directories. It is idempotent. What of the
// Report was not read until then may be out of reach: content that lies in a
// host directory and that no program has read.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.release(), s.closeBases())
}

// release ends the session but leaves its host directories open, for the
// Report: they are closed when nothing leads to its tree any more.
func (s *Session) release() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.rec.close()
}

func (s *Session) closeBases() error {
	var errs []error
	for _, b := range s.opened {
		errs = append(errs, b.Close())
	}
	s.opened = nil
	return errors.Join(errs...)
}
