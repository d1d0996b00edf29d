package runtime

import (
	"github.com/seed48025506/belljar/internal/pages"
	"github.com/seed48025506/belljar/internal/rewrite"
)

// passed is a module after the passes: what is compiled, what its memory
// begins with, and what must be known of it as it was given.
type passed struct {
	wasm    []byte
	image   []byte
	outline outline
}

// MaxTableElements is the most elements that a module's tables may have, all
// together: some tens of MiB.
const MaxTableElements = 4 << 20

// pass takes a module apart and passes it.
func pass(wasm []byte, opts CompileOptions) (passed, error) {
	m, out, err := passCode(wasm, opts)
	if err != nil {
		return passed{}, err
	}
	image := m.LiftData()
	return passed{wasm: m.Encode(), image: image, outline: out}, nil
}

// passWithData is pass for a system that has no images to give.
func passWithData(wasm []byte, opts CompileOptions) (passed, error) {
	m, out, err := passCode(wasm, opts)
	if err != nil {
		return passed{}, err
	}
	return passed{wasm: m.Encode(), outline: out}, nil
}

// passCode is all of pass but the data.
func passCode(wasm []byte, opts CompileOptions) (*rewrite.Module, outline, error) {
	m, err := rewrite.Decode(wasm)
	if err != nil {
		return nil, outline{}, err
	}
	if err := m.LimitTables(MaxTableElements); err != nil {
		return nil, outline{}, &LimitError{Limit: LimitTables, Text: err.Error()}
	}
	out := outlineOf(m)
	if opts.CanonicalNaN {
		m.CanonicalNaN()
	}
	out.Fuel = m.AddFuel()
	m.StripDebug() // it speaks of places in the code that have moved
	return m, out, nil
}

// prepare passes a module, or finds it passed in the cache, and makes its image.
func (c *passCache) prepare(wasm []byte, opts CompileOptions) (passed, *pages.Image, error) {
	p, err := c.get(wasm, opts)
	if err != nil {
		return passed{}, nil, err
	}
	image, err := pages.NewImage(p.image)
	if err == nil {
		return p, image, nil
	}
	if p, err = passWithData(wasm, opts); err != nil {
		return passed{}, nil, err
	}
	image, err = pages.NewImage(nil)
	return p, image, err
}
