package cas_test

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
)

func Example() {
	store := cas.NewMem()
	d, err := store.Put([]byte("under glass"))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := store.Get(d)
	fmt.Println(d.Short(), string(p), err)
	// Output: 383fbb3ef533 under glass <nil>
}
