package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/runtime"
)

func (a *app) replayCmd() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "replay TAPE",
		Short: "Run what is on a tape again, from the tape and its store alone",
		Long: `Runs what is on a tape again. Nothing is asked of the outside: the program, its files and its
input come from TAPE and the folder TAPE.cas. Output and exit status are those of the recorded run.`,
		Args: oneTape,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.again((*runtime.Runtime).Replay, runtime.ReplaySpec{
				Tape: args[0], Stdout: a.stdout, Stderr: a.stderr, Timeout: timeout})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "end the guest after this much real time")
	return cmd
}

// playFunc is Runtime.Replay or Runtime.Verify.
type playFunc func(*runtime.Runtime, context.Context, runtime.ReplaySpec) ([]runtime.Outcome, error)

// again plays a tape and takes over the exit status of its last program.
func (a *app) again(play playFunc, spec runtime.ReplaySpec) error {
	return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
		outs, err := play(rt, ctx, spec)
		if err == nil && len(outs) > 0 {
			a.exit(outs[len(outs)-1].ExitCode)
		}
		return err
	})
}
