package rewrite

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// eachBody calls f for every function's code, several at a time: functions are
// independent, and there are many.
func (m *Module) eachBody(f func(i int, b *Body)) {
	const batch = 64
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(m.Code)/batch+1) {
		wg.Go(func() {
			for {
				from := int(next.Add(batch)) - batch
				if from >= len(m.Code) {
					return
				}
				for i := from; i < min(from+batch, len(m.Code)); i++ {
					f(i, &m.Code[i])
				}
			}
		})
	}
	wg.Wait()
}
