package rewrite

import "strings"

// Subsections of the name section.
const (
	namesOfFuncs  = 1
	namesOfLocals = 2
	namesOfLabels = 3
)

// moveNames rewrites the function indices of a name section. One that cannot
// be read is left as it is: names are no part of what a module means.
func moveNames(p []byte, move func(uint32) uint32) []byte {
	r := &reader{b: p}
	var out []byte
	for r.more() {
		id := r.byte()
		body := r.bytes(r.u32())
		s := &reader{b: body, err: r.err}
		switch id {
		case namesOfFuncs:
			body = moveNameMap(s, move, func(s *reader) { s.name() })
		case namesOfLocals, namesOfLabels:
			body = moveNameMap(s, move, func(s *reader) {
				for n := s.count(); n > 0; n-- {
					s.u32()
					s.name()
				}
			})
		}
		if r.err != nil || s.err != nil {
			return p
		}
		out = appendSized(append(out, id), body)
	}
	return out
}

// moveNameMap rewrites a map from function index to something.
func moveNameMap(s *reader, move func(uint32) uint32, skip func(*reader)) []byte {
	n := s.count()
	out := appendU32(nil, uint32(n))
	for ; n > 0 && s.err == nil; n-- {
		out = appendU32(out, move(s.u32()))
		start := s.at
		skip(s)
		out = append(out, s.since(start)...)
	}
	return out
}

// StripDebug drops DWARF sections: they speak of places in the code that a pass
// has moved.
func (m *Module) StripDebug() {
	kept := m.Customs[:0:0]
	for _, c := range m.Customs {
		if !strings.HasPrefix(c.Name, ".debug_") {
			kept = append(kept, c)
		}
	}
	m.Customs = kept
}
