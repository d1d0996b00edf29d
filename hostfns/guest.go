package hostfns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/choice"
	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vclock"
	"github.com/seed48025506/belljar/vfs"
)

// Preopen is a directory that the guest finds open, from descriptor 3 on.
type Preopen struct {
	GuestPath string // what fd_prestat_dir_name says
	Ino       vfs.Ino
	ReadOnly  bool
}

// Config is what a guest is given. Clock and Random are needed.
type Config struct {
	Context  context.Context // ends real sleeps; nil: context.Background
	Args     []string        // with argv[0]
	Env      []string        // KEY=value
	Stdin    io.Reader       // nil: empty
	Stdout   io.Writer       // nil: what is written is dropped
	Stderr   io.Writer       // nil: what is written is dropped
	FS       *vfs.FS         // nil: no files
	Preopens []Preopen
	Clock    *vclock.Clock
	Random   *choice.Stream
	Deck     *tape.Deck // nil: no tape
	MaxFDs   int        // descriptors open at once; 0: 1024
	MaxCalls uint64     // how many functions may be called; 0: no limit
	Deadline int64      // the last moment of a virtual clock that may be reached; 0: none
}

// The ends of a guest that meets MaxCalls or Deadline.
var (
	ErrCalls    = errors.New("hostfns: the guest has called too many functions")
	ErrDeadline = errors.New("hostfns: the guest would go beyond its deadline")
)

// DefaultMaxFDs is what MaxFDs of 0 means.
const DefaultMaxFDs = 1024

// Guest is the state of one program as WASI sees it. It belongs to the
// goroutine that runs the program.
type Guest struct {
	cfg Config
	mem []byte // the guest's memory, during a call
	fds fdTable

	pollBuf []byte // for poll_oneoff
	calls   uint64 // how many are left

	stop    bool
	exited  bool
	code    uint32
	aborted error
}

// NewGuest makes a guest. It refuses arguments and variables that a C program
// could not be handed.
func NewGuest(cfg Config) (*Guest, error) {
	if cfg.Clock == nil || cfg.Random == nil {
		return nil, errors.New("hostfns: a guest needs a Clock and a Random stream")
	}
	if err := checkStrings(cfg.Args, cfg.Env); err != nil {
		return nil, err
	}
	if cfg.Context == nil {
		cfg.Context = context.Background()
	}
	if cfg.MaxFDs == 0 {
		cfg.MaxFDs = DefaultMaxFDs
	}
	if cfg.MaxCalls == 0 {
		cfg.MaxCalls = math.MaxUint64
	}
	g := &Guest{cfg: cfg, calls: cfg.MaxCalls}
	if err := g.openInitial(); err != nil {
		return nil, err
	}
	return g, nil
}

func checkStrings(args, env []string) error {
	for i, a := range args {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("hostfns: argument %d, %q, has a NUL byte", i, a)
		}
	}
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" || strings.IndexByte(kv, 0) >= 0 {
			return fmt.Errorf("hostfns: environment entry %q is not NAME=value without NUL bytes", kv)
		}
	}
	return nil
}

// Call runs a function. stack holds the arguments, one word each, and gets the
// errno at stack[0] if the function has a result. mem is the guest's whole
// memory. True says that the guest must not go on; Result says why.
func (g *Guest) Call(f *Function, mem []byte, stack []uint64) (stop bool) {
	if f.Index == indexClock {
		return g.CallClock(mem, stack)
	}
	if g.calls == 0 {
		return g.noCalls()
	}
	g.calls--
	return g.call(f, mem, stack)
}

func (g *Guest) noCalls() (stop bool) {
	g.Abort(ErrCalls)
	return true
}

// call is Call for all functions but the clock.
func (g *Guest) call(f *Function, mem []byte, stack []uint64) (stop bool) {
	g.mem = mem
	args := stack[:len(f.Params)]
	mix := uint64(f.Index)
	for i := range args {
		if f.Params[i].Type == I32 {
			args[i] = stack32(&args[i])
		}
		mix = bits.RotateLeft64(mix, 13) ^ args[i]
	}
	if !f.time {
		g.cfg.Clock.Progress()
	}
	e := f.fn(g, args)
	g.cfg.Deck.Mark(tape.CodeCall, uint64(f.Index)<<16|uint64(e), mix)
	if len(f.Results) > 0 {
		stack[0] = uint64(e)
	}
	return g.stop
}

// stack32 reads a word that holds 32 bits. The upper half is not the guest's
// to choose, and must not even be loaded: an engine stores the lower half, and
// a load wider than a store before it waits until that has left the CPU's
// store buffer.
func stack32(word *uint64) uint64 { return uint64(uint32(*word)) }

// Abort makes the call in progress, or else the next one, the guest's last,
// with err for the reason. It is for those who are called during a call, on
// the same goroutine.
func (g *Guest) Abort(err error) {
	g.stop = true
	if g.aborted == nil {
		g.aborted = err
	}
}

// abort is Abort for host functions.
func (g *Guest) abort(err error) errno.Errno {
	g.Abort(err)
	return errno.EIO
}

// Result returns the exit code, whether the guest gave one, and what it was
// aborted with.
func (g *Guest) Result() (code uint32, exited bool, err error) {
	return g.code, g.exited, g.aborted
}

// Close closes the guest's files. It is idempotent.
func (g *Guest) Close() error {
	g.fds.closeAll()
	return nil
}
