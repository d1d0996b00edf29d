package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

// diffFlags is what `belljar diff` takes.
type diffFlags struct {
	live    liveFlags
	summary bool
	under   string
	timeout time.Duration
}

func (a *app) diffCmd() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff TAPE",
		Short: "Print what the run on a tape changed, as a patch for git apply",
		Long: `Replays a tape without its output and prints what its programs changed, as a patch for git apply.

A tape holds what the programs read, not what they overwrote or deleted unread. Where the patch
needs that, name the directories with --dir, as they were: the run is then verified against them.`,
		Args: oneTape,
		RunE: func(_ *cobra.Command, args []string) error { return a.diff(f, args[0]) },
	}
	fl := cmd.Flags()
	f.live.register(fl)
	fl.BoolVar(&f.summary, "summary", false, "one line for each path instead")
	fl.StringVar(&f.under, "under", "/", "only what lies below this guest path, with paths from there")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the guest after this much real time")
	return cmd
}

func (a *app) diff(f diffFlags, tape string) error {
	spec := runtime.ReplaySpec{Tape: tape, Stdout: io.Discard, Stderr: io.Discard, Timeout: f.timeout}
	f.live.fill(a, &spec)
	play := playFunc((*runtime.Runtime).Replay)
	if len(f.live.mounts) > 0 || f.live.stdin {
		play = (*runtime.Runtime).Verify
	}
	return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
		outs, err := play(rt, ctx, spec)
		if err != nil && !guestEnd(cause(err)) {
			return err
		}
		if len(outs) == 0 || outs[len(outs)-1].Report == nil {
			return err
		}
		changes := below(outs[len(outs)-1].Report.Changes, f.under)
		if f.summary {
			return vfs.Summary(a.stdout, changes)
		}
		return vfs.Patch(a.stdout, changes)
	})
}
