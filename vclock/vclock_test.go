package vclock

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func virtual(t testing.TB, cfg Config) *Clock {
	t.Helper()
	c, err := New(cfg)
	require.NoError(t, err)
	return c
}

func read(t testing.TB, c *Clock) (wall, mono int64) {
	t.Helper()
	wall, err := c.Realtime()
	require.NoError(t, err)
	mono, err = c.Monotonic()
	require.NoError(t, err)
	return wall, mono
}

func TestVirtualTimeStartsAsDocumentedAndStandsStill(t *testing.T) {
	c := virtual(t, Config{})
	for range 10 {
		wall, mono := read(t, c)
		require.Equal(t, DefaultStart.UnixNano(), wall)
		require.Equal(t, int64(1), mono)
	}
	require.Zero(t, c.Elapsed())
}

func TestStartAndTick(t *testing.T) {
	start := time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)
	c := virtual(t, Config{Start: start, Tick: time.Millisecond})
	wall, mono := read(t, c)
	require.Equal(t, start.Add(time.Millisecond).UnixNano(), wall)
	require.Equal(t, int64(1+2*time.Millisecond), mono)
}

func TestSleepMovesToTheMomentAndNotBack(t *testing.T) {
	c := virtual(t, Config{})
	require.NoError(t, c.SleepUntil(context.Background(), 1+int64(24*time.Hour)))
	require.Equal(t, 24*time.Hour, c.Elapsed())
	require.NoError(t, c.SleepUntil(context.Background(), 5))
	require.Equal(t, 24*time.Hour, c.Elapsed())
}

func TestAdvance(t *testing.T) {
	c := virtual(t, Config{})
	require.NoError(t, c.Advance(time.Hour))
	require.Equal(t, time.Hour, c.Elapsed())
	require.Error(t, c.Advance(-1))
	real := virtual(t, Config{Real: true})
	require.ErrorIs(t, real.Advance(1), ErrRealAdvance)
}

func TestTimeStopsAtItsEnd(t *testing.T) {
	c := virtual(t, Config{})
	require.NoError(t, c.Advance(math.MaxInt64))
	require.NoError(t, c.Advance(math.MaxInt64))
	wall, mono := read(t, c)
	require.Equal(t, int64(math.MaxInt64), wall)
	require.Equal(t, int64(math.MaxInt64), mono)
}

func TestNewRefusesWhatContradicts(t *testing.T) {
	for _, cfg := range []Config{
		{Real: true, Start: time.Now()},
		{Real: true, Tick: 1},
		{Real: true, NoStep: true},
		{Tick: -1},
		{Start: time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Start: time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		_, err := New(cfg)
		require.Error(t, err, "%+v", cfg)
	}
}

// spinUntil yields and reads as a Go guest does until the moment comes.
func spinUntil(t *testing.T, c *Clock, deadline int64) (saw int64) {
	t.Helper()
	for range 100_000_000 {
		require.NoError(t, c.Yield())
		if _, now := read(t, c); now >= deadline {
			return now
		}
	}
	t.Fatal("time never came")
	return 0
}

func TestSpinningWaitsAreHitExactly(t *testing.T) {
	for _, d := range []time.Duration{
		time.Millisecond, 50 * time.Millisecond, 250 * time.Millisecond, 1500 * time.Millisecond,
		30 * time.Second, 90 * time.Minute, 24 * time.Hour,
	} {
		c := virtual(t, Config{})
		require.NoError(t, c.Advance(123456789)) // the ladder starts where the spinning does
		c.Progress()
		_, from := read(t, c)
		require.Equal(t, d, time.Duration(spinUntil(t, c, from+int64(d))-from), "waiting for %v", d)
	}
}

func TestProgressRestartsTheLadder(t *testing.T) {
	c := virtual(t, Config{})
	spinUntil(t, c, int64(20*time.Second))
	c.Progress()
	_, from := read(t, c)
	require.Equal(t, 7*time.Millisecond, time.Duration(spinUntil(t, c, from+int64(7*time.Millisecond))-from))
}

func TestWithoutSteppingASpinnerIsStalled(t *testing.T) {
	c := virtual(t, Config{NoStep: true})
	var err error
	for range 1 << 26 {
		if err = c.Yield(); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, ErrClockStalled)
	require.Zero(t, c.Elapsed())
}

func TestRealClock(t *testing.T) {
	c := virtual(t, Config{Real: true})
	wall, mono := read(t, c)
	require.InDelta(t, time.Now().UnixNano(), wall, float64(time.Minute))
	require.GreaterOrEqual(t, mono, int64(1))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, c.SleepUntil(ctx, mono+int64(time.Hour)), context.Canceled)
	require.NoError(t, c.SleepUntil(context.Background(), mono))
	require.Equal(t, uint64(2), c.RealReads())
}

func TestReadsDoNotAllocate(t *testing.T) {
	c := virtual(t, Config{})
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		_, _ = c.Monotonic()
		_, _ = c.Realtime()
		_ = c.Yield()
		c.Progress()
	}))
}

func TestAdvanceFromManyGoroutines(t *testing.T) {
	c := virtual(t, Config{})
	done := make(chan struct{})
	for range 8 {
		go func() {
			for range 1000 {
				_ = c.Advance(1)
				_ = c.Now()
			}
			done <- struct{}{}
		}()
	}
	for range 8 {
		<-done
	}
	require.Equal(t, time.Duration(8000), c.Elapsed())
}
