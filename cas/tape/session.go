package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
)

// BeginRun tells that a program starts. In a replay it must be the tape's
// next, with the same arguments, environment and limits.
func (d *Deck) BeginRun(r Run) error {
	if d == nil {
		return nil
	}
	if d.mode == Recording {
		return d.put(tagRun, r)
	}
	var want Run
	if err := d.take(tagRun, &want); err != nil {
		return err
	}
	for _, f := range []field{
		{"program", want.Program, r.Program},
		{"arguments", fmt.Sprintf("%q", want.Args), fmt.Sprintf("%q", r.Args)},
		{"environment", fmt.Sprintf("%q", want.Env), fmt.Sprintf("%q", r.Env)},
		{"standard input", want.HasStdin, r.HasStdin},
		{"memory limit", want.MaxMemory, r.MaxMemory},
	} {
		if f.want != f.got {
			return d.diverge(f.name, f.want, f.got)
		}
	}
	return nil
}

// field is one thing that must be equal.
type field struct {
	name      string
	want, got any
}

// EndRun tells how a program ended. In a replay it must have ended so before.
func (d *Deck) EndRun(e RunEnd) error {
	if d == nil {
		return nil
	}
	if d.err != nil {
		return d.err
	}
	if d.mode == Recording {
		return d.put(tagRunEnd, e)
	}
	var want RunEnd
	if err := d.take(tagRunEnd, &want); err != nil {
		return err
	}
	for _, f := range []field{
		{"exit code", want.ExitCode, e.ExitCode},
		{"outcome", want.Outcome, e.Outcome},
		{"standard output", stream(want.StdoutBytes, want.Stdout), stream(e.StdoutBytes, e.Stdout)},
		{"standard error", stream(want.StderrBytes, want.Stderr), stream(e.StderrBytes, e.Stderr)},
		{"virtual time", want.Elapsed, e.Elapsed},
	} {
		if f.want != f.got && !(f.name == "virtual time" && d.tape.header.Clock.Real) {
			return d.diverge(f.name, f.want, f.got)
		}
	}
	return nil
}

func stream(n uint64, d cas.Digest) string {
	return fmt.Sprintf("%d bytes with digest %s", n, d.Short())
}

// Advance tells that the host moved the session's clock by ns nanoseconds.
func (d *Deck) Advance(ns int64) error {
	if d == nil {
		return nil
	}
	if d.mode == Recording {
		return d.put(tagAdvance, ns)
	}
	var want int64
	if err := d.take(tagAdvance, &want); err != nil {
		return err
	}
	if want != ns {
		return d.diverge("clock advance", want, ns)
	}
	return nil
}

// Finish ends the session with the digest of what became of its tree.
// Recording, it writes the end; otherwise the tape must be at its end too, and
// end in the same way: records left over are an error.
func (d *Deck) Finish(tree cas.Digest) error {
	if d == nil {
		return nil
	}
	if d.err != nil {
		return d.err
	}
	e := End{Records: d.records, Events: d.events, Sum: d.sum, Tree: tree}
	if d.mode == Recording {
		if err := d.put(tagEnd, e); err != nil {
			return err
		}
		d.out.flush()
		if d.out.err != nil {
			return d.fail(d.out.err)
		}
		return nil
	}
	return d.compareEnd(e)
}

func (d *Deck) compareEnd(e End) error {
	left := len(d.tape.records) - d.at - 1
	var want End
	if err := d.takeOr(tagEnd, &want, func() string {
		return fmt.Sprintf("ended, with %d record(s) left over", left)
	}); err != nil {
		return err
	}
	for _, f := range []field{
		{"number of events", want.Events, e.Events},
		{"rolling sum", fmt.Sprintf("%016x", want.Sum), fmt.Sprintf("%016x", e.Sum)},
		{"final tree", want.Tree, e.Tree},
	} {
		if f.want != f.got {
			return d.diverge(f.name, f.want, f.got)
		}
	}
	return nil
}
