package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/runtime"
)

// runFlags is what `belljar run` takes.
type runFlags struct {
	clock, startAt string
	tick           time.Duration
	noStep         bool
	seed           uint64
	nan            bool
	env            []string
	mounts         []runtime.Mount
	stdin          bool
	tape, emitDiff string
	apply          bool
	timeout        time.Duration
	argv0          string
	limits         limitFlags
}

func (a *app) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] PROG.wasm [--] [ARG...]",
		Short: "Run a WASI program under glass",
		Long: `Runs a WASI preview 1 program. It sees no files, no environment, no input, no network and
no host time unless a flag says so; standard input, too, stays outside without --stdin. What it
writes below --dir stays in memory: --emit-diff shows it, --apply writes it back.

A tape inside a --dir is part of what the guest sees, so the run cannot be verified afterwards:
keep the tape elsewhere.`,
		Args: oneProgram,
		RunE: func(_ *cobra.Command, args []string) error { return a.run(f, args) },
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false) // what follows the program is the program's
	fl.StringVar(&f.clock, "clock", "virtual", "virtual or real time")
	fl.StringVar(&f.startAt, "start-at", "", "virtual wall time at the start, RFC 3339 (default 2026-01-01T00:00:00Z)")
	fl.DurationVar(&f.tick, "tick", 0, "virtual time that passes at every clock read")
	fl.BoolVar(&f.noStep, "no-step", false, "do not let virtual time step for guests that wait by spinning")
	fl.BoolVar(&f.nan, "canonical-nan", false, "the same NaN bits on every processor")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of all randomness")
	fl.StringArrayVar(&f.env, "env", nil, "NAME=VALUE, or NAME for the host's value; may be repeated")
	fl.Var(dirFlag{to: &f.mounts}, "dir", "directory, copy-on-write, at GUEST (default /); may be repeated")
	fl.Var(dirFlag{to: &f.mounts, readOnly: true}, "dir-ro", "the same, but the guest cannot change it")
	fl.BoolVar(&f.stdin, "stdin", false, "let the guest read standard input")
	fl.StringVar(&f.tape, "tape", "", "record to this file, with payloads in FILE.cas")
	fl.StringVar(&f.emitDiff, "emit-diff", "", "write what changed to this file, as a patch for git apply")
	fl.BoolVar(&f.apply, "apply", false, "write what changed back to the --dir directories, if the guest exits with 0")
	f.limits.register(fl)
	fl.DurationVar(&f.timeout, "timeout", 0, "end the guest after this much real time")
	fl.StringVar(&f.argv0, "argv0", "", "the guest's argv[0] (default: the file's name)")
	return cmd
}

func (a *app) run(f runFlags, args []string) error {
	spec, err := f.spec(a, args)
	if err != nil {
		return err
	}
	wasm, err := readProgram(args[0])
	if err != nil {
		return err
	}
	return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
		prog, err := rt.Compile(ctx, wasm)
		if err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		out, err := prog.Run(ctx, spec)
		if out.Report != nil && f.emitDiff != "" {
			err = errors.Join(err, writePatch(f.emitDiff, out.Report.Changes, spec.Jar.Mounts))
		}
		if err != nil {
			return err
		}
		a.exit(out.ExitCode)
		if f.apply && out.ExitCode == 0 {
			return applyAll(out.Report.Changes, spec.Jar.Mounts)
		}
		return nil
	})
}

// spec turns flags into a run. Where the flags contradict each other nothing
// has been touched yet.
func (f runFlags) spec(a *app, args []string) (runtime.Spec, error) {
	spec := runtime.Spec{Name: f.argv0, Args: args[1:], Stdout: a.stdout, Stderr: a.stderr, Timeout: f.timeout}
	if len(spec.Args) > 0 && spec.Args[0] == "--" {
		spec.Args = spec.Args[1:]
	}
	if spec.Name == "" {
		spec.Name = filepath.Base(args[0])
	}
	if f.stdin {
		spec.Stdin = a.stdin
	}
	if err := f.check(); err != nil {
		return spec, err
	}
	var err error
	if spec.Env, err = envFlags(f.env); err != nil {
		return spec, err
	}
	spec.Jar = runtime.Jar{Seed: f.seed, CanonicalNaN: f.nan, Tape: f.tape, Mounts: f.mounts}
	if err := f.limits.fill(&spec); err != nil {
		return spec, err
	}
	spec.Jar.Clock, err = clockFlags(f.clock, f.startAt, f.tick, f.noStep)
	return spec, err
}

// check finds what is wrong with the flags by themselves. A place for the
// patch is looked for now: after the run it would be too late.
func (f runFlags) check() error {
	switch {
	case f.apply && !slices.ContainsFunc(f.mounts, func(m runtime.Mount) bool { return !m.ReadOnly }):
		return errors.New("--apply: there is nothing to write back to; name a --dir")
	case f.timeout < 0:
		return fmt.Errorf("--timeout %v: it is negative; leave it out for none", f.timeout)
	case f.emitDiff == "":
		return nil
	case f.emitDiff == f.tape:
		return fmt.Errorf("--emit-diff %s: it is the tape; name another file", f.emitDiff)
	}
	return checkPatchFile(f.emitDiff)
}
