package vfs

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"fmt"
)

// base85 is git's alphabet.
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// patchBinary writes the content after and before, whole, so that the patch
// applies in both directions.
func patchBinary(w *bufio.Writer, before, after blob) error {
	fmt.Fprint(w, "GIT binary patch\n")
	for _, b := range []blob{after, before} {
		if err := literal(w, b.text); err != nil {
			return err
		}
	}
	return nil
}

// literal writes content: its length, then deflated in lines of up to 52 bytes,
// each with a letter for its length and in base 85, then an empty line.
func literal(w *bufio.Writer, p []byte) error {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(p); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	fmt.Fprintf(w, "literal %d\n", len(p))
	for rest := packed.Bytes(); len(rest) > 0; {
		line := rest[:min(52, len(rest))]
		rest = rest[len(line):]
		if len(line) <= 26 {
			w.WriteByte('A' + byte(len(line)) - 1)
		} else {
			w.WriteByte('a' + byte(len(line)) - 27)
		}
		for len(line) > 0 {
			n := min(4, len(line))
			word85(w, line[:n])
			line = line[n:]
		}
		w.WriteByte('\n')
	}
	return w.WriteByte('\n')
}

// word85 writes up to 4 bytes, filled with zeros, as 5 digits.
func word85(w *bufio.Writer, p []byte) {
	var v uint32
	for i := range 4 {
		v <<= 8
		if i < len(p) {
			v |= uint32(p[i])
		}
	}
	var digits [5]byte
	for i := 4; i >= 0; i-- {
		digits[i] = base85[v%85]
		v /= 85
	}
	w.Write(digits[:])
}
