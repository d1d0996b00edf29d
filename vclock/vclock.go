package vclock

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/seed48025506/belljar/cas/tape"
)

// DefaultStart is where virtual wall time begins unless Config.Start says
// otherwise.
var DefaultStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Config says which clock to make. The zero value is the hermetic default: a
// virtual clock at DefaultStart that ticks only when the guest waits.
type Config struct {
	// Real reads the host's clocks and really sleeps. Every read is then an
	// answer on the tape. Start, Tick and NoStep must be left zero.
	Real bool
	// Start is the wall time of the first moment. Zero: DefaultStart. It must
	// fit 64-bit nanoseconds since 1970 (1970 to 2262).
	Start time.Time
	// Tick is added to virtual time at every read, 0 or more. With a tick no
	// guest can spin for ever, so the spinning rule is off.
	Tick time.Duration
	// NoStep turns the spinning rule off: a guest that only spins then ends
	// in ErrClockStalled.
	NoStep bool
	// Deck records what a real clock says. Nil: nothing is recorded.
	Deck *tape.Deck
}

// ErrClockStalled ends a guest that waits for time by spinning while virtual
// time may not step.
var ErrClockStalled = errors.New("vclock: the guest spins on the clock and virtual time stands still; allow stepping (NoStep=false), set a tick, or use the real clock")

// ErrRealAdvance answers Advance on a real clock.
var ErrRealAdvance = errors.New("vclock: a real clock cannot be advanced; use a virtual one")

// Clock is one session's time. Its readings belong to the guest that holds
// the session's baton; Advance, Now and Elapsed are for the host and may be
// called at any time from any goroutine.
type Clock struct {
	mono  atomic.Int64 // virtual: nanoseconds since the session began, from 1
	start int64        // wall time at mono == 1, in nanoseconds since 1970
	tick  int64
	deck  *tape.Deck
	real  bool
	step  bool
	spin  spin
	calm  spin          // what Progress sets spin to
	began time.Time     // real: where monotonic time counts from
	reads atomic.Uint64 // real: guests' reads
}

// New makes a clock. It refuses a Config whose fields contradict each other.
func New(cfg Config) (*Clock, error) {
	if cfg.Real {
		if !cfg.Start.IsZero() || cfg.Tick != 0 || cfg.NoStep {
			return nil, errors.New("vclock: a real clock takes no start, tick or stepping; leave them unset or use a virtual clock")
		}
		return &Clock{real: true, deck: cfg.Deck, began: time.Now()}, nil
	}
	if cfg.Tick < 0 {
		return nil, fmt.Errorf("vclock: tick %v is negative; time cannot go back", cfg.Tick)
	}
	if cfg.Start.IsZero() {
		cfg.Start = DefaultStart
	}
	start := cfg.Start.UnixNano()
	if start < 0 || !time.Unix(0, start).Equal(cfg.Start) {
		return nil, fmt.Errorf("vclock: start %v is outside 1970 to 2262", cfg.Start)
	}
	c := &Clock{start: start, tick: int64(cfg.Tick), deck: cfg.Deck, step: !cfg.NoStep}
	if cfg.Tick == 0 {
		c.calm.left = spinThreshold
	}
	c.Progress()
	c.mono.Store(1)
	return c, nil
}

// Real reports whether the clock is the host's.
func (c *Clock) Real() bool { return c.real }

// RealReads counts the guests' reads that the host's clock answered, or, in a
// replay, once answered. It is 0 on a virtual clock.
func (c *Clock) RealReads() uint64 { return c.reads.Load() }

// Realtime is a guest's read of the wall clock: nanoseconds since 1970.
func (c *Clock) Realtime() (int64, error) {
	if c.real {
		return c.realRead("wall", func() int64 { return time.Now().UnixNano() })
	}
	m, err := c.Monotonic()
	return c.wall(m), err
}

// Monotonic is a guest's read of the monotonic clock: nanoseconds, 1 or more.
func (c *Clock) Monotonic() (int64, error) {
	if t, ok := c.Quick(); ok {
		return t, nil
	}
	return c.otherRead()
}

