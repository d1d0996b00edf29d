package rewrite

// LiftData takes the content of the active data segments out of the module and
// returns what they would make of its memory, from address 0 on. Whoever runs
// the module must see to it that its memory begins with that. Where code can
// name segments, these stay, as passive ones without content: that is what an
// active segment is once it has been copied.
//
// It changes nothing and returns nil where instantiation might not copy all of
// them: a memory from outside, an offset that is not a constant, a segment that
// does not fit and so traps.
func (m *Module) LiftData() []byte {
	if len(m.Memories) != 1 || m.imported(KindMemory) != 0 {
		return nil
	}
	room := uint64(m.Memories[0].Min) << 16
	end := uint64(0)
	offsets := make([]uint64, len(m.Data))
	for i := range m.Data {
		d := &m.Data[i]
		if !d.Active() {
			continue
		}
		offset, ok := constI32(d.Offset)
		if !ok || d.Memory != 0 || uint64(offset)+uint64(len(d.Bytes)) > room {
			return nil
		}
		offsets[i] = uint64(offset)
		end = max(end, offsets[i]+uint64(len(d.Bytes)))
	}
	if end == 0 {
		return nil
	}
	image := make([]byte, end)
	for i := range m.Data {
		if d := &m.Data[i]; d.Active() {
			copy(image[offsets[i]:], d.Bytes)
			*d = Data{Flags: 1}
		}
	}
	if m.DataCount == nil {
		m.Data = nil
	}
	return image
}

// constI32 evaluates an expression that is one i32.const.
func constI32(expr []byte) (uint32, bool) {
	var v uint32
	if len(expr) < 3 || expr[0] != opI32Const {
		return 0, false
	}
	for i, c := range expr[1:] {
		v |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c&0x40 != 0 && i < 4 {
				v |= ^uint32(0) << (7 * (i + 1)) // its sign
			}
			return v, len(expr) == i+3 && expr[i+2] == opEnd
		}
	}
	return 0, false
}
