package traffic

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/nearest"
	"rtrail/internal/packet/rt"
)

// Order is an order of transactions.
type Order struct {
	Name  string
	value func(*rt.Transaction) int64
	rises bool // ascending; else the highest comes first
}

// Unsorted lists transactions as they complete.
const Unsorted = "none"

var orders = []Order{
	{"start", func(t *rt.Transaction) int64 { return t.Start }, true},
	{"rt", waited(func(t *rt.Transaction) time.Duration { return t.RT }), false},
	{"total", waited((*rt.Transaction).Total), false},
	{"upload", waited(func(t *rt.Transaction) time.Duration { return t.Upload }), false},
	{"server", waited(func(t *rt.Transaction) time.Duration { return t.Serve }), false},
	{"download", waited(func(t *rt.Transaction) time.Duration { return t.Download }), false},
	{"idle", func(t *rt.Transaction) int64 { return int64(t.Idle) }, false},
	{"retransmit", waited(func(t *rt.Transaction) time.Duration { return t.Retransmit }), false},
	{"rows", func(t *rt.Transaction) int64 { return t.Rows }, false},
	{"bytes", func(t *rt.Transaction) int64 { return t.RequestBytes + t.ResponseBytes }, false},
}

// waited orders by a time; transactions whose times cannot be used come last.
func waited(d func(*rt.Transaction) time.Duration) func(*rt.Transaction) int64 {
	return func(t *rt.Transaction) int64 {
		if !t.Usable() {
			return -1
		}
		return int64(d(t))
	}
}

// OrderNames are all that --sort takes.
func OrderNames() []string {
	var names []string
	for _, o := range orders {
		names = append(names, o.Name)
	}
	return append(names, Unsorted)
}

// OrderNamed finds an order.
func OrderNamed(name string) (Order, error) {
	for _, o := range orders {
		if o.Name == name {
			return o, nil
		}
	}
	names := OrderNames()
	return Order{}, fmt.Errorf("--sort %s: there are %s%s", name, strings.Join(names, ", "), nearest.Hint(name, names))
}

// compare says which one comes first; equal ones are in the order of the capture.
func (o *Order) compare(a, b *rt.Transaction) int {
	by := cmp.Compare(o.value(a), o.value(b))
	if !o.rises {
		by = -by
	}
	return cmp.Or(by, captured(a, b))
}

// captured is the order of the capture. Requests that one packet carried, one
// behind the other, are in the order of their bytes.
func captured(a, b *rt.Transaction) int {
	x, y := placeOf(a), placeOf(b)
	return x.compare(&y)
}

// Place is where a transaction stands in the order of the capture.
type Place struct {
	Start                             int64 // of the transaction
	id, connection, request, response uint64
}

func placeOf(t *rt.Transaction) Place {
	return Place{t.Start, t.ID, t.Connection, t.RequestOffset, t.ResponseOffset}
}

func (p *Place) compare(o *Place) int {
	return cmp.Or(cmp.Compare(p.Start, o.Start), cmp.Compare(p.id, o.id), cmp.Compare(p.connection, o.connection),
		cmp.Compare(p.request, o.request), cmp.Compare(p.response, o.response))
}

// Best keeps the first n transactions of an order, whatever their number.
type Best struct {
	Order  Order
	Limit  int
	Usable bool // only those whose times can be used

	workers []*bestWorker
}

// Listener is that of a worker; they are made one after the other.
func (b *Best) Listener(int) Listener {
	w := &bestWorker{of: b}
	b.workers = append(b.workers, w)
	return w
}

// List is what was kept, in order, and how many there were in all; the engine
// must have ended.
func (b *Best) List() (list []rt.Transaction, seen uint64) {
	for _, w := range b.workers {
		list = append(list, w.list...)
		seen += w.seen
	}
	slices.SortFunc(list, func(x, y rt.Transaction) int { return b.Order.compare(&x, &y) })
	return list[:min(len(list), b.Limit)], seen
}

// bestWorker is a heap with the last one of the order on top.
type bestWorker struct {
	of   *Best
	list []rt.Transaction
	seen uint64
}

func (w *bestWorker) Transaction(t *rt.Transaction) {
	if w.of.Usable && !t.Usable() {
		return
	}
	w.seen++
	switch {
	case len(w.list) < w.of.Limit:
		heap.Push(w, *t)
	case w.of.Limit > 0 && w.of.Order.compare(t, &w.list[0]) < 0:
		w.list[0] = *t
		heap.Fix(w, 0)
	}
}

func (w *bestWorker) Connection(*rt.Connection) {}
func (w *bestWorker) Batch()                    {}

func (w *bestWorker) Len() int           { return len(w.list) }
func (w *bestWorker) Less(i, j int) bool { return w.of.Order.compare(&w.list[i], &w.list[j]) > 0 }
func (w *bestWorker) Swap(i, j int)      { w.list[i], w.list[j] = w.list[j], w.list[i] }
func (w *bestWorker) Push(x any)         { w.list = append(w.list, x.(rt.Transaction)) }
func (w *bestWorker) Pop() any {
	last := len(w.list) - 1
	t := w.list[last]
	w.list = w.list[:last]
	return t
}

// Reorder puts the texts of a stream of transactions into the order of their
// beginnings. It looks Window transactions ahead: one that took longer than the
// next Window ones together comes late, and is counted.
type Reorder struct {
	Window int
	Give   func(*Place, []byte) error
	Late   uint64

	list []begun // a heap with the first one on top
	free []*placed
	last int64
}

// placed is a text that waits for its turn.
type placed struct {
	Place
	text []byte
}

// Text takes that of the next transaction.
func (r *Reorder) Text(p *Place, text []byte) error {
	t := new(placed)
	if n := len(r.free); n > 0 {
		t, r.free = r.free[n-1], r.free[:n-1]
	}
	t.Place, t.text = *p, append(t.text[:0], text...)
	r.push(t)
	if len(r.list) > r.Window {
		return r.next()
	}
	return nil
}

// Close gives out what is left.
func (r *Reorder) Close() error {
	for len(r.list) > 0 {
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reorder) next() error {
	t := r.pop()
	defer func() { r.free = append(r.free, t) }()
	if t.Start < r.last {
		r.Late++
	}
	r.last = max(r.last, t.Start)
	return r.Give(&t.Place, t.text)
}

// begun is a text that waits, with its beginning, which most comparisons need only.
type begun struct {
	at int64
	*placed
}

func (b *begun) before(o *begun) bool {
	return b.at < o.at || b.at == o.at && b.compare(&o.Place) < 0
}

func (r *Reorder) push(t *placed) {
	r.list = append(r.list, begun{t.Start, t})
	for i := len(r.list) - 1; i > 0; {
		above := (i - 1) / 2
		if !r.list[i].before(&r.list[above]) {
			return
		}
		r.list[i], r.list[above] = r.list[above], r.list[i]
		i = above
	}
}

func (r *Reorder) pop() *placed {
	first, end := r.list[0].placed, len(r.list)-1
	r.list[0] = r.list[end]
	r.list = r.list[:end]
	for i := 0; ; {
		below := 2*i + 1
		if below+1 < end && r.list[below+1].before(&r.list[below]) {
			below++
		}
		if below >= end || !r.list[below].before(&r.list[i]) {
			return first
		}
		r.list[i], r.list[below] = r.list[below], r.list[i]
		i = below
	}
}
