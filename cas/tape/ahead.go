package tape

// aheadOf is how many of the next payloads a replay fetches and checks while
// the guest still works on the one before.
const aheadOf = 2

// fetch is a payload on its way from the store.
type fetch struct {
	p    []byte
	err  error
	done chan struct{}
}

// fetched returns what the store has for an answer, and starts on the next.
func (d *Deck) fetched(a *stored) ([]byte, error) {
	f := d.ahead[a]
	delete(d.ahead, a)
	d.fetchAhead()
	if f == nil {
		return d.store.Get(a.Digest)
	}
	<-f.done
	return f.p, f.err
}

// fetchAhead starts fetching large payloads among the records to come.
func (d *Deck) fetchAhead() {
	for i := d.records; i < d.records+aheadOf && i < uint64(len(d.tape.records)); i++ {
		a, ok := d.tape.records[i].value.(*stored)
		if !ok || a.Length < asyncAbove || d.ahead[a] != nil {
			continue
		}
		if d.ahead == nil {
			d.ahead = map[*stored]*fetch{}
		}
		f := &fetch{done: make(chan struct{})}
		d.ahead[a] = f
		go func() {
			f.p, f.err = d.store.Get(a.Digest)
			close(f.done)
		}()
	}
}
