// compute is work for a processor: compute KIND ROUNDS, where KIND is sha256,
// sort or json. It prints a digest of what came out.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
)

type record struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Score float64           `json:"score"`
	More  map[string]string `json:"more"`
}

func main() {
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	work := map[string]func(int) []byte{"sha256": hash, "sort": order, "json": encode}[os.Args[1]]
	for i := range rounds {
		fmt.Printf("%x\n", sha256.Sum256(work(i)))
	}
}

func hash(i int) []byte {
	p := make([]byte, 1<<20)
	for range 4 {
		sum := sha256.Sum256(p)
		copy(p[i:], sum[:])
	}
	return p
}

func order(i int) []byte {
	list := make([]int, 1<<17)
	x := uint32(i + 1)
	for j := range list {
		x = x*1664525 + 1013904223
		list[j] = int(x >> 8)
	}
	slices.SortFunc(list, func(a, b int) int { return a - b })
	return strconv.AppendInt(nil, int64(list[len(list)/2]), 10)
}

func encode(i int) []byte {
	list := make([]record, 500)
	for j := range list {
		list[j] = record{j, "name " + strconv.Itoa(j), []string{"a", "b", "c"}, float64(j) / 3, map[string]string{"k": "v", "l": "w"}}
	}
	var p []byte
	for range 4 {
		p, _ = json.Marshal(list)
		list = nil
		if err := json.Unmarshal(p, &list); err != nil {
			panic(err)
		}
	}
	return p
}
