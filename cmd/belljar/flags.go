package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/seed48025506/belljar/runtime"
)

// clockFlags turns --clock, --start-at, --tick and --no-step into a clock.
func clockFlags(kind, startAt string, tick time.Duration, noStep bool) (runtime.Clock, error) {
	c := runtime.Clock{Tick: tick, NoStep: noStep}
	switch kind {
	case "virtual":
	case "real":
		c.Real = true
	default:
		return c, fmt.Errorf("--clock %q: it is virtual or real", kind)
	}
	if startAt != "" {
		t, err := time.Parse(time.RFC3339Nano, startAt)
		if err != nil {
			return c, fmt.Errorf("--start-at %q: write it like 2026-01-01T00:00:00Z", startAt)
		}
		c.Start = t
	}
	return c, nil
}

// envFlags completes names without a value with the host's value, which is
// the one way for a host variable to get in.
func envFlags(values []string) ([]string, error) {
	var env []string
	for _, v := range values {
		if !strings.Contains(v, "=") {
			value, ok := os.LookupEnv(v)
			if !ok {
				return nil, fmt.Errorf("--env %s: it is not set here; write %s=value", v, v)
			}
			v += "=" + value
		}
		env = append(env, v)
	}
	return env, nil
}

var units = []struct {
	suffix string
	bytes  float64
}{
	{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1},
}

// sizeFlag reads a number of bytes, with or without a unit.
func sizeFlag(flag, v string, below float64) (uint64, error) {
	if v == "" {
		return 0, nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(v, u.suffix)
		if !ok {
			continue
		}
		f, err := strconv.ParseFloat(number, 64)
		if bytes := f * u.bytes; err == nil && bytes >= 1 && bytes < below {
			return uint64(bytes), nil
		}
		break
	}
	return 0, fmt.Errorf("%s %q: write a size below %.0fGiB, like 64MiB", flag, v, below/(1<<30))
}
