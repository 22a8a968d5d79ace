package proto

const (
	// firstBytes is the room in a new buffer: most statements and all headers fit.
	firstBytes = 256
	// largestKept is the largest buffer that is kept to be used again.
	largestKept = 8 << 10
	// maxKept is how many are kept, 1 MB of those that never grew.
	maxKept = 4096
)

// Buffer is memory that a connection has while a message is incomplete.
type Buffer struct{ B []byte }

// Buffers is a stock of them, for the decoders of one worker; the zero value is
// an empty one. The last one put back is the first one taken: it is still in
// the cache.
type Buffers struct{ free []*Buffer }

// Get gives an empty buffer.
func (s *Buffers) Get() *Buffer {
	n := len(s.free)
	if n == 0 {
		return &Buffer{make([]byte, 0, firstBytes)}
	}
	b := s.free[n-1]
	s.free = s.free[:n-1]
	b.B = b.B[:0]
	return b
}

// Put takes a buffer back, if there is one, and clears the pointer to it.
func (s *Buffers) Put(b **Buffer) {
	if *b == nil {
		return
	}
	if cap((*b).B) <= largestKept && len(s.free) < maxKept {
		s.free = append(s.free, *b)
	}
	*b = nil
}
