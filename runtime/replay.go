package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/vfs"
)

// ReplaySpec says which tape to run again, and where its output goes.
type ReplaySpec struct {
	// Tape is the path of the tape.
	Tape string
	// From is the tape instead of a file. Store must then be set.
	From io.Reader
	// Store holds the tape's payloads. Nil: the folder Tape + ".cas".
	Store cas.Store
	// Program is the program to run. Nil: the one whose bytes are in the
	// store. Another program than the recorded one is a divergence.
	Program *Program
	// Stdout and Stderr receive what the guests write. Nil: it is kept in the
	// outcomes.
	Stdout, Stderr io.Writer
	// Timeout bounds each run in real time. 0: none.
	Timeout time.Duration
	// Stdin is what a verified guest reads. Replay leaves it alone.
	Stdin io.Reader
	// Mounts are what a verified session sees, with the guest paths of the
	// recorded one. Replay leaves them alone. Nothing else is taken from
	// outside: clock, seed, arguments and environment come from the tape.
	Mounts []Mount
}

// Replay runs all that is on a tape again, from the tape and its store alone,
// and checks that the same happens: every exit code, both output streams, the
// final tree and the rolling sum. It returns an outcome for each run; the last
// holds the Report. A difference is a *tape.DivergenceError. A trap on the
// tape is an Outcome here as it was there, and its *TrapError is the error.
func (r *Runtime) Replay(ctx context.Context, spec ReplaySpec) ([]Outcome, error) {
	spec.Stdin, spec.Mounts = nil, nil
	return r.again(ctx, spec, (*tape.Tape).Replay)
}

// Verify runs all that is on a tape again, live, and compares: every answer
// from outside with the one on the tape, and all that Replay checks.
func (r *Runtime) Verify(ctx context.Context, spec ReplaySpec) ([]Outcome, error) {
	return r.again(ctx, spec, (*tape.Tape).Verify)
}

type deckFunc func(*tape.Tape, cas.Store) (*tape.Deck, error)

func (r *Runtime) again(ctx context.Context, spec ReplaySpec, play deckFunc) ([]Outcome, error) {
	t, store, err := openTape(spec)
	if err != nil {
		return nil, err
	}
	deck, err := play(t, store)
	if err != nil {
		return nil, err
	}
	jar, err := jarOf(t.Header(), deck.Mode(), spec.Mounts)
	if err != nil {
		return nil, err
	}
	s, err := r.newSession(jar, &recording{deck: deck, store: store, path: spec.Tape})
	if err != nil {
		return nil, err
	}
	p := &player{rt: r, session: s, spec: spec, store: store, programs: map[cas.Digest]*Program{}}
	outs, err := p.play(ctx, t.Steps())
	report, ferr := s.Finalize()
	if len(outs) > 0 {
		outs[len(outs)-1].Report = report
	}
	return outs, flatten(errors.Join(err, ferr, s.release()))
}

func openTape(spec ReplaySpec) (*tape.Tape, cas.Store, error) {
	from, store := spec.From, guardStore(spec.Store)
	switch {
	case from != nil && spec.Tape != "":
		return nil, nil, errors.New("runtime: both Tape and From are set; set one")
	case from == nil && spec.Tape == "":
		return nil, nil, errors.New("runtime: no tape: set Tape to its path")
	case from != nil && store == nil:
		return nil, nil, errors.New("runtime: From is set but no Store; set Store, where payloads are")
	}
	if from == nil {
		f, err := os.Open(spec.Tape)
		if err != nil {
			return nil, nil, fmt.Errorf("runtime: tape: %w", err)
		}
		defer f.Close()
		from = f
	}
	if store == nil {
		dir, err := cas.OpenDir(spec.Tape + StoreSuffix)
		if err != nil {
			return nil, nil, err
		}
		store = dir
	}
	t, err := tape.Open(from)
	if err != nil && spec.Tape != "" {
		err = fmt.Errorf("%s: %w", spec.Tape, err)
	}
	return t, store, err
}

