package runtime

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/seed48025506/belljar/internal/rewrite"
)

// safepointEvery is how much fuel a guest is given at a time: well under a
// millisecond of one that computes. Between two safepoints it cannot be
// stopped, and Go's garbage collector waits for it.
const safepointEvery = 1 << 20

// meter gives out an instance's fuel and keeps the account.
type meter struct {
	limit uint64 // 0: none
	used  uint64 // as far as it is settled
	seen  int64  // the counter, as it was set or settled last
}

// settle takes the counter's state into the account.
func (m *meter) settle(counter int64) {
	m.used += uint64(m.seen - counter)
	m.seen = counter
}

// grant returns what the counter is to be set to; false: there is no more fuel.
func (m *meter) grant() (int64, bool) {
	left := uint64(safepointEvery)
	if m.limit > 0 {
		if m.used > m.limit {
			return 0, false
		}
		left = min(left, m.limit-m.used)
	}
	m.seen = int64(left)
	return m.seen, true
}

// bindSafepoint offers the import that metered modules have.
func bindSafepoint(ctx context.Context, rt wazero.Runtime) error {
	i64 := []api.ValueType{api.ValueTypeI64}
	_, err := rt.NewHostModuleBuilder(rewrite.SafepointModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(safepoint), i64, i64).
		Export(rewrite.SafepointName).Instantiate(ctx)
	return err
}

// safepoint lets a guest go on, unless its context has ended or its fuel.
func safepoint(ctx context.Context, _ api.Module, stack []uint64) {
	c := contextOf(ctx)
	c.meter.settle(int64(stack[0]))
	if ctx.Err() != nil {
		panic(errInterrupted)
	}
	more, ok := c.meter.grant()
	if !ok {
		panic(errNoFuel)
	}
	stack[0] = uint64(more)
}
