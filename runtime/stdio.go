package runtime

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/zeebo/blake3"

	"github.com/seed48025506/belljar/cas"
)

// output is where a guest's stream goes: to the embedder's writer or into
// memory, and through a hash where there is a tape.
type output struct {
	to     io.Writer
	buf    *bytes.Buffer // set when captured
	hash   *blake3.Hasher
	length uint64
	limit  uint64 // 0: none
}

func newOutput(to io.Writer, hash bool, limit uint64) *output {
	o := &output{to: to, limit: limit}
	if to == nil {
		o.buf = new(bytes.Buffer)
		o.to = o.buf
	}
	if hash {
		o.hash = blake3.New()
	}
	return o
}

// Write implements io.Writer. What is within the limit is written.
func (o *output) Write(p []byte) (int, error) {
	if o.limit > 0 && uint64(len(p)) > o.limit-o.length {
		n, err := o.pass(p[:o.limit-o.length])
		if err == nil {
			err = &LimitError{Limit: LimitOutput, Text: fmt.Sprintf(
				"the guest writes more than %d bytes to one of its output streams; raise MaxOutput", o.limit)}
		}
		return n, err
	}
	return o.pass(p)
}

func (o *output) pass(p []byte) (n int, err error) {
	n, err = o.write(p)
	if o.hash != nil {
		_, _ = o.hash.Write(p[:n]) // a hash does not fail
	}
	o.length += uint64(n)
	return n, err
}

func (o *output) write(p []byte) (n int, err error) {
	defer guard("an output stream", &err)
	return o.to.Write(p)
}

func (o *output) captured() []byte {
	if o.buf == nil {
		return nil
	}
	return o.buf.Bytes()
}

// digest is over all that was written; zero without a tape.
func (o *output) digest() (d cas.Digest) {
	if o.hash != nil {
		o.hash.Sum(d[:0])
	}
	return d
}

// interruptibleReader makes a read give up when ctx ends, where it can end. A
// read of a terminal or pipe cannot be taken back, so it goes on by itself in
// a goroutine, into a buffer of its own, and what it brings is dropped.
func interruptibleReader(ctx context.Context, r io.Reader) io.Reader {
	if r == nil {
		return nil
	}
	r = guardedReader{r}
	if ctx.Done() == nil {
		return r
	}
	return &ctxReader{ctx: ctx, r: r}
}

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

type readResult struct {
	p   []byte
	err error
}

func (c *ctxReader) Read(p []byte) (int, error) {
	done := make(chan readResult, 1)
	go func() {
		buf := make([]byte, len(p))
		n, err := c.r.Read(buf)
		done <- readResult{buf[:n], err}
	}()
	select {
	case res := <-done:
		return copy(p, res.p), res.err
	case <-c.ctx.Done():
		return 0, context.Cause(c.ctx)
	}
}
