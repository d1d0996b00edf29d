// Command concurrent does all that makes a Go program differ from run to run:
// goroutines, select, maps, timers and randomness. It prints a trace of it.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	var trace []string
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		trace = append(trace, fmt.Sprintf(format, args...))
	}

	left, right := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
			if i%2 == 0 {
				left <- i
			} else {
				right <- i
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()

	tick := time.NewTicker(7 * time.Millisecond)
	for running := true; running; {
		select {
		case v := <-left:
			say("left %d", v)
		case v := <-right:
			say("right %d", v)
		case t := <-tick.C:
			say("tick %d", t.UnixNano())
		case <-done:
			running = false
		}
	}
	m := map[string]int{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
	for k, v := range m {
		say("map %s %d", k, v)
	}
	for _, line := range trace {
		fmt.Println(line)
	}
	if len(os.Args) > 1 {
		if err := os.WriteFile(os.Args[1], fmt.Appendln(nil, trace), 0o644); err != nil {
			panic(err)
		}
	}
}
