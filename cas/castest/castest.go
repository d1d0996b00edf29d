// Package castest is the one suite that every cas.Store passes.
package castest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed48025506/belljar/cas"
)

// Run tests the store that open makes, a new and empty one at each call.
func Run(t *testing.T, open func(t *testing.T) cas.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, cas.Store){
		"round trip":  roundTrip,
		"missing":     missing,
		"put twice":   putTwice,
		"no aliasing": noAliasing,
		"concurrent":  concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func put(t *testing.T, s cas.Store, p []byte) cas.Digest {
	t.Helper()
	d, err := s.Put(p)
	if err != nil {
		t.Fatalf("Put of %d bytes: %v", len(p), err)
	}
	return d
}

func expect(t *testing.T, s cas.Store, d cas.Digest, want []byte) {
	t.Helper()
	got, err := s.Get(d)
	if err != nil {
		t.Fatalf("Get %s: %v", d.Short(), err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("Get %s: %d bytes that are not what was put", d.Short(), len(got))
	}
}

func roundTrip(t *testing.T, s cas.Store) {
	for _, n := range []int{0, 1, 31, 4096, 8<<20 + 1} {
		p := bytes.Repeat([]byte{byte(n), 7}, n/2+n%2)[:n]
		d := put(t, s, p)
		if d != cas.Sum(p) {
			t.Fatalf("Put named %d bytes %s, want %s", n, d, cas.Sum(p))
		}
		expect(t, s, d, p)
		if ok, err := s.Has(d); err != nil || !ok {
			t.Fatalf("Has %s: %v, %v", d.Short(), ok, err)
		}
	}
}

func missing(t *testing.T, s cas.Store) {
	d := cas.Sum([]byte("never put"))
	if ok, err := s.Has(d); err != nil || ok {
		t.Fatalf("Has: %v, %v", ok, err)
	}
	_, err := s.Get(d)
	if !errors.Is(err, cas.ErrNotFound) {
		t.Fatalf("Get: %v, want ErrNotFound", err)
	}
	if !strings.Contains(err.Error(), d.String()) {
		t.Fatalf("Get: %q does not name %s", err, d)
	}
}

func putTwice(t *testing.T, s cas.Store) {
	p := []byte("the same")
	first, again := put(t, s, p), put(t, s, p)
	if first != again {
		t.Fatal("the same bytes have two names")
	}
	expect(t, s, cas.Sum(p), p)
}

func noAliasing(t *testing.T, s cas.Store) {
	p := []byte("before")
	d := put(t, s, p)
	copy(p, "after!")
	expect(t, s, d, []byte("before"))
}

func concurrent(t *testing.T, s cas.Store) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 50 {
				p := fmt.Appendf(nil, "payload %d", (i+g)%60)
				d, err := s.Put(p)
				if err == nil {
					_, err = s.Get(d)
				}
				if err != nil {
					t.Errorf("payload %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}
