package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// oneTape is the argument check of commands that take a tape.
func oneTape(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return fmt.Errorf("%s: it takes one tape, %d are given; write: %s", cmd.Name(), len(args), cmd.UseLine())
}

// oneProgram is the argument check of run: all after the program is its own.
func oneProgram(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return nil
	}
	return fmt.Errorf("%s: no program is given; write: %s", cmd.Name(), cmd.UseLine())
}