// jarOf rebuilds the jar that a tape was recorded in. When verifying, the
// mounts are the live ones; when replaying, trees that answer nothing.
func jarOf(h tape.Header, mode tape.Mode, live []Mount) (Jar, error) {
	jar := Jar{Seed: h.Seed, CanonicalNaN: h.NaN, Clock: Clock{
		Real: h.Clock.Real, Tick: time.Duration(h.Clock.Tick), NoStep: h.Clock.NoStep,
	}}
	if h.Clock.Start != 0 {
		jar.Clock.Start = time.Unix(0, h.Clock.Start)
	}
	byGuest := map[string]Mount{}
	for _, m := range live {
		byGuest[guestPath(m)] = m
	}
	for _, m := range h.Mounts {
		mount := Mount{Guest: m.Guest, ReadOnly: m.ReadOnly}
		if l, ok := byGuest[m.Guest]; ok {
			mount.Host, mount.Base = l.Host, l.Base
			delete(byGuest, m.Guest)
		} else if !m.Empty {
			if mode == tape.Verifying {
				return Jar{}, fmt.Errorf("runtime: the tape was recorded with a tree at %s; verifying needs one there: give it as a mount, or replay instead", m.Guest)
			}
			mount.Base = vfs.Absent()
		}
		jar.Mounts = append(jar.Mounts, mount)
	}
	for guest := range byGuest {
		return Jar{}, fmt.Errorf("runtime: a tree is given for %s, but the tape was recorded with none there", guest)
	}
	return jar, nil
}

// player drives a session through the steps of a tape.
type player struct {
	rt       *Runtime
	session  *Session
	spec     ReplaySpec
	store    cas.Store
	programs map[cas.Digest]*Program // by what the tape asks for
}

// play returns the first error that the tape does not hold itself. The errors
// that are on the tape, such as traps, are returned after all steps are done.
func (p *player) play(ctx context.Context, steps []tape.Step) ([]Outcome, error) {
	var outs []Outcome
	var taped error
	for _, step := range steps {
		if step.Run == nil {
			if err := p.session.Advance(time.Duration(step.Advance)); err != nil {
				return outs, err
			}
			continue
		}
		out, err := p.run(ctx, *step.Run)
		outs = append(outs, out)
		if err != nil && !replayable(err) {
			return outs, err
		}
		taped = errors.Join(taped, err)
	}
	return outs, taped
}

func (p *player) run(ctx context.Context, rec tape.Run) (Outcome, error) {
	prog, err := p.program(ctx, rec.Program)
	if err != nil {
		return Outcome{}, err
	}
	spec := Spec{
		Env: rec.Env, MaxMemory: rec.Limits.Memory, Fuel: rec.Limits.Fuel,
		MaxOutput: rec.Limits.Output, MaxCalls: rec.Limits.Calls,
		MaxElapsed: time.Duration(rec.Limits.Elapsed), MaxDescriptors: int(min(rec.Limits.Descriptors, math.MaxInt32)),
		Stdout: p.spec.Stdout, Stderr: p.spec.Stderr, Timeout: p.spec.Timeout,
	}
	if len(rec.Args) > 0 {
		spec.Name, spec.Args = rec.Args[0], rec.Args[1:]
	}
	if rec.HasStdin {
		spec.Stdin = p.spec.Stdin
		if spec.Stdin == nil {
			spec.Stdin = noStdin{}
		}
	}
	return p.session.Run(ctx, prog, spec)
}

// program finds the code for a run: what the caller gave, else the store's.
func (p *player) program(ctx context.Context, want cas.Digest) (*Program, error) {
	if p.spec.Program != nil {
		return p.spec.Program, nil
	}
	if prog := p.programs[want]; prog != nil {
		return prog, nil
	}
	wasm, err := p.store.Get(want)
	if err != nil {
		return nil, fmt.Errorf("runtime: the program %s of the tape: %w; give the program itself", want.Short(), err)
	}
	prog, err := p.rt.Compile(ctx, wasm)
	if err == nil {
		p.programs[want] = prog
	}
	return prog, err
}

// noStdin stands for an input that is on the tape, not here.
type noStdin struct{}

func (noStdin) Read([]byte) (int, error) {
	return 0, errors.New("runtime: the guest reads standard input, and none is given; give the input that was recorded")
}
