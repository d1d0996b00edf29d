package guests_test

import (
	"fmt"

	"github.com/seed48025506/belljar/guests"
)

// The guests that are not Go are there as bytes.
func ExampleWasm() {
	fmt.Printf("%q\n", guests.Wasm("spin")[:4])
	// Output: "\x00asm"
}
