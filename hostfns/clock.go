package hostfns

import (
	"encoding/binary"
	"math"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
)

// clockids of the specification.
const (
	clockRealtime  = 0
	clockMonotonic = 1
	clockProcess   = 2
	clockThread    = 3
)

// clockResGet writes a clock's resolution, u64 nanoseconds: 1 for each.
// EINVAL: no such clock.
func clockResGet(g *Guest, p []uint64) errno.Errno {
	if p[0] > clockThread {
		return errno.EINVAL
	}
	return g.putU64(p[1], 1)
}

// indexClock is the place of clock_time_get in the table.
const indexClock = 5

// callClock is Call for clock_time_get, which programs call more often than
// all else together: the same, in as few steps as can be. It tells the deck of
// the call once, with the time in it.
func (g *Guest) callClock(mem []byte, stack []uint64) (stop bool) {
	id, ptr := stack[0]&math.MaxUint32, stack[2]&math.MaxUint32
	var t int64
	var err error
	e := errno.OK
	switch id {
	case clockMonotonic, clockProcess, clockThread:
		t, err = g.cfg.Clock.Monotonic()
	case clockRealtime:
		t, err = g.cfg.Clock.Realtime()
	default:
		e = errno.EINVAL
	}
	switch {
	case err != nil:
		e = g.abort(err)
	case e != errno.OK:
	case uint64(len(mem)) < 8 || ptr > uint64(len(mem))-8:
		e = errno.EFAULT
	default:
		binary.LittleEndian.PutUint64(mem[ptr:], uint64(t))
	}
	g.cfg.Deck.Mark(tape.CodeClock, id<<32|ptr, uint64(t)^uint64(e)<<48)
	stack[0] = uint64(e)
	return g.stop
}

// clockTimeGet writes a clock's time, u64 nanoseconds; the precision that is
// asked for does not matter. The CPU clocks say what the monotonic one says:
// under glass a program is all that runs. EINVAL: no such clock. Its row of
// the table is there for its signature; Call goes to callClock.
func clockTimeGet(g *Guest, p []uint64) errno.Errno {
	stack := [3]uint64{p[0], p[1], p[2]}
	g.callClock(g.mem, stack[:])
	return errno.Errno(stack[0])
}
