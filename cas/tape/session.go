package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/internal/codec"
)

// BeginRun tells that a program starts. In a replay it must be the tape's
// next, with the same arguments, environment and limits.
func (d *Deck) BeginRun(r Run) error {
	if d == nil {
		return nil
	}
	if d.mode == Recording {
		return d.putRun(r)
	}
	v, err := d.take(tagRun, func() string { return "began a program" })
	if err != nil {
		return err
	}
	want := v.(*Run)
	if want.Program != r.Program {
		return d.diverge("program", "program "+want.Program.String(), "program "+r.Program.String())
	}
	if i := differ(want.Args, r.Args); i >= 0 {
		return d.diverge("arguments", nth(want.Args, i), nth(r.Args, i))
	}
	if i := differ(want.Env, r.Env); i >= 0 {
		return d.diverge("environment", nth(want.Env, i), nth(r.Env, i))
	}
	return d.compare([]field{
		{"standard input", want.HasStdin, r.HasStdin},
		{"memory limit", want.Limits.Memory, r.Limits.Memory},
		{"fuel limit", want.Limits.Fuel, r.Limits.Fuel},
		{"output limit", want.Limits.Output, r.Limits.Output},
		{"call limit", want.Limits.Calls, r.Limits.Calls},
		{"time limit", want.Limits.Elapsed, r.Limits.Elapsed},
		{"descriptor limit", want.Limits.Descriptors, r.Limits.Descriptors},
	})
}

// putRun writes a run. A list that no reader takes is refused here.
func (d *Deck) putRun(r Run) error {
	if n := max(len(r.Args), len(r.Env)); n > codec.MaxElements {
		return d.fail(fmt.Errorf("tape: %d arguments or variables are over the limit of %d", n, codec.MaxElements))
	}
	if r.Args == nil {
		r.Args = []string{}
	}
	if r.Env == nil {
		r.Env = []string{}
	}
	return d.put(tagRun, r)
}

// differ returns the first place at which two lists differ, or -1.
func differ(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return i
		}
	}
	return -1
}

// nth says what a list has at a place.
func nth(list []string, i int) string {
	if i >= len(list) {
		return fmt.Sprintf("only %d", len(list))
	}
	return fmt.Sprintf("%s as number %d of %d", show([]byte(list[i])), i+1, len(list))
}

// field is one thing that must be equal.
type field struct {
	name      string
	want, got any
}

// compare fails the deck at the first field that differs.
func (d *Deck) compare(fields []field) error {
	for _, f := range fields {
		if f.want != f.got {
			return d.diverge(f.name, fmt.Sprint(f.want), fmt.Sprint(f.got))
		}
	}
	return nil
}

// EndRun tells how a program ended. In a replay it must have ended so before.
// Events and Sum of e are set here.
func (d *Deck) EndRun(e RunEnd) error {
	if d == nil {
		return nil
	}
	e.Events, e.Sum = d.events, d.sum
	if d.mode == Recording {
		return d.put(tagRunEnd, e)
	}
	v, err := d.take(tagRunEnd, func() string { return "ended its program" })
	if err != nil {
		return err
	}
	return d.compareRun(*v.(*RunEnd), e)
}

// compareRun begins with what a person would see and ends with the sum, which
// says least.
func (d *Deck) compareRun(want, e RunEnd) error {
	if d.tape.header.Clock.Real {
		e.Elapsed = want.Elapsed
	}
	if err := d.compare([]field{
		{"exit code", want.ExitCode, e.ExitCode},
		{"outcome", outcome(want.Outcome), outcome(e.Outcome)},
		{"standard output", long(want.StdoutBytes, want.Stdout), long(e.StdoutBytes, e.Stdout)},
		{"standard error", long(want.StderrBytes, want.Stderr), long(e.StderrBytes, e.Stderr)},
		{"virtual time", want.Elapsed, e.Elapsed},
		{"number of events", want.Events, e.Events},
	}); err != nil {
		return err
	}
	return d.compareSum("rolling sum", want.Sum)
}

func outcome(s string) string {
	if s == "" {
		return "an end of its own"
	}
	return s
}

// Advance tells that the host moved the session's clock by ns nanoseconds.
func (d *Deck) Advance(ns int64) error {
	if d == nil {
		return nil
	}
	if d.mode == Recording {
		return d.put(tagAdvance, ns)
	}
	v, err := d.take(tagAdvance, func() string { return fmt.Sprintf("had its clock advanced by %d ns", ns) })
	if err != nil {
		return err
	}
	return d.compare([]field{{"clock advance", *v.(*int64), ns}})
}
