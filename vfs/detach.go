package vfs

// Detach ends the tree's part in its session: from now on bases are asked
// live, nothing goes on a tape, and faults are only kept for Err.
func (f *FS) Detach() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cfg.Deck, f.cfg.Fault = nil, nil
}
