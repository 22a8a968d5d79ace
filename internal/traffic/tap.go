package traffic

import (
	"slices"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// Listener takes what one worker finds, beside the summary. What it is given
// is valid during the call only.
type Listener interface {
	Transaction(*rt.Transaction)
	Connection(*rt.Connection)
	// Batch is called when the worker is through with a batch of packets, and once
	// more at the end. All workers are given the same batches in the same order.
	Batch()
}

// Tap hands what the engine finds to a summary and to listeners, as far as it
// is wanted.
type Tap struct {
	Summary *summary.Collectors
	Ports   []uint16 // of servers; none: all
	// Keep makes the filter of a worker; nil: everything is kept.
	Keep func() func(*rt.Transaction) bool
	// Listeners make the listener of a worker.
	Listeners []func(worker int) Listener
}

// Collector is that of a worker.
func (t *Tap) Collector(worker int) engine.Collector {
	c := &tapped{ports: t.Ports, sum: t.Summary.Worker(worker)}
	if t.Keep != nil {
		c.keep = t.Keep()
	}
	for _, l := range t.Listeners {
		c.listeners = append(c.listeners, l(worker))
	}
	return c
}

type tapped struct {
	ports     []uint16
	keep      func(*rt.Transaction) bool
	sum       *summary.Collector
	listeners []Listener
}

func (c *tapped) wanted(port uint16) bool { return len(c.ports) == 0 || slices.Contains(c.ports, port) }

func (c *tapped) Transaction(t *rt.Transaction) {
	if !c.wanted(t.Server.Port) || c.keep != nil && !c.keep(t) {
		return
	}
	c.sum.Transaction(t)
	for _, l := range c.listeners {
		l.Transaction(t)
	}
}

func (c *tapped) Connection(k *rt.Connection) {
	c.sum.Connection(k)
	if !c.wanted(k.Server.Port) {
		return
	}
	for _, l := range c.listeners {
		l.Connection(k)
	}
}

func (c *tapped) Handshake(k *rt.Connection)                    { c.sum.Handshake(k) }
func (c *tapped) Resent(k *rt.Connection, d flow.Dir, at int64) { c.sum.Resent(k, d, at) }
func (c *tapped) Refilled(k *rt.Connection, at int64)           { c.sum.Refilled(k, at) }

func (c *tapped) Asks(open func(at int64, give func(*rt.Open))) {
	if c.keep == nil { // it tells transactions apart, and these are none yet
		c.sum.Asks(open)
	}
}

func (c *tapped) Reached(at int64, last bool) { c.sum.Reached(at, last) }

func (c *tapped) Progress(at int64) {
	// Deferred: all workers count the same batches, whatever panics here.
	for _, l := range c.listeners {
		defer l.Batch()
	}
	c.sum.Progress(at)
}
