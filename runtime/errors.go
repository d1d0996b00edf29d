package runtime

import (
	"errors"
	"fmt"
	"strings"
)

// ErrClosed answers calls on a Runtime or Session after its Close.
var ErrClosed = errors.New("runtime: closed")

// ErrNotProgram answers a module that cannot be run as a WASI command.
var ErrNotProgram = errors.New("not a WASI command")

// Names of limits in a LimitError. All but timeout and tape are deterministic: a
// run that meets one is on its tape, and replays.
const (
	LimitMemory  = "memory"
	LimitTimeout = "timeout"
	LimitFuel    = "fuel"
	LimitOutput  = "output"
	LimitCalls   = "calls"
	LimitElapsed = "elapsed"
	LimitTape    = "tape"
	LimitTables  = "tables"
)

// errFuel is what an engine says of a guest that has used up its fuel.
var errFuel = errors.New("runtime: out of fuel")

// TrapError is a run that WebAssembly itself ended: unreachable code, a bad
// memory access, a stack overflow. It is deterministic, so a tape holds it.
type TrapError struct {
	Cause string // "unreachable", "stack overflow", …
	Stack string // the wasm stack, innermost call first, one per line
}

func (e *TrapError) Error() string {
	s := "runtime: the guest trapped: " + e.Cause
	if e.Stack != "" {
		s += "\nwasm stack:\n\t" + strings.ReplaceAll(e.Stack, "\n", "\n\t")
	}
	return s
}

// LimitError is a run that met a limit which the host set.
type LimitError struct {
	Limit string // LimitMemory, LimitTimeout, …
	Text  string // what was asked, what is allowed, what to do
	Err   error  // the context's error for LimitTimeout
}

func (e *LimitError) Error() string { return "runtime: " + e.Limit + " limit: " + e.Text }

// Unwrap returns the context's error behind a timeout.
func (e *LimitError) Unwrap() error { return e.Err }

// LinkError lists everything that a module imports and nobody offers.
type LinkError struct {
	Missing []string // "module.name", with the reason where the name is known
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("runtime: the module needs %d import(s) that belljar does not offer: %s; build it for WASI preview 1 (wasm32-wasi, GOOS=wasip1)",
		len(e.Missing), strings.Join(e.Missing, ", "))
}

// ModuleError is a module that could not be read or compiled.
type ModuleError struct {
	Bytes int    // the length of what was given
	Text  string // what is wrong with it
	Err   error  // the engine's error, or ErrNotProgram
}

func (e *ModuleError) Error() string {
	return fmt.Sprintf("runtime: module of %d bytes: %s", e.Bytes, e.Text)
}

// Unwrap returns the engine's error, or ErrNotProgram.
func (e *ModuleError) Unwrap() error { return e.Err }
