package hostfns_test

import (
	"fmt"

	"github.com/seed48025506/belljar/hostfns"
	"github.com/seed48025506/belljar/internal/choice"
	"github.com/seed48025506/belljar/vclock"
)

// A host function needs no engine: a memory and words are enough.
func Example() {
	clock, _ := vclock.New(vclock.Config{})
	guest, err := hostfns.NewGuest(hostfns.Config{
		Args: []string{"prog"}, Clock: clock, Random: choice.Seed(1).Stream(0, choice.Random)})
	if err != nil {
		fmt.Println(err)
		return
	}
	memory, stack := make([]byte, 64), []uint64{0, 4}
	guest.Call(hostfns.Lookup(hostfns.ModuleName, "args_sizes_get"), memory, stack)
	fmt.Println("errno", stack[0], "argc", memory[0], "bytes", memory[4])
	// Output: errno 0 argc 1 bytes 5
}
