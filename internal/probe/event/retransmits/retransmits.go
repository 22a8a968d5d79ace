// Package retransmits is the source of TCP segments that are sent again, and of resets,
// by connection.
package retransmits

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build retransmits ../event/retransmits

//go:embed retransmits.o
var object []byte

// Source is one run's. It is not for concurrent use.
type Source struct {
	set     *event.Set
	sums    *event.Sums[key, sum]
	stretch event.Stretch
	crowd   event.Crowd
}

// New makes the source.
func New() *Source { return &Source{} }

// Name is the word users see.
func (s *Source) Name() string { return "retransmits" }

// Help says what it reads.
func (s *Source) Help() string {
	return "TCP segments that are sent again, and resets, by connection: tcp_retransmit_skb, tcp_retransmit_synack, tcp_send_reset, tcp_receive_reset"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.TCPEvents} }

const reasons = "sk_rst_reason"

// Object is bpf/retransmits.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: event.Stateless, Enums: []string{reasons}, Hooks: []event.Hook{
		{Tracepoint: "tcp_retransmit_skb", Programs: []event.Variant{{Arguments: "ppi", Program: "sent_again_or_failed"}, {Arguments: "pp", Program: "sent_again"}}},
		{Tracepoint: "tcp_retransmit_synack", Programs: []event.Variant{{Arguments: "pp", Program: "synack_sent_again"}}, Without: "SYN-ACKs that are sent again"},
		{Tracepoint: "tcp_send_reset", Programs: []event.Variant{{Arguments: "ppi", Program: "reset_sent_for_reason"}, {Arguments: "pp", Program: "reset_sent"}}, Without: "resets that this host sends"},
		{Tracepoint: "tcp_receive_reset", Programs: []event.Variant{{Arguments: "p", Program: "reset_received"}}, Without: "resets that this host receives"},
	}}
}

// Open finds what is summed up.
func (s *Source) Open(set *event.Set) (err error) {
	s.set = set
	s.sums, err = event.OpenSums[key, sum](set)
	return err
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return nil
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was summed up since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, _ bool) error {
	now := time.Now()
	keys, sums, err := s.sums.Take()
	if err := errors.Join(err, s.set.Set("repeats", uint32(0)), s.set.Set("resets", uint32(0)), s.set.Set("services", uint32(0))); err != nil {
		return err
	}
	recording.Give(w, s.rows(keys, sums, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "segments that were sent again, and resets", "there were more in different network namespaces than there is room for")
}
