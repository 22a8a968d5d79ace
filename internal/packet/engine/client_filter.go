package engine

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// clientFilter is a Sink that leaves out connections of some clients.
type clientFilter struct {
	rt.Sink
	ignore func(client flow.Endpoint) bool
}

func (f *clientFilter) Transaction(t *rt.Transaction) {
	if !f.ignore(t.Client) {
		f.Sink.Transaction(t)
	}
}

func (f *clientFilter) Handshake(c *rt.Connection) {
	if !f.ignore(c.Client) {
		f.Sink.Handshake(c)
	}
}

func (f *clientFilter) Resent(c *rt.Connection, d flow.Dir, at int64) {
	if !f.ignore(c.Client) {
		f.Sink.Resent(c, d, at)
	}
}

func (f *clientFilter) Refilled(c *rt.Connection, at int64) {
	if !f.ignore(c.Client) {
		f.Sink.Refilled(c, at)
	}
}
