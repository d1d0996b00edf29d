package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/seed48025506/belljar/runtime"
)

// Exit statuses of belljar's own; all others are the guest's.
const (
	statusDiverged = 2   // replay, verify, diff: the run is not the one on the tape
	statusTimeout  = 124 // --timeout ended the guest
	statusFailed   = 125 // belljar could not do what was asked, or the guest trapped
)

// app is one call of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	status         int
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "belljar",
		Short: "Run WebAssembly programs under glass: hermetic, deterministic, recorded, replayable",
		Long: `belljar runs WASI programs under glass. They see virtual time, seeded randomness, a
copy-on-write view of the directories you name, and nothing else.

Exit status: the guest's (its lowest 8 bits). 125: belljar failed or the guest trapped.
124: --timeout. 2: a replay, verify or diff diverged from its tape.`,
		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // they take lines of their own
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	cmd.CompletionOptions.HiddenDefaultCmd = true
	cmd.AddCommand(a.runCmd(), a.replayCmd(), a.verifyCmd(), a.diffCmd(), a.demoCmd(), a.versionCmd())
	return cmd
}

// withRuntime calls f with a runtime that lasts as long as the call. Its
// context never ends, for then guests run in faster code; an interrupt from
// the keyboard ends the whole process.
func (a *app) withRuntime(f func(context.Context, *runtime.Runtime) error) error {
	ctx := context.Background()
	rt, err := runtime.New(ctx, runtime.Config{})
	if err != nil {
		return err
	}
	return errors.Join(f(ctx, rt), rt.Close(ctx))
}

// exit takes over the status of a guest. Systems have 8 bits for it.
func (a *app) exit(code uint32) { a.status = int(code & 0xff) }

// readProgram reads a module, with words for a file that is not there.
func readProgram(path string) ([]byte, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	return wasm, nil
}
