package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

func (a *app) replayCmd() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "replay TAPE",
		Short: "Run what is on a tape again, from the tape and its store alone",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.again((*runtime.Runtime).Replay, runtime.ReplaySpec{
				Tape: args[0], Stdout: a.stdout, Stderr: a.stderr, Timeout: timeout})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "end the guest after this much real time")
	return cmd
}

func (a *app) verifyCmd() *cobra.Command {
	var timeout time.Duration
	var dirs []string
	var stdin bool
	cmd := &cobra.Command{
		Use:   "verify TAPE",
		Short: "Run live beside a tape and compare every answer from outside",
		Long: `Runs the program of a tape live, with its directories and its input given anew, and compares
all that comes from outside with the tape. Exit status 2 and one line: they differ.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			mounts, err := dirFlags(dirs)
			if err != nil {
				return err
			}
			spec := runtime.ReplaySpec{Tape: args[0], Mounts: mounts, Stdout: a.stdout, Stderr: a.stderr, Timeout: timeout}
			if stdin {
				spec.Stdin = a.stdin
			}
			return a.again((*runtime.Runtime).Verify, spec)
		},
	}
	cmd.Flags().StringArrayVar(&dirs, "dir", nil, "HOST[:GUEST] directory, as when recording; may be repeated")
	cmd.Flags().BoolVar(&stdin, "stdin", false, "let the guest read standard input, as when recording")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "end the guest after this much real time")
	return cmd
}

type replayFunc func(*runtime.Runtime, context.Context, runtime.ReplaySpec) ([]runtime.Outcome, error)

func (a *app) again(f replayFunc, spec runtime.ReplaySpec) error {
	return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
		outs, err := f(rt, ctx, spec)
		if err == nil && len(outs) > 0 {
			a.exit(outs[len(outs)-1].ExitCode)
		}
		return err
	})
}

func (a *app) diffCmd() *cobra.Command {
	var summary bool
	var under string
	cmd := &cobra.Command{
		Use:   "diff TAPE",
		Short: "Print what the run on a tape changed, as a patch for git apply",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
				outs, err := rt.Replay(ctx, runtime.ReplaySpec{Tape: args[0], Stdout: io.Discard, Stderr: io.Discard})
				if err != nil || len(outs) == 0 {
					return err
				}
				changes := below(outs[len(outs)-1].Report.Changes, under)
				if summary {
					return vfs.Summary(a.stdout, changes)
				}
				return vfs.Patch(a.stdout, changes)
			})
		},
	}
	cmd.Flags().BoolVar(&summary, "summary", false, "one line for each path instead")
	cmd.Flags().StringVar(&under, "under", "/", "only what lies below this guest path, with paths from there")
	return cmd
}
