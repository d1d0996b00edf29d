package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed48025506/belljar/runtime"
)

// liveFlags is what a run beside a tape is given anew.
type liveFlags struct {
	mounts []runtime.Mount
	stdin  bool
}

func (f *liveFlags) register(fl *pflag.FlagSet) {
	fl.Var(dirFlag{to: &f.mounts}, "dir", "directory, as when recording (those of --dir-ro too); may be repeated")
	fl.BoolVar(&f.stdin, "stdin", false, "let the guest read standard input, as when recording")
}

// fill gives a replay what the flags name.
func (f *liveFlags) fill(a *app, spec *runtime.ReplaySpec) {
	spec.Mounts = f.mounts
	if f.stdin {
		spec.Stdin = a.stdin
	}
}

func (a *app) verifyCmd() *cobra.Command {
	var timeout time.Duration
	var live liveFlags
	cmd := &cobra.Command{
		Use:   "verify TAPE",
		Short: "Run live beside a tape and compare every answer from outside",
		Long: `Runs the program of a tape live, with its directories and its input given anew, and compares
all that comes from outside with the tape. Exit status 2 and one line: they differ.`,
		Args: oneTape,
		RunE: func(_ *cobra.Command, args []string) error {
			spec := runtime.ReplaySpec{Tape: args[0], Stdout: a.stdout, Stderr: a.stderr, Timeout: timeout}
			live.fill(a, &spec)
			return a.again((*runtime.Runtime).Verify, spec)
		},
	}
	live.register(cmd.Flags())
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "end the guest after this much real time")
	return cmd
}
