// Package buffers is the source of receive buffers that overflow, and of those of TCP
// that grow: of which socket, how large they are then, and up to which size they may grow.
package buffers

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build buffers ../event/buffers

//go:embed buffers.o
var object []byte

// Source is one run's. It is not for concurrent use.
type Source struct {
	growth  bool
	set     *event.Set
	sums    *event.Sums[key, sum]
	clock   event.Clock
	stretch event.Stretch
	crowd   event.Crowd
}

// New makes the source of buffers that overflow, or that a reader of TCP would have grow
// and cannot.
func New() *Source { return &Source{} }

// Growing makes the source that also counts buffers of TCP that grow.
func Growing() *Source { return &Source{growth: true} }

// Name is the word users see.
func (s *Source) Name() string { return "buffers" }

// Help says what it reads.
func (s *Source) Help() string {
	return "receive buffers of sockets that are full, and of TCP those that grow or cannot: udp_fail_queue_rcv_skb, sock_rcvqueue_full, sock_exceed_buf_limit, kfree_skb, tcp_rcvbuf_grow"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.ReceiveBuffers} }

// Object is bpf/buffers.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: event.Stateless, Hooks: []event.Hook{
		{Tracepoint: "udp_fail_queue_rcv_skb", Programs: []event.Variant{{Arguments: "ipp", Program: "datagram_refused_with_packet"}, {Arguments: "ip", Program: "datagram_refused"}}},
		{Tracepoint: "sock_rcvqueue_full", Programs: []event.Variant{{Arguments: "pp", Program: "queue_full"}}, Without: "full buffers of raw sockets"},
		{Tracepoint: "sock_exceed_buf_limit", Programs: []event.Variant{{Arguments: "ppii", Program: "memory_exceeded"}}, Without: "sockets that found no memory because of tcp_mem or udp_mem"},
		{Tracepoint: "kfree_skb", Programs: []event.Variant{{Arguments: "ppip", Program: "segment_dropped"}}, Without: "sockets whose TCP segments are dropped for want of room"},
		{Tracepoint: "tcp_rcvbuf_grow", Programs: []event.Variant{{Arguments: "p", Program: "grows"}}, Without: "receive buffers of TCP that grow, or cannot"},
	}}
}

// Open finds what is summed up.
func (s *Source) Open(set *event.Set) (err error) {
	s.set = set
	if s.clock, err = event.ReadClock(); err != nil {
		return err
	}
	if s.growth {
		if err := set.Set("growth", uint32(1)); err != nil {
			return err
		}
	}
	s.sums, err = event.OpenSums[key, sum](set)
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return s.set.Run("begin")
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err := errors.Join(err, s.set.Set("apart", uint32(0))); err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "receive buffers that overflowed or grew", "there were more of different ports and processes than there is room for")
}
