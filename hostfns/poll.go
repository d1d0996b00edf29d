package hostfns

import (
	"encoding/binary"
	"math"

	"github.com/seed48025506/belljar/cas/tape"
	"github.com/seed48025506/belljar/internal/errno"
	"github.com/seed48025506/belljar/vfs"
)

// Layout of poll_oneoff's arrays.
//
//	subscription, 48 bytes: [userdata u64][tag u8][pad 7] and, by tag,
//	  clock:            [id u32][pad 4][timeout u64][precision u64][flags u16]
//	  fd_read, fd_write: [fd u32]
//	event, 32 bytes: [userdata u64][errno u16][type u8][pad 5][nbytes u64][flags u16][pad 6]
const (
	subscriptionSize = 48
	eventSize        = 32
)

// eventtypes of the specification.
const (
	eventClock   = 0
	eventFdRead  = 1
	eventFdWrite = 2
)

const (
	clockAbstime    = 1 // the one bit of subclockflags
	eventHangup     = 1 // the one bit of eventrwflags
	maxSubscription = 1 << 16
)

// poll is one call of poll_oneoff.
type poll struct {
	g       *Guest
	subs    []byte
	events  []byte
	written int
	now     int64 // monotonic
	began   int64 // what now was at first
	wall    int64 // the same moment on the wall clock
}

// pollOneoff waits until one of nsubscriptions comes true and writes an event
// for each that has, in their order, and their number, u32. Descriptors are
// always ready, so there is a wait only where clocks alone are asked for: time
// moves to the earliest deadline and no further, and all that is due then is
// reported. What is wrong with one subscription is in its event: EBADF,
// ENOTCAPABLE, EINVAL for a clock that cannot be waited for. EINVAL: no
// subscriptions, or an unknown type. EFAULT.
func pollOneoff(g *Guest, p []uint64) errno.Errno {
	n := p[2]
	if n == 0 || n > maxSubscription {
		return errno.EINVAL
	}
	subs, e := g.bytes(p[0], n*subscriptionSize)
	if e != errno.OK {
		return e
	}
	events, e := g.bytes(p[1], n*eventSize)
	if e != errno.OK {
		return e
	}
	if _, e := g.bytes(p[3], 4); e != errno.OK {
		return e
	}
	// The arrays may overlap; what was asked is read from a copy.
	now, wall, err := g.cfg.Clock.Moment()
	if err != nil {
		return g.abort(err)
	}
	q := &poll{g: g, subs: g.scratch(subs), events: events, now: now, began: now, wall: wall}
	if e := q.run(); e != errno.OK {
		return e
	}
	return g.putU32(p[3], uint32(q.written))
}

// scratch copies bytes into a buffer that the guest keeps.
func (g *Guest) scratch(p []byte) []byte {
	g.pollBuf = append(g.pollBuf[:0], p...)
	return g.pollBuf
}

func (q *poll) run() errno.Errno {
	earliest, e := q.ready()
	if e != errno.OK {
		return e
	}
	if q.written > 0 {
		return q.spun()
	}
	from := q.now
	until := earliest
	if last := q.g.cfg.Deadline; last != 0 {
		until = min(until, last)
	}
	if err := q.g.cfg.Clock.SleepUntil(q.g.cfg.Context, until); err != nil {
		return q.g.abort(err)
	}
	if until < earliest {
		return q.g.abort(ErrDeadline)
	}
	// A real clock may wake a little early or late; the deadline is due.
	q.now = max(earliest, q.now)
	q.g.cfg.Deck.Mark(tape.CodeSleep, uint64(from), uint64(q.now))
	_, e = q.ready()
	return e
}

// spun tells the clock whether this poll was work or another turn of a guest
// that waits by polling with no time to wait.
func (q *poll) spun() errno.Errno {
	for at := 0; at < len(q.subs); at += subscriptionSize {
		if q.subs[at+8] != eventClock {
			q.g.cfg.Clock.Progress()
			return errno.OK
		}
	}
	return q.g.yield()
}

// ready writes the events of all that is due now, and returns the earliest
// deadline of what is not.
func (q *poll) ready() (earliest int64, e errno.Errno) {
	earliest = math.MaxInt64
	for at := 0; at < len(q.subs); at += subscriptionSize {
		sub := q.subs[at : at+subscriptionSize]
		switch sub[8] {
		case eventClock:
			due, e := q.deadline(sub[16:])
			if e != errno.OK || due <= q.now {
				q.event(sub, e, 0, 0)
			} else {
				earliest = min(earliest, due)
			}
		case eventFdRead, eventFdWrite:
			q.descriptor(sub)
		default:
			return 0, errno.EINVAL
		}
	}
	return earliest, errno.OK
}

// deadline turns a clock subscription into a moment of the monotonic clock. A
// relative one counts from when the poll began.
func (q *poll) deadline(c []byte) (int64, errno.Errno) {
	id := binary.LittleEndian.Uint32(c)
	timeout := binary.LittleEndian.Uint64(c[8:])
	flags := binary.LittleEndian.Uint16(c[24:])
	if id > clockMonotonic {
		return 0, errno.EINVAL
	}
	t := int64(min(timeout, math.MaxInt64))
	if flags&clockAbstime == 0 {
		return addTime(q.began, t), errno.OK
	}
	if id == clockMonotonic {
		return t, errno.OK
	}
	if t <= q.wall {
		return 0, errno.OK
	}
	return addTime(q.began, t-q.wall), errno.OK
}

func addTime(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// descriptor writes the event of a descriptor: files and streams are ready.
func (q *poll) descriptor(sub []byte) {
	d := q.g.fds.get(uint64(binary.LittleEndian.Uint32(sub[16:])))
	need := rightFdRead
	if sub[8] == eventFdWrite {
		need = rightFdWrite
	}
	switch {
	case d == nil:
		q.event(sub, errno.EBADF, 0, 0)
	case d.base&rightPollFdReadwrite == 0:
		q.event(sub, errno.ENOTCAPABLE, 0, 0)
	case d.typ == vfs.TypeDir || d.base&need == 0:
		q.event(sub, errno.EBADF, 0, 0)
	default:
		n, flags := q.available(d, sub[8])
		q.event(sub, errno.OK, n, flags)
	}
}

// available says how many bytes a read would bring, where that is known.
func (q *poll) available(d *descriptor, kind byte) (n uint64, flags uint16) {
	switch {
	case d.stream == streamIn && q.g.cfg.Stdin == nil:
		return 0, eventHangup
	case d.stream != notStream || kind == eventFdWrite:
		return 1, 0
	}
	st, e := d.file.Stat()
	if e != errno.OK || d.offset >= int64(st.Size) {
		return 0, 0
	}
	return st.Size - uint64(d.offset), 0
}

func (q *poll) event(sub []byte, e errno.Errno, n uint64, flags uint16) {
	out := q.events[q.written*eventSize:][:eventSize]
	clear(out)
	copy(out, sub[:8])
	binary.LittleEndian.PutUint16(out[8:], uint16(e))
	out[10] = sub[8]
	binary.LittleEndian.PutUint64(out[16:], n)
	binary.LittleEndian.PutUint16(out[24:], flags)
	q.written++
}
