package runtime

import (
	"io"
	"time"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/vfs"
)

// DefaultMaxMemory is the limit of a Spec whose MaxMemory is 0: 1 GiB.
const DefaultMaxMemory = 1 << 30

// maxMaxMemory is the most that 32-bit WebAssembly can address, less a page:
// a memory of exactly 4 GiB has no length in 32 bits.
const maxMaxMemory = 1<<32 - 1<<16

// Spec is one run of a program. The zero value runs it with no arguments, no
// environment and no input, and captures what it writes.
type Spec struct {
	// Name is argv[0]. Empty: "program".
	Name string
	// Args are the arguments after argv[0].
	Args []string
	// Env is the whole environment, as KEY=value, in the guest's order.
	Env []string
	// Stdin is what the guest reads from descriptor 0. Nil: it is empty. What
	// is read goes on the tape.
	Stdin io.Reader
	// Stdout and Stderr receive what the guest writes, as it writes it. Nil:
	// it is kept in the Outcome.
	Stdout, Stderr io.Writer
	// Timeout ends the run after that much real time. 0: never. Like the end of
	// the context, it is noticed within milliseconds, also by a guest that
	// never calls the host.
	Timeout time.Duration
	// Fuel is how much the guest may do: WebAssembly instructions, counted at
	// every call and every turn of a loop, whether a branch runs or skips them.
	// The count is the same in every run, so a run that ends by it replays. 0:
	// no limit.
	Fuel uint64
	// MaxMemory is the most linear memory the guest may have, in bytes, up to
	// 4 GiB less 64 KiB. 0: DefaultMaxMemory. A guest that asks for more is
	// refused at its start, or told no by memory.grow.
	MaxMemory uint64
	// MaxOutput is the most that the guest may write to standard output, and as
	// much again to standard error, in bytes. 0: no limit.
	MaxOutput uint64
	// MaxCalls is how many host functions the guest may call. 0: no limit.
	MaxCalls uint64
	// MaxElapsed is how far the guest may move virtual time. A real clock takes
	// none: there, use Timeout. 0: no limit.
	MaxElapsed time.Duration
	// MaxDescriptors is how many files and directories the guest may have open
	// at once, preopened ones and standard streams counted; more is EMFILE. 0:
	// hostfns.DefaultMaxFDs.
	MaxDescriptors int
	// Jar is what surrounds the program in Program.Run. For Session.Run it is
	// left zero: the session has one already.
	Jar Jar
}

// Jar is what surrounds the programs of a session. The zero value is hermetic.
type Jar struct {
	// Clock is the session's time.
	Clock Clock
	// Seed is what every decision of the jar is drawn from, random_get first
	// of all. Any value is as good as another.
	Seed uint64
	// CanonicalNaN gives every NaN that arithmetic makes the same bits, so that
	// a run is the same on processors that differ in them. Programs that do
	// little but floating-point arithmetic may take twice as long.
	CanonicalNaN bool
	// Mounts are the trees that guests see, each a preopened directory, in
	// order. None: no files.
	Mounts []Mount
	// MaxTape is the most that the tape may become, in bytes, without its store.
	// The run that would make it longer ends, and the tape has no end. 0: no
	// limit.
	MaxTape int64
	// Tape is the path of the tape to write; payloads go to Store. Empty: no
	// tape.
	Tape string
	// TapeTo receives the tape instead of a file. Store must then be set.
	TapeTo io.Writer
	// Store keeps the tape's payloads. Nil: the folder Tape + ".cas".
	Store cas.Store
}

// Clock says what time it is in a session. The zero value is virtual time
// from 2026-01-01T00:00:00Z that moves when the guest waits.
type Clock struct {
	Real   bool          // the host's clocks, each read recorded; nothing else may be set
	Start  time.Time     // virtual wall time at the start; zero: 2026-01-01T00:00:00Z
	Tick   time.Duration // added to virtual time at every read
	NoStep bool          // no stepping for guests that spin; they end in vclock.ErrClockStalled
}

// Mount puts a tree at a path of the guest. Writes stay in memory.
type Mount struct {
	// Host is a directory of the host. It is opened once and never left.
	Host string
	// Base is a tree from elsewhere, instead of Host: vfs.FromFS takes any
	// fs.FS. It is the caller's to close. Neither Host nor Base: an empty directory.
	Base vfs.Base
	// Guest is where the guest finds it, a slash-separated absolute path, or a
	// relative name. Empty: "/".
	Guest string
	// ReadOnly answers EROFS to every change.
	ReadOnly bool
}

// Outcome is how a run ended.
type Outcome struct {
	// ExitCode is what the guest gave to proc_exit, or 0.
	ExitCode uint32
	// Stdout and Stderr are what was captured.
	Stdout, Stderr []byte
	// Elapsed is how much time passed on the session's clock.
	Elapsed time.Duration
	// Fuel is how much the guest did, in the instructions of Spec.Fuel.
	Fuel uint64
	// Report is the session's, from Program.Run, and in the last outcome of
	// Runtime.Replay and Runtime.Verify. Nil from Session.Run.
	Report *Report
}

// Report is what a finalized session leaves.
type Report struct {
	// Tree is the session's tree as its programs left it. It can be read as
	// long as the bases under it exist.
	Tree *vfs.FS
	// Changes is how Tree differs from its bases. It is empty when a replay
	// has no base to compare with and nothing was changed.
	Changes []vfs.Change
	// Tape is the path of the tape, if it is a file.
	Tape string
	// TapeBytes is the length of the tape without its store.
	TapeBytes int64
	// Records counts what is on the tape, Events what was folded into Sum.
	Records, Events uint64
	// Sum is the rolling sum over all events: equal for equal runs. It is 0
	// without a tape.
	Sum uint64
	// RealReads counts guests' reads of the host's clock: how much real time
	// leaked into the session. It is 0 on a virtual clock.
	RealReads uint64
	// Elapsed is the session's age on its own clock.
	Elapsed time.Duration
}
