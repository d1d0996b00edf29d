package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// Kind names an answer. Packages that ask for answers define their own.
type Kind string

// Header is what a replay must know before the first run. It holds no host
// path and no host time, so that equal sessions have equal tapes.
type Header struct {
	_        struct{} `cbor:",toarray"`
	Producer string   // what wrote the tape, for people
	Clock    Clock
	Seed     uint64
	Mounts   []Mount
}

// Clock is a session's clock as it was set.
type Clock struct {
	_      struct{} `cbor:",toarray"`
	Real   bool
	Start  int64 // nanoseconds since 1970; 0: the default
	Tick   int64 // nanoseconds
	NoStep bool
}

// Mount is one tree of the session as the guest sees it.
type Mount struct {
	_        struct{} `cbor:",toarray"`
	Guest    string
	ReadOnly bool
	Empty    bool // there was nothing under it
}

// Run is a program's beginning.
type Run struct {
	_         struct{} `cbor:",toarray"`
	Program   cas.Digest
	Args      []string // with argv[0]
	Env       []string
	HasStdin  bool
	MaxMemory uint64 // bytes
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
// clock in nanoseconds where Run is nil.
type Step struct {
	Run     *Run
	Advance int64
}

// tags of records; a number that is not here is an unknown record.
const (
	tagAnswer     = 1
	tagCheckpoint = 2
	tagRun        = 3
	tagRunEnd     = 4
	tagAdvance    = 5
	tagEnd        = 6
)

// record is one record as it stands in a frame: [tag, body].
type record struct {
	_    struct{} `cbor:",toarray"`
	Tag  uint64
	Body codec.RawMessage
}

// answer is the body of a tagAnswer. A payload over InlineLimit is in the
// store, and Inline is nil.
type answer struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	Key    []byte
	Inline []byte
	Digest cas.Digest
	Length uint64
}

// checkpoint is the body of a tagCheckpoint.
type checkpoint struct {
	_      struct{} `cbor:",toarray"`
	Events uint64
	Sum    uint64
}

var tagNames = map[uint64]string{
	tagAnswer: "answer", tagCheckpoint: "checkpoint", tagRun: "run begin",
	tagRunEnd: "run end", tagAdvance: "clock advance", tagEnd: "end",
}

// tagName is for messages: "unknown" kinds have a number.
func tagName(tag uint64) string {
	if n, ok := tagNames[tag]; ok {
		return n
	}
	return fmt.Sprintf("unknown(%d)", tag)
}

// known decodes every body once, so that a tape that opens is a tape whose
// records can be read.
func (r record) known() error {
	var v any
	switch r.Tag {
	case tagAnswer:
		v = new(answer)
	case tagCheckpoint:
		v = new(checkpoint)
	case tagRun:
		v = new(Run)
	case tagRunEnd:
		v = new(RunEnd)
	case tagAdvance:
		v = new(int64)
	case tagEnd:
		v = new(End)
	default:
		return nil
	}
	if err := codec.Unmarshal(r.Body, v); err != nil {
		return fmt.Errorf("record of kind %s: %w", tagName(r.Tag), err)
	}
	return nil
}
