package vfs

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how much unchanged text stands around a change.
const contextLines = 3

// Patch writes changes in git's extended diff format, which `git apply` takes:
// text as hunks, everything else as binary patches, with modes, symlinks, and
// files that come and go. A path whose type changed is deleted and added.
// Directories are left out, as git does not track them. The error is of the
// writer or of content that cannot be read, and names the path.
func Patch(w io.Writer, changes []Change) error {
	buf := bufio.NewWriter(w)
	for _, c := range changes {
		for _, part := range parts(c) {
			if err := patchOne(buf, part); err != nil {
				return fmt.Errorf("vfs: patch of %s: %w", c.Path, err)
			}
		}
	}
	return buf.Flush()
}

// parts splits a change of type in two and drops directories.
func parts(c Change) []Change {
	before, after := tracked(c.Before), tracked(c.After)
	switch {
	case before == nil && after == nil:
		return nil
	case before != nil && after != nil && before.Type != after.Type:
		return []Change{{Path: c.Path, Before: before}, {Path: c.Path, After: after}}
	}
	return []Change{{Path: c.Path, Before: before, After: after}}
}

func tracked(s *Side) *Side {
	if s == nil || s.Type != TypeFile && s.Type != TypeSymlink {
		return nil
	}
	return s
}

// blob is a side as git sees it.
type blob struct {
	mode string // "" for a side that is not there
	text []byte
}

func (b blob) there() bool { return b.mode != "" }

// id is git's name for the content.
func (b blob) id() string {
	if !b.there() {
		return strings.Repeat("0", 2*sha1.Size)
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(b.text))
	h.Write(b.text)
	return fmt.Sprintf("%x", h.Sum(nil))
}

func blobOf(s *Side) (b blob, err error) {
	switch {
	case s == nil:
		return blob{}, nil
	case s.Type == TypeSymlink:
		return blob{mode: "120000", text: []byte(s.Target)}, nil
	case s.Mode&0o100 != 0:
		b.mode = "100755"
	default:
		b.mode = "100644"
	}
	b.text, err = s.Content()
	return b, err
}

func patchOne(w *bufio.Writer, c Change) error {
	before, err := blobOf(c.Before)
	if err != nil {
		return err
	}
	after, err := blobOf(c.After)
	if err != nil {
		return err
	}
	same := before.there() && after.there() && bytes.Equal(before.text, after.text)
	if same && before.mode == after.mode {
		return nil // only permissions that git does not know
	}
	patchHead(w, c.Path, before, after)
	switch {
	case same:
		return nil
	case isBinary(before.text) || isBinary(after.text):
		return patchBinary(w, before, after)
	}
	return patchText(w, c.Path, before, after)
}

func patchHead(w *bufio.Writer, path string, before, after blob) {
	fmt.Fprintf(w, "diff --git %s %s\n", quotePath("a/"+path), quotePath("b/"+path))
	switch {
	case !before.there():
		fmt.Fprintf(w, "new file mode %s\n", after.mode)
	case !after.there():
		fmt.Fprintf(w, "deleted file mode %s\n", before.mode)
	case before.mode != after.mode:
		fmt.Fprintf(w, "old mode %s\nnew mode %s\n", before.mode, after.mode)
	}
	if !before.there() || !after.there() || !bytes.Equal(before.text, after.text) {
		fmt.Fprintf(w, "index %s..%s", before.id(), after.id())
		if before.mode == after.mode {
			fmt.Fprintf(w, " %s", before.mode)
		}
		w.WriteByte('\n')
	}
}

// isBinary is git's rule: a NUL among the first 8000 bytes.
func isBinary(p []byte) bool {
	return bytes.IndexByte(p[:min(len(p), 8000)], 0) >= 0
}

func patchText(w *bufio.Writer, path string, before, after blob) error {
	if len(before.text) == 0 && len(after.text) == 0 {
		return nil // an empty file has no hunks
	}
	from, to := "/dev/null", "/dev/null"
	if before.there() {
		from = labelPath("a/" + path)
	}
	if after.there() {
		to = labelPath("b/" + path)
	}
	text := string(before.text)
	hunks, err := udiff.ToUnified("a", "b", text, udiff.Lines(text, string(after.text)), contextLines)
	if err != nil {
		return err
	}
	// The library's own two label lines give way to git's.
	for range 2 {
		_, hunks, _ = strings.Cut(hunks, "\n")
	}
	_, err = fmt.Fprintf(w, "--- %s\n+++ %s\n%s", from, to, hunks)
	return err
}

// labelPath is quotePath for the lines that end a name at a tab, so that a
// name with spaces is followed by one.
func labelPath(path string) string {
	q := quotePath(path)
	if q == path && strings.Contains(path, " ") {
		q += "\t"
	}
	return q
}

var escapes = map[byte]byte{
	'\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v', '\f': 'f', '\r': 'r', '"': '"', '\\': '\\',
}

// quotePath quotes a name as git does, in the manner of C, if it must.
func quotePath(path string) string {
	var b strings.Builder
	odd := false
	b.WriteByte('"')
	for i := range len(path) {
		c := path[i]
		if e, ok := escapes[c]; ok {
			odd = true
			b.WriteByte('\\')
			b.WriteByte(e)
		} else if c < ' ' || c >= 0x7f {
			odd = true
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	if !odd {
		return path
	}
	b.WriteByte('"')
	return b.String()
}

// Summary writes a line for each change, its letter (A, M, D, or T for a
// change of type) and path, and a line with the counts.
func Summary(w io.Writer, changes []Change) error {
	counts := map[ChangeKind]int{}
	for _, c := range changes {
		letter := strings.ToUpper(c.Kind.String()[:1])
		if c.Kind == Modified && c.Before.Type != c.After.Type {
			letter = "T"
		}
		counts[c.Kind]++
		if _, err := fmt.Fprintf(w, "%s %s\n", letter, quotePath(c.Path)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d added, %d modified, %d deleted\n", counts[Added], counts[Modified], counts[Deleted])
	return err
}
