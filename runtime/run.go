package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/hostfns"
	"github.com/seed48025506/belljar/internal/choice"
)

// Run runs one program in the session and waits for its end. A second call
// waits for the first. After a trap the session can go on; after a
// divergence, a changed base or an interrupted run it cannot, and says so.
func (s *Session) Run(ctx context.Context, p *Program, spec Spec) (Outcome, error) {
	if err := spec.check(); err != nil {
		return Outcome{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return Outcome{}, err
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if spec.MaxElapsed > 0 && s.clock.Real() {
		return Outcome{}, errors.New("runtime: MaxElapsed is set, but the session has a real clock; use Timeout")
	}
	run := &run{session: s, program: p, spec: spec}
	out, err := run.do(ctx)
	if err != nil && s.broken == nil && !replayable(err) {
		s.broken = err
	}
	return out, err
}

// replayable errors are part of a run as its exit code is.
func replayable(err error) bool {
	var trap *TrapError
	var limit *LimitError
	var module *ModuleError
	return errors.As(err, &trap) || errors.As(err, &module) ||
		errors.As(err, &limit) && limit.Limit != LimitTimeout && limit.Limit != LimitTape
}

func (spec *Spec) check() error {
	j := &spec.Jar
	if j.Clock != (Clock{}) || j.Seed != 0 || len(j.Mounts) > 0 || j.Tape != "" || j.TapeTo != nil || j.Store != nil || j.MaxTape != 0 || j.CanonicalNaN {
		return errors.New("runtime: Spec.Jar is set, but the session has a jar already; leave it zero in Session.Run")
	}
	if spec.Name == "" {
		spec.Name = "program"
	}
	if spec.MaxMemory == 0 {
		spec.MaxMemory = DefaultMaxMemory
	}
	if spec.MaxMemory > maxMaxMemory {
		return fmt.Errorf("runtime: MaxMemory %d is more than WebAssembly can address; at most %d", spec.MaxMemory, uint64(maxMaxMemory))
	}
	if spec.MaxElapsed < 0 || spec.MaxDescriptors < 0 || spec.MaxDescriptors > math.MaxInt32 {
		return fmt.Errorf("runtime: MaxElapsed %v or MaxDescriptors %d is out of range; 0 means no limit of its own", spec.MaxElapsed, spec.MaxDescriptors)
	}
	if spec.Timeout < 0 {
		return fmt.Errorf("runtime: Timeout %v is negative; 0 means none", spec.Timeout)
	}
	return nil
}

// run is one program's stay in a session.
type run struct {
	session *Session
	program *Program
	spec    Spec

	stdout, stderr *output
	guest          *hostfns.Guest
	usage          Usage
}

func (r *run) do(ctx context.Context) (Outcome, error) {
	s := r.session
	if r.spec.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.spec.Timeout, &LimitError{
			Limit: LimitTimeout, Err: context.DeadlineExceeded,
			Text: fmt.Sprintf("the guest was stopped after %v of real time; give it more, or look for a loop", r.spec.Timeout),
		})
		defer cancel()
	}
	mod, err := r.program.module(ctx, s.nan)
	if err != nil {
		return Outcome{}, err
	}
	began := s.clock.Elapsed()
	if err := r.begin(ctx); err != nil {
		return Outcome{}, err
	}
	err = r.execute(ctx, mod)
	out := r.outcome(began)
	if err == nil || replayable(err) {
		err = errors.Join(err, s.rec.deck.EndRun(r.end(out, err)))
	}
	return out, flatten(err)
}

// begin writes the run on the tape and makes its guest.
func (r *run) begin(ctx context.Context) error {
	s := r.session
	info, err := s.rec.runInfo(r.program, r.spec)
	if err != nil {
		return err
	}
	hash := s.rec.deck.Mode() != tape.Off
	r.stdout = newOutput(r.spec.Stdout, hash, r.spec.MaxOutput)
	r.stderr = newOutput(r.spec.Stderr, hash, r.spec.MaxOutput)
	guest, err := hostfns.NewGuest(hostfns.Config{
		Context:  ctx,
		Args:     append([]string{r.spec.Name}, r.spec.Args...),
		Env:      r.spec.Env,
		Stdin:    interruptibleReader(ctx, r.spec.Stdin),
		Stdout:   r.stdout,
		Stderr:   r.stderr,
		FS:       s.tree,
		Preopens: preopens(s.mounts),
		Clock:    s.clock,
		Random:   s.seed.Stream(s.guests, choice.Random),
		Deck:     s.rec.deck,
		MaxFDs:   r.spec.MaxDescriptors,
		MaxCalls: r.spec.MaxCalls,
		Deadline: r.deadline(),
	})
	if err != nil {
		return err
	}
	if err := s.rec.deck.BeginRun(info); err != nil {
		return errors.Join(err, guest.Close())
	}
	s.clock.Progress()
	s.guests++
	r.guest, s.current = guest, guest
	return nil
}

// execute runs the guest to its end and says what stopped it, if not itself.
func (r *run) execute(ctx context.Context, mod Module) error {
	defer func() {
		r.session.current = nil
		_ = r.guest.Close() // its files are in memory
	}()
	if need := mod.MinMemory(); need > r.spec.MaxMemory {
		return &LimitError{Limit: LimitMemory, Text: fmt.Sprintf(
			"the module asks for %d bytes of memory at its start, %d are allowed; raise MaxMemory", need, r.spec.MaxMemory)}
	}
	var err error
	r.usage, err = mod.Run(ctx, r.guest, Limits{Memory: r.spec.MaxMemory, Fuel: r.spec.Fuel})
	if _, _, aborted := r.guest.Result(); aborted != nil {
		err = aborted
	}
	return r.limited(err)
}

// limited gives an error that means a limit its type.
func (r *run) limited(err error) error {
	var limit *LimitError
	fail := func(name, format string, args ...any) error {
		return &LimitError{Limit: name, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &limit):
		return limit // whatever it came through
	case errors.Is(err, errFuel):
		return fail(LimitFuel, "the guest has used up its %d instructions; raise Fuel, or look for a loop", r.spec.Fuel)
	case errors.Is(err, hostfns.ErrCalls):
		return fail(LimitCalls, "the guest has made its %d calls of host functions; raise MaxCalls", r.spec.MaxCalls)
	case errors.Is(err, hostfns.ErrDeadline):
		return fail(LimitElapsed, "the guest would move virtual time beyond its %v; raise MaxElapsed", r.spec.MaxElapsed)
	}
	return err
}

// deadline is the last moment of the monotonic clock that the guest may reach.
func (r *run) deadline() int64 {
	if r.spec.MaxElapsed == 0 {
		return 0
	}
	now := int64(r.session.clock.Elapsed()) + 1
	return now + min(int64(r.spec.MaxElapsed), math.MaxInt64-now)
}

func (r *run) outcome(began time.Duration) Outcome {
	code, _, _ := r.guest.Result()
	return Outcome{
		ExitCode: code,
		Stdout:   r.stdout.captured(),
		Stderr:   r.stderr.captured(),
		Elapsed:  r.session.clock.Elapsed() - began,
		Fuel:     r.usage.Fuel,
	}
}

// flatten keeps a single error as it is, so that callers see its own text.
func flatten(err error) error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		if list := j.Unwrap(); len(list) == 1 {
			return list[0]
		}
	}
	return err
}
