// Command signalsleep waits by spinning, as Go programs on wasip1 do once they
// have asked for signals, and prints how long a sleep of 50 ms took.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	start := time.Now()
	time.Sleep(50 * time.Millisecond)
	fmt.Println(time.Since(start))
}
