package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed48025506/belljar/guests"
	"github.com/seed48025506/belljar/runtime"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	tape := filepath.Join(dir, "run.tape")

	rt, err := runtime.New(ctx, runtime.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close(ctx)
	prog, err := rt.Compile(ctx, guests.Wasm("sleep"))
	if err != nil {
		log.Fatal(err)
	}
	out, err := prog.Run(ctx, runtime.Spec{Args: []string{"86400"}, Jar: runtime.Jar{Seed: 7, Tape: tape}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out.ExitCode, out.Elapsed)

	again, err := rt.Replay(ctx, runtime.ReplaySpec{Tape: tape})
	fmt.Println(len(again), again[0].Elapsed, err)
	// Output:
	// 0 24h0m0s
	// 1 24h0m0s <nil>
}
