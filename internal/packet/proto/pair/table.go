package pair

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Table is the requests of one connection that wait for answers which name them,
// by a number that both carry: answers may come in any order.
//
// After a loss pairing goes on where it was, since numbers tell. What may have been
// answered within the loss is given out as unanswered and lossy as soon as
// something that was asked later is answered.
type Table struct {
	// Now is the answer under way. The decoder fills in Response, Failed, Code,
	// Error, Rows and Doubt; the table does the rest.
	Now proto.Exchange

	sink proto.Sink
	max  int
	list []*numbered // in the order in which they were sent
	free []*numbered
}

// numbered is a request and the number that its answer will carry.
type numbered struct {
	Pending
	id   uint64
	torn bool // its answer may have been lost
}

// NewTable makes a table that holds at most max requests.
func NewTable(sink proto.Sink, max int) Table {
	return Table{sink: sink, max: max, Now: proto.Exchange{Rows: proto.RowsNone}}
}

// Len is how many requests wait.
func (t *Table) Len() int { return len(t.list) }

// Oldest is the request that has waited longest; nil if none waits.
func (t *Table) Oldest() *Pending {
	if len(t.list) == 0 {
		return nil
	}
	return &t.list[0].Pending
}

// Newest is the request that was opened last; nil if none waits.
func (t *Table) Newest() *Pending {
	if len(t.list) == 0 {
		return nil
	}
	return &t.list[len(t.list)-1].Pending
}

// Find is the oldest request with a number; nil if none waits.
func (t *Table) Find(id uint64) *Pending {
	if i := t.index(id); i >= 0 {
		return &t.list[i].Pending
	}
	return nil
}

func (t *Table) index(id uint64) int {
	for i, n := range t.list {
		if n.id == id {
			return i
		}
	}
	return -1
}

// Open appends a request. Several may have one number: the oldest of them is
// answered first. What it returns is valid until the request is given out.
func (t *Table) Open(id uint64) *Pending {
	if i := t.index(id); i >= 0 && t.list[i].torn {
		t.unanswered(i, proto.Lossy) // the number is free again: it was answered in the loss
	}
	if len(t.list) >= t.max {
		t.unanswered(0, proto.Ambiguous)
	}
	n := t.fresh(id)
	t.list = append(t.list, n)
	n.Depth = uint16(min(len(t.list), 1<<16-1))
	return &n.Pending
}

func (t *Table) fresh(id uint64) *numbered {
	last := len(t.free) - 1
	if last < 0 {
		return &numbered{id: id}
	}
	n := t.free[last]
	t.free = t.free[:last]
	*n = numbered{Pending: Pending{text: n.text[:0]}, id: id}
	return n
}

// Answered gives out the oldest request with a number and the answer that was
// collected, or the answer alone if no such request is known.
func (t *Table) Answered(id uint64) {
	if i := t.index(id); i >= 0 {
		t.answered(i)
		return
	}
	t.emit(nil, proto.Unpaired, 0)
}

// AnsweredOldest gives out the request that has waited longest and the answer that was
// collected. There must be one.
func (t *Table) AnsweredOldest() { t.answered(0) }

func (t *Table) answered(i int) {
	now := t.Now
	for j := 0; j < i; {
		if !t.list[j].torn {
			j++
			continue
		}
		t.unanswered(j, proto.Lossy)
		i--
	}
	t.Now = now
	n := t.remove(i)
	t.emit(&n.Pending, proto.Answered, n.Doubt)
	t.recycle(n)
}

// Undo takes a request back that was opened last: it was none.
func (t *Table) Undo() {
	if last := len(t.list) - 1; last >= 0 {
		t.recycle(t.remove(last))
	}
}

// Unanswerable gives out the request opened last, which has no answer by protocol.
func (t *Table) Unanswerable() { t.silent(len(t.list) - 1) }

// Silent gives out the oldest request with a number, if one waits: it has no answer by
// protocol.
func (t *Table) Silent(id uint64) {
	if i := t.index(id); i >= 0 {
		t.silent(i)
	}
}

// GiveUp gives out the oldest request with a number, if one waits, as unanswered: the
// client wants no answer any more.
func (t *Table) GiveUp(id uint64) {
	if i := t.index(id); i >= 0 {
		t.unanswered(i, 0)
	}
}

func (t *Table) silent(i int) {
	now := t.Now
	t.Forget()
	n := t.remove(i)
	t.emit(&n.Pending, proto.NoAnswer, n.Doubt)
	t.recycle(n)
	t.Now = now
}

// Forget drops the answer under way.
func (t *Table) Forget() { t.Now = proto.Exchange{Rows: proto.RowsNone} }

// Tear says that answers may have been lost.
func (t *Table) Tear() {
	for _, n := range t.list {
		n.torn = true
	}
}

// Suspect doubts all requests that wait, for protocols in which numbers come again
// soon: after a loss the next answer with a number may be that to another request.
func (t *Table) Suspect() {
	for _, n := range t.list {
		n.Doubt |= proto.Lossy
	}
}

// End gives out the requests that wait as unanswered.
func (t *Table) End() {
	for len(t.list) > 0 {
		doubt := proto.Doubt(0)
		if t.list[0].torn {
			doubt = proto.Lossy
		}
		t.unanswered(0, doubt)
	}
	t.list, t.free = nil, nil
}

// Broken marks an answer that the end of the connection or of the capture cut
// short.
func (t *Table) Broken(how flow.Ending) { broken(&t.Now, how) }

func (t *Table) unanswered(i int, doubt proto.Doubt) {
	t.Forget()
	n := t.remove(i)
	t.emit(&n.Pending, proto.Unanswered, n.Doubt|doubt)
	t.recycle(n)
}

func (t *Table) remove(i int) *numbered {
	n := t.list[i]
	t.list = append(t.list[:i], t.list[i+1:]...)
	return n
}

// recycle keeps a few slots: most connections have one request under way.
func (t *Table) recycle(n *numbered) {
	const max = 8
	if len(t.free) < max {
		t.free = append(t.free, n)
	}
}

func (t *Table) emit(p *Pending, s proto.Status, doubt proto.Doubt) {
	e := &t.Now
	e.Status = s
	e.Doubt |= doubt
	if p != nil {
		e.Request, e.Command, e.Depth = p.Request, p.Command, p.Depth
		if len(p.text) > 0 {
			e.Text, e.TextCut = p.text, p.TextCut
		}
	}
	t.sink.Exchange(e)
	t.Forget()
}
