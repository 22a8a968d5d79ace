package pcap

import "sync"

// holder is memory that packets point into.
type holder interface{ release() }

// batch is a Batch that goes back to its pool.
type batch struct {
	Batch
	pool *pool
	held holder // nil while no packet points anywhere
}

// pool recycles batches. It holds as many as were ever in use at once.
type pool struct {
	mu   sync.Mutex
	free []*batch
}

func (p *pool) get() *batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	b := &batch{pool: p}
	b.Packets = make([]Packet, 0, batchPackets)
	b.Release = b.release
	return b
}

func (b *batch) release() {
	if b.held != nil {
		b.held.release()
		b.held = nil
	}
	b.Packets = b.Packets[:0]
	b.pool.mu.Lock()
	b.pool.free = append(b.pool.free, b)
	b.pool.mu.Unlock()
}
