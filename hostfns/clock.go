package hostfns

import (
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
// all else together: the same, without the loops over parameters.
func (g *Guest) callClock(stack []uint64) (stop bool) {
	args := (*[3]uint64)(stack)
	args[0] &= 0xffffffff
	args[2] &= 0xffffffff
	id, ptr := args[0], args[2]
	e := clockTimeGet(g, args[:])
	g.cfg.Deck.Mark(tape.CodeCall, indexClock<<16|uint64(e), id<<32|ptr)
	stack[0] = uint64(e)
	return g.stop
}

// clockTimeGet writes a clock's time, u64 nanoseconds; the precision that is
// asked for does not matter. The CPU clocks say what the monotonic one says:
// under glass a program is all that runs. EINVAL: no such clock.
func clockTimeGet(g *Guest, p []uint64) errno.Errno {
	if p[0] > clockThread {
		return errno.EINVAL
	}
	var t int64
	var err error
	if p[0] == clockRealtime {
		t, err = g.cfg.Clock.Realtime()
	} else {
		t, err = g.cfg.Clock.Monotonic()
	}
	if err != nil {
		return g.abort(err)
	}
	g.cfg.Deck.Mark(tape.CodeClock, p[0], uint64(t))
	return g.putU64(p[2], uint64(t))
}