// Quick is Monotonic where that takes no more than a look: on a virtual clock
// without a tick, while the guest has not been spinning for long. False: read
// it the other way; nothing has happened. Programs read clocks in tight loops,
// so it is small enough for the compiler to put it in place.
func (c *Clock) Quick() (int64, bool) {
	if c.spin.left <= readPoints {
		return 0, false
	}
	c.spin.left -= readPoints
	return c.mono.Load(), true
}

// QuickWall is the wall clock's reading at a moment that Quick returned.
func (c *Clock) QuickWall(mono int64) int64 { return c.wall(mono) }

// otherRead is Monotonic on a real clock, with a tick, or when the guest has
// been spinning for long.
func (c *Clock) otherRead() (int64, error) {
	switch {
	case c.real:
		return c.realRead("mono", func() int64 { return int64(time.Since(c.began)) + 1 })
	case c.tick != 0:
		return c.move(c.tick), nil
	}
	err := c.stall()
	return c.mono.Load(), err
}

// Yield is a guest's sched_yield, or a poll that found nothing and did not
// wait: a sign that it waits by spinning.
func (c *Clock) Yield() error {
	if c.real || c.tick != 0 {
		return nil
	}
	if c.spin.left -= yieldPoints; c.spin.left <= 0 {
		return c.stall()
	}
	return nil
}

// Progress says that the guest did something else than read the clock or
// yield, so it is not spinning.
func (c *Clock) Progress() { c.spin = c.calm }

// Now is the host's look at wall time, in nanoseconds since 1970: it neither
// ticks nor counts as a read, and the guest cannot notice it.
func (c *Clock) Now() int64 {
	if c.real {
		return time.Now().UnixNano()
	}
	return c.wall(c.mono.Load())
}

// Elapsed is the session's age on its own clock.
func (c *Clock) Elapsed() time.Duration {
	if c.real {
		return time.Since(c.began)
	}
	return time.Duration(c.mono.Load() - 1)
}

// Advance moves virtual time forward by d, 0 or more, from the host.
func (c *Clock) Advance(d time.Duration) error {
	if c.real {
		return ErrRealAdvance
	}
	if d < 0 {
		return fmt.Errorf("vclock: cannot advance by %v; time cannot go back", d)
	}
	c.move(int64(d))
	return nil
}

// SleepUntil waits for a moment of the monotonic clock. On a virtual clock
// that is one addition; a moment that has passed is no wait. On a real clock
// it sleeps, until ctx ends; a replay does not sleep.
func (c *Clock) SleepUntil(ctx context.Context, mono int64) error {
	c.Progress()
	if !c.real {
		if d := mono - c.mono.Load(); d > 0 {
			c.move(d)
		}
		return nil
	}
	if c.deck.Mode() == tape.Replaying {
		return nil
	}
	t := time.NewTimer(time.Until(c.began.Add(time.Duration(mono - 1))))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wall converts a virtual monotonic moment, stopping at the last moment that
// 64-bit nanoseconds can say.
func (c *Clock) wall(mono int64) int64 {
	if mono-1 > math.MaxInt64-c.start {
		return math.MaxInt64
	}
	return c.start + mono - 1
}

// move adds d to virtual time and returns the new moment. Time stops at the
// last moment rather than wrap round.
func (c *Clock) move(d int64) int64 {
	for {
		now := c.mono.Load()
		next := now + d
		if next < now {
			next = math.MaxInt64
		}
		if c.mono.CompareAndSwap(now, next) {
			return next
		}
	}
}

// Moment is what both clocks say now, for a host function that reckons with
// time without showing it: nothing ticks and no spinning is counted. On a real
// clock it is two recorded reads.
func (c *Clock) Moment() (mono, wall int64, err error) {
	if !c.real {
		mono = c.mono.Load()
		return mono, c.wall(mono), nil
	}
	if mono, err = c.Monotonic(); err == nil {
		wall, err = c.Realtime()
	}
	return mono, wall, err
}
