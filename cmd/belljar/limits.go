package main

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/seed48025506/belljar/runtime"
)

// limitFlags bound what a guest may do, the same in every run.
type limitFlags struct {
	fuel, calls  uint64
	memory       string
	output, tape string
	elapsed      time.Duration
	descriptors  int
}

func (f *limitFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.memory, "max-memory", "", "limit of the guest's memory, like 64MiB (default 1GiB)")
	fl.Uint64Var(&f.fuel, "fuel", 0, "limit of what the guest does, in instructions")
	fl.Uint64Var(&f.calls, "max-calls", 0, "limit of the host functions that the guest calls")
	fl.StringVar(&f.output, "max-output", "", "limit of standard output and of standard error, like 1MiB")
	fl.DurationVar(&f.elapsed, "max-elapsed", 0, "limit of how far the guest moves virtual time")
	fl.IntVar(&f.descriptors, "max-descriptors", 0, "limit of files and directories open at once (default 1024)")
	fl.StringVar(&f.tape, "max-tape", "", "limit of the tape, like 64MiB")
}

// fill gives a spec what the flags name.
func (f *limitFlags) fill(spec *runtime.Spec) error {
	spec.Fuel, spec.MaxCalls = f.fuel, f.calls
	spec.MaxElapsed, spec.MaxDescriptors = f.elapsed, f.descriptors
	var err error
	if spec.MaxMemory, err = sizeFlag("--max-memory", f.memory, 4<<30); err != nil {
		return err
	}
	if spec.MaxOutput, err = sizeFlag("--max-output", f.output, 1<<50); err != nil {
		return err
	}
	tape, err := sizeFlag("--max-tape", f.tape, 1<<50)
	spec.Jar.MaxTape = int64(tape)
	return err
}
