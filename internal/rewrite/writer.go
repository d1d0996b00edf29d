package rewrite

// appendU32 appends an unsigned LEB128.
func appendU32(p []byte, v uint32) []byte {
	for v >= 0x80 {
		p = append(p, byte(v)|0x80)
		v >>= 7
	}
	return append(p, byte(v))
}

// appendS64 appends a signed LEB128.
func appendS64(p []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(p, c)
		}
		p = append(p, c|0x80)
	}
}

func appendName(p []byte, s string) []byte {
	return append(appendU32(p, uint32(len(s))), s...)
}

// appendSized appends bytes behind their length.
func appendSized(p, body []byte) []byte {
	return append(appendU32(p, uint32(len(body))), body...)
}
