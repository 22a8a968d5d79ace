package summary

import (
	"strings"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// longRun is how many equal requests in a row are worth a count: fewer are what
// any page or transaction may need.
const longRun = 20

// Runs sums up long runs of one statement: stretches of a connection in which
// it was executed time and again and nothing else, with something else before
// and after.
type Runs struct {
	Runs     uint64
	Requests uint64 // in all of them
	Most     uint64 // in one
	Time     time.Duration
	Waited   time.Duration // of Time, for answers
}

func (r *Runs) add(x *rt.Run) {
	r.Runs++
	r.Requests += uint64(x.Count)
	r.Most = max(r.Most, uint64(x.Count))
	r.Time += x.Time
	r.Waited += x.Waited
}

func (r *Runs) merge(o *Runs) {
	r.Runs += o.Runs
	r.Requests += o.Requests
	r.Most = max(r.Most, o.Most)
	r.Time += o.Time
	r.Waited += o.Waited
}

// ran counts the run that a transaction ended.
func (c *Collector) ran(service Service, t *rt.Transaction) {
	if t.After.Count < longRun {
		return
	}
	if s := c.sum.Statements[StatementKey{service, t.After.Command, t.After.Fingerprint}]; s != nil {
		s.Runs.add(&t.After)
	}
}

// ends says that a statement ends a transaction of a database. What a client
// does before it, it does while the transaction holds its locks.
func ends(fingerprint string) bool {
	return len(fingerprint) >= 6 && len(fingerprint) <= 11 &&
		(strings.EqualFold(fingerprint, "commit") || strings.EqualFold(fingerprint, "commit work"))
}

// cutShort says that a request was not answered to the end.
func cutShort(t *rt.Transaction) bool {
	return t.Status == proto.Unanswered || t.Failed && t.Error == proto.EndedWithin
}

// interrupted keeps the request in the middle of which a connection was closed,
// or that crossed the FIN.
// The last transactions of a connection come right before its end.
func (c *Collector) interrupted(k *rt.Connection) {
	if k.Closer.Frame == 0 || c.cut.Connection != k.ID || c.cut.Start > k.Closer.At && k.CloseState != rt.Crossed {
		return
	}
	s := c.sum
	s.Broken++
	if len(s.Interrupted) < c.options.Slowest {
		s.Interrupted = append(s.Interrupted, Interrupted{k.Clone(), c.cut})
	}
}

// Interrupted is a connection that was closed in the middle of a request, and
// the request.
type Interrupted struct {
	rt.Connection
	Transaction rt.Transaction
}
