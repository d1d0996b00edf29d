package tape

import "github.com/seed48025506/belljar/cas"

// Kind names an answer. Packages that ask for answers define their own.
type Kind string

// Header is what a replay must know before the first run. It holds no host
// path and no host time, so that equal sessions have equal tapes.
type Header struct {
	_        struct{} `cbor:",toarray"`
	Producer string   // what wrote the tape, for people
	Clock    Clock
	Seed     uint64  // of every choice that the session makes
	Mounts   []Mount // in the order of their preopened descriptors
	NaN      bool    // programs have canonical NaNs only
}

// Clock is a session's clock as it was set.
type Clock struct {
	_      struct{} `cbor:",toarray"`
	Real   bool     // the host's time: each reading is an answer
	Start  int64    // nanoseconds since 1970-01-01T00:00:00Z; 0: the default
	Tick   int64    // nanoseconds that a reading adds
	NoStep bool     // a guest that spins is not helped on
}

// Mount is one tree of the session as the guest sees it.
type Mount struct {
	_        struct{} `cbor:",toarray"`
	Guest    string   // its path
	ReadOnly bool
	Empty    bool // there was nothing under it
}

// Run is a program's beginning.
type Run struct {
	_        struct{}   `cbor:",toarray"`
	Program  cas.Digest // of the module's bytes
	Args     []string   // with argv[0], the program's name
	Env      []string   // KEY=value, in order
	HasStdin bool       // there was something to read
	Limits   Limits
}

// Limits are what a program may use; one that meets a limit ends there in every
// run. 0 is no limit of its own.
type Limits struct {
	_           struct{} `cbor:",toarray"`
	Memory      uint64   // bytes
	Fuel        uint64   // instructions
	Output      uint64   // bytes, of standard output and of standard error
	Calls       uint64   // of host functions
	Elapsed     int64    // nanoseconds on the session's clock
	Descriptors uint64   // open at once
}

// RunEnd is a program's end.
type RunEnd struct {
	_           struct{} `cbor:",toarray"`
	ExitCode    uint32
	Outcome     string // "" for an end of its own, else what ended it
	Elapsed     int64  // nanoseconds on the session's clock
	Stdout      cas.Digest
	StdoutBytes uint64
	Stderr      cas.Digest
	StderrBytes uint64
	Events      uint64 // of the session so far; [Deck.EndRun] sets it
	Sum         uint64 // over them; EndRun sets it
}

// End closes a tape.
type End struct {
	_       struct{} `cbor:",toarray"`
	Records uint64   // before this one
	Events  uint64   // answers and marks
	Sum     uint64   // the rolling sum over them
	Tree    cas.Digest
}

// Step is what the driver of a replay does next: a run, or an advance of the
// clock where Run is nil.
type Step struct {
	Run     *Run
	End     *RunEnd // how the run ended; nil where the tape was cut before
	Advance int64   // nanoseconds
}
