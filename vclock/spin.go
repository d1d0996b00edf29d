package vclock

import "time"

const (
	readPoints    = 1
	yieldPoints   = 64
	spinThreshold = 4096
	// stallSteps is how many steps' worth of spinning is let pass before a
	// clock that may not step is called stalled.
	stallSteps = 1 << 14
)

// spin counts what looks like waiting.
type spin struct {
	left   int   // points until the next step; 0 on a clock without the rule
	offset int64 // nanoseconds stepped since the spinning began
	missed int   // steps withheld because stepping is off
}

// stall is reached once per spinThreshold points: time steps, or, where it
// may not, the guest is given up after stallSteps of them.
func (c *Clock) stall() error {
	c.spin.left = spinThreshold
	if !c.step {
		if c.spin.missed++; c.spin.missed >= stallSteps {
			return ErrClockStalled
		}
		return nil
	}
	d := stepAfter(c.spin.offset)
	c.spin.offset += d
	c.move(d)
	return nil
}

// ladder says how large a step is until the offset reaches a bound.
var ladder = []struct{ below, step time.Duration }{
	{time.Second, time.Millisecond},
	{10 * time.Second, 10 * time.Millisecond},
	{100 * time.Second, 100 * time.Millisecond},
	{1000 * time.Second, time.Second},
	{10000 * time.Second, 10 * time.Second},
}

// stepAfter is the ladder of the package comment.
func stepAfter(offset int64) int64 {
	for _, rung := range ladder {
		if offset < int64(rung.below) {
			return int64(rung.step)
		}
	}
	return int64(100 * time.Second)
}
