package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
	"github.com/seed48025506/belljar/vfs"
)

func (a *app) demoCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Watch a program run under glass: record, replay, verify, diverge",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.withRuntime(func(ctx context.Context, rt *runtime.Runtime) error {
				d := &demo{app: a, rt: rt}
				return d.run(ctx)
			})
		},
	}
}

// demoTree is what the demo's guest sees. A map is as good as a directory.
func demoTree() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text), Mode: 0o644} }
	return fstest.MapFS{
		"greeting.txt": file("Hello from outside the jar.\n"),
		"old.txt":      file("to be forgotten\n"),
		"untouched":    file("nobody reads this\n"),
	}
}

type demo struct {
	app  *app
	rt   *runtime.Runtime
	tape string
	out  runtime.Outcome
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.app.stdout, format+"\n", args...) }

// quote prints text as it is, set in.
func (d *demo) quote(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(d.app.stdout, "    %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// run shows each step and fails where one does not hold.
func (d *demo) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "belljar-demo")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d.tape = filepath.Join(dir, "run.tape")
	for _, step := range []func(context.Context) error{d.record, d.diff, d.replay, d.verify, d.diverge} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	d.say("\nAll of it held. The guest is guests/demo/demo.c.")
	return nil
}

func mounts(tree fstest.MapFS) []runtime.Mount {
	return []runtime.Mount{{Base: vfs.FromFS(tree), Guest: "/work"}}
}

func (d *demo) record(ctx context.Context) error {
	d.say("1. A program that sleeps 24 hours runs under glass, and is recorded.\n")
	prog, err := d.rt.Compile(ctx, guests.Wasm("demo"))
	if err != nil {
		return err
	}
	start := time.Now()
	d.out, err = prog.Run(ctx, runtime.Spec{Name: "demo",
		Jar: runtime.Jar{Seed: 2026, Tape: d.tape, Mounts: mounts(demoTree())}})
	if err != nil {
		return err
	}
	real := time.Since(start).Round(10 * time.Microsecond)
	d.quote(string(d.out.Stdout))
	if d.out.ExitCode != 0 || d.out.Elapsed < 24*time.Hour {
		return fmt.Errorf("the guest ended with status %d after %v: %s", d.out.ExitCode, d.out.Elapsed, d.out.Stderr)
	}
	d.say("\n    It took %v of virtual time, %v of ours.", d.out.Elapsed, real)
	d.say("    The tape has %d bytes: %d records, and a sum over %d events.",
		d.out.Report.TapeBytes, d.out.Report.Records, d.out.Report.Events)
	return nil
}

func (d *demo) diff(context.Context) error {
	d.say("\n2. What it changed stayed in memory. As a patch:\n")
	var patch bytes.Buffer
	if err := vfs.Patch(&patch, below(d.out.Report.Changes, "/work")); err != nil {
		return err
	}
	if len(d.out.Report.Changes) != 3 {
		return fmt.Errorf("there are %d changes, want 3", len(d.out.Report.Changes))
	}
	d.quote(patch.String())
	return nil
}

func (d *demo) replay(ctx context.Context) error {
	d.say("\n3. It is replayed from the tape alone, without the tree.\n")
	outs, err := d.rt.Replay(ctx, runtime.ReplaySpec{Tape: d.tape})
	if err != nil {
		return err
	}
	if !bytes.Equal(outs[0].Stdout, d.out.Stdout) || outs[0].Report.Sum != d.out.Report.Sum {
		return errors.New("the replay is another run")
	}
	d.say("    Same output, same files, same sum %016x.", outs[0].Report.Sum)
	return nil
}

func (d *demo) verify(ctx context.Context) error {
	d.say("\n4. It is verified: run live beside the tape, every answer compared.\n")
	if _, err := d.rt.Verify(ctx, runtime.ReplaySpec{Tape: d.tape, Mounts: mounts(demoTree())}); err != nil {
		return err
	}
	d.say("    No difference.")
	return nil
}

func (d *demo) diverge(ctx context.Context) error {
	d.say("\n5. One letter of its input is changed, and it is verified again.\n")
	tree := demoTree()
	tree["greeting.txt"].Data[0] = 'J'
	_, err := d.rt.Verify(ctx, runtime.ReplaySpec{Tape: d.tape, Mounts: mounts(tree)})
	var diverged *tape.DivergenceError
	if !errors.As(err, &diverged) {
		return fmt.Errorf("the change went unnoticed: %v", err)
	}
	d.quote(diverged.Error())
	return nil
}
