package engine

import (
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
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

func (h *heedless) Handshake(c *tcp.Conn) {
	if !h.ignore(c.Client) {
		h.Sink.Handshake(c)
	}
}

func (h *heedless) Resent(c *tcp.Conn, d flow.Dir, at int64) {
	if !h.ignore(c.Client) {
		h.Sink.Resent(c, d, at)
	}
}

func (h *heedless) Refilled(c *tcp.Conn, at int64) {
	if !h.ignore(c.Client) {
		h.Sink.Refilled(c, at)
	}
}
