package vclock_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed48025506/belljar/vclock"
)

// A day passes in no time at all.
func Example() {
	clock, err := vclock.New(vclock.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now, _ := clock.Monotonic()
	_ = clock.SleepUntil(context.Background(), now+int64(24*time.Hour))
	wall, _ := clock.Realtime()
	fmt.Println(time.Unix(0, wall).UTC(), clock.Elapsed())
	// Output: 2026-01-02 00:00:00 +0000 UTC 24h0m0s
}
