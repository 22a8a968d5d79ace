package traffic

import (
	"cmp"
	"slices"
	"sync"

	"rtrail/internal/packet/rt"
)

// Stream puts the transactions of all workers in one order and hands them on as
// they complete, without keeping them: batch of packets after batch, and within
// a batch by the end of the response. The order does not depend on the number
// of workers.
type Stream struct {
	// Encode, if set, makes the bytes of a transaction; it is called by the
	// workers at the same time, so that each has one of its own.
	Encode func(worker int) func(b []byte, t *rt.Transaction) []byte
	// Text takes what was encoded, which is valid during the call only; Rows what
	// was not: copies that may be kept.
	Text func(*Place, []byte) error
	Rows func([]rt.Transaction) error
	// Flush is called when all that is complete was handed on; it may be nil.
	Flush func() error
	// Failed is told the first error of the others; nothing is handed on after it.
	Failed func(error)

	mu    sync.Mutex
	lanes [][]*chunk // of each worker: batches that another worker is not through with
	err   error
	free  []*chunk
}

// chunk is what one worker found in one batch.
type chunk struct {
	keys   []streamKey
	text   []byte
	places []Place // of what is in text
	rows   []rt.Transaction
}

type streamKey struct {
	end      int64
	id       uint64
	from, to int // in text
	at       int // in places, or in rows
	in       *chunk
}

// maxPending bounds a chunk: at the end of a capture everything that is open
// completes at once. What is beyond is handed on without waiting for others.
const maxPending = 8 << 20

// Start makes room for the workers.
func (s *Stream) Start(workers int) { s.lanes = make([][]*chunk, workers) }

// Listener is that of a worker.
func (s *Stream) Listener(worker int) Listener {
	l := &lane{stream: s, worker: worker, chunk: &chunk{}}
	if s.Encode != nil {
		l.encode = s.Encode(worker)
	}
	return l
}

// Err is the first error.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

type lane struct {
	stream *Stream
	worker int
	encode func([]byte, *rt.Transaction) []byte
	chunk  *chunk
}

func (l *lane) Connection(*rt.Connection) {}

func (l *lane) Transaction(t *rt.Transaction) {
	c := l.chunk
	k := streamKey{end: t.Start + int64(t.Total()), id: t.ID, in: c}
	if l.encode != nil {
		k.from, k.at = len(c.text), len(c.places)
		c.text, c.places = l.encode(c.text, t), append(c.places, placeOf(t))
		k.to = len(c.text)
	} else {
		k.at = len(c.rows)
		c.rows = append(c.rows, *t)
	}
	c.keys = append(c.keys, k)
	if len(c.text) > maxPending || len(c.rows) > maxPending/512 {
		l.stream.handNow(c)
	}
}

func (l *lane) Batch() {
	s := l.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes[l.worker] = append(s.lanes[l.worker], l.chunk)
	l.chunk = &chunk{}
	if n := len(s.free); n > 0 {
		l.chunk, s.free = s.free[n-1], s.free[:n-1]
	}
	found := false
	for !slices.ContainsFunc(s.lanes, func(lane []*chunk) bool { return len(lane) == 0 }) {
		same := make([]*chunk, len(s.lanes))
		for i := range s.lanes {
			same[i] = s.lanes[i][0]
			s.lanes[i] = slices.Delete(s.lanes[i], 0, 1)
			found = found || len(same[i].keys) > 0
		}
		s.hand(same...)
		s.free = append(s.free, same...)
	}
	if found && s.Flush != nil && s.err == nil {
		s.fail(s.Flush())
	}
}

// handNow hands a chunk on before its batch is complete.
func (s *Stream) handNow(c *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hand(c)
}

// hand sorts and hands on chunks, and empties them, also if whoever takes them panics.
func (s *Stream) hand(chunks ...*chunk) {
	defer func() {
		for _, c := range chunks {
			clear(c.rows)
			c.keys, c.text, c.places, c.rows = c.keys[:0], c.text[:0], c.places[:0], c.rows[:0]
		}
	}()
	var keys []streamKey
	if len(chunks) == 1 {
		keys = chunks[0].keys
	} else {
		for _, c := range chunks {
			keys = append(keys, c.keys...)
		}
	}
	slices.SortStableFunc(keys, func(a, b streamKey) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.id, b.id)) })
	var rows []rt.Transaction
	if s.Text == nil {
		rows = make([]rt.Transaction, 0, len(keys))
	}
	for _, k := range keys {
		if s.err != nil {
			break
		}
		if s.Text != nil {
			s.fail(s.Text(&k.in.places[k.at], k.in.text[k.from:k.to]))
		} else {
			rows = append(rows, k.in.rows[k.at])
		}
	}
	if len(rows) > 0 && s.err == nil {
		s.fail(s.Rows(rows))
	}
}

func (s *Stream) fail(err error) {
	if err != nil && s.err == nil {
		s.err = err
		if s.Failed != nil {
			s.Failed(err)
		}
	}
}
