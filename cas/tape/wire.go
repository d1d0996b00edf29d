package tape

import (
	"fmt"

	"github.com/seed48025506/belljar/cas"
	"github.com/seed48025506/belljar/internal/codec"
)

// tag is the kind of a record. A number that has no name here is a kind that
// this version does not know.
type tag uint64

const (
	tagAnswer     tag = 1
	tagStored     tag = 2
	tagCheckpoint tag = 3
	tagRun        tag = 4
	tagRunEnd     tag = 5
	tagAdvance    tag = 6
	tagEnd        tag = 7
)

var tagNames = map[tag]string{
	tagAnswer: "answer", tagStored: "stored answer", tagCheckpoint: "checkpoint", tagRun: "run begin",
	tagRunEnd: "run end", tagAdvance: "clock advance", tagEnd: "end",
}

func (t tag) known() bool { return tagNames[t] != "" }

func (t tag) String() string {
	if t.known() {
		return tagNames[t]
	}
	return fmt.Sprintf("unknown(%d)", uint64(t))
}

// item is a record as it stands in a frame: [tag, body].
type item struct {
	_    struct{} `cbor:",toarray"`
	Tag  tag
	Body codec.RawMessage
}

// inline is the body of a tagAnswer.
type inline struct {
	_       struct{} `cbor:",toarray"`
	Kind    Kind
	Key     []byte
	Payload []byte
}

// stored is the body of a tagStored: the payload is in the store.
type stored struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	Key    []byte
	Digest cas.Digest
	Length uint64
}

// checkpoint is the body of a tagCheckpoint.
type checkpoint struct {
	_      struct{} `cbor:",toarray"`
	Events uint64
	Sum    uint64
}

// record is a record that was read.
type record struct {
	tag   tag
	raw   []byte // [tag, body] as it stood, so that it can be written again
	value any    // the body, a pointer to its type; nil if unknown
}

// readRecord decodes the first record of p. Every body is decoded here, once,
// so that a tape that opens can be replayed.
func readRecord(p []byte) (r record, rest []byte, err error) {
	var i item
	if rest, err = codec.UnmarshalFirst(p, &i); err != nil {
		return r, nil, err
	}
	r = record{tag: i.Tag, raw: p[:len(p)-len(rest)]}
	if r.value, err = decode(i); err != nil {
		return r, nil, fmt.Errorf("of kind %s: %w", i.Tag, err)
	}
	return r, rest, nil
}

func decode(i item) (any, error) {
	switch i.Tag {
	case tagAnswer:
		return as[inline](i)
	case tagStored:
		return as[stored](i)
	case tagCheckpoint:
		return as[checkpoint](i)
	case tagRun:
		return as[Run](i)
	case tagRunEnd:
		return as[RunEnd](i)
	case tagAdvance:
		return as[int64](i)
	case tagEnd:
		return as[End](i)
	}
	return nil, nil
}

func as[T any](i item) (any, error) {
	v := new(T)
	err := codec.Unmarshal(i.Body, v)
	return v, err
}

// writeRecord encodes a record.
func writeRecord(t tag, body any) ([]byte, error) {
	p, err := codec.Marshal(body)
	if err != nil {
		return nil, err
	}
	return codec.Marshal(item{Tag: t, Body: p})
}

// String says what a record is, for a message.
func (r record) String() string {
	switch v := r.value.(type) {
	case *inline:
		return question(v.Kind, v.Key)
	case *stored:
		return question(v.Kind, v.Key)
	case *checkpoint:
		return fmt.Sprintf("the checkpoint at event %d", v.Events)
	}
	return "the event " + r.tag.String()
}

// question is how an answer is called in messages.
func question(kind Kind, key []byte) string { return fmt.Sprintf("the answer %s %s", kind, show(key)) }
