// Package runtime runs WebAssembly programs under glass: hermetic,
// deterministic, recorded and replayable.
//
// A [Runtime] compiles modules to [Program] values. A Program runs in a
// session, which is one virtual clock, one copy-on-write tree, one seed and,
// if asked, one tape. [Program.Run] makes a session for a single run;
// [Runtime.NewSession] makes one that runs several programs one after another.
//
// A run is a pure function of its program, arguments, environment, standard
// input, clock start, seed, base tree and limits. The zero value of [Spec] is
// the hermetic default: no files, no environment, no input, no network, time
// that starts on 2026-01-01 and moves only when the guest waits.
//
// # Errors
//
// A program that comes to its own end, with any exit code, is an [Outcome] and
// no error. Everything else is an error to ask with errors.As and errors.Is:
// [TrapError], [LimitError], [LinkError], tape.DivergenceError,
// vfs.BaseChangedError, vclock.ErrClockStalled, and the errors of the context.
//
// # Concurrency
//
// A Runtime and a Program may be used from any number of goroutines. A
// [Session] runs one program at a time; a second Run waits for the first.
// Sessions share nothing but compiled code and the store.
package runtime
