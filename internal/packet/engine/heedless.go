package engine

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// heedless is a Sink that leaves out connections of some clients.
type heedless struct {
	rt.Sink
	ignore func(client flow.Endpoint) bool
}

func (h *heedless) Transaction(t *rt.Transaction) {
	if !h.ignore(t.Client) {
		h.Sink.Transaction(t)
	}
}

func (h *heedless) Handshake(c *rt.Connection) {
	if !h.ignore(c.Client) {
		h.Sink.Handshake(c)
	}
}

func (h *heedless) Resent(c *rt.Connection, d flow.Dir, at int64) {
	if !h.ignore(c.Client) {
		h.Sink.Resent(c, d, at)
	}
}

func (h *heedless) Refilled(c *rt.Connection, at int64) {
	if !h.ignore(c.Client) {
		h.Sink.Refilled(c, at)
	}
}
