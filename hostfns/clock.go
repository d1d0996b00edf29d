package hostfns

import (
	"encoding/binary"

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

// CallClock is Call for clock_time_get, which programs call more often than
// all else together: the same, in as few steps as can be, and without a call
// of anything while there is no tape. It tells the deck of the call once, with
// the time in it. An engine may bind it directly.
func (g *Guest) CallClock(mem []byte, stack []uint64) (stop bool) {
	if g.calls == 0 {
		return g.noCalls()
	}
	g.calls--
	id, ptr := stack32(&stack[0]), stack32(&stack[2])
	if id > clockThread || uint64(len(mem)) < 8 || ptr > uint64(len(mem))-8 {
		return g.callClockSlowly(mem, stack)
	}
	t, ok := g.cfg.Clock.Quick()
	if !ok {
		return g.callClockSlowly(mem, stack)
	}
	if id == clockRealtime {
		t = g.cfg.Clock.QuickWall(t)
	}
	binary.LittleEndian.PutUint64(mem[ptr:], uint64(t))
	g.cfg.Deck.Mark(tape.CodeClock, id<<32|ptr, uint64(t))
	stack[0] = uint64(errno.OK)
	return g.stop
}

// callClockSlowly is CallClock for wrong arguments, and for clocks that do
// more than show a time.
func (g *Guest) callClockSlowly(mem []byte, stack []uint64) (stop bool) {
	id, ptr := stack32(&stack[0]), stack32(&stack[2])
	t, e := g.readClock(id)
	switch {
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

// readClock reads the clock of a clockid. EINVAL: no such clock.
func (g *Guest) readClock(id uint64) (int64, errno.Errno) {
	var t int64
	var err error
	switch id {
	case clockMonotonic, clockProcess, clockThread:
		t, err = g.cfg.Clock.Monotonic()
	case clockRealtime:
		t, err = g.cfg.Clock.Realtime()
	default:
		return 0, errno.EINVAL
	}
	if err != nil {
		return t, g.abort(err)
	}
	return t, g.inTime()
}

// inTime ends a guest that has moved virtual time beyond its deadline by
// spinning or by ticks.
func (g *Guest) inTime() errno.Errno {
	if g.cfg.Deadline != 0 && int64(g.cfg.Clock.Elapsed()) >= g.cfg.Deadline {
		return g.abort(ErrDeadline)
	}
	return errno.OK
}

// clockTimeGet writes a clock's time, u64 nanoseconds; the precision that is
// asked for does not matter. The CPU clocks say what the monotonic one says:
// under glass a program is all that runs. EINVAL: no such clock. Its row of
// the table is there for its signature; Call goes to CallClock.
func clockTimeGet(g *Guest, p []uint64) errno.Errno {
	stack := [3]uint64{p[0], p[1], p[2]}
	g.callClockSlowly(g.mem, stack[:])
	return errno.Errno(stack[0])
}
