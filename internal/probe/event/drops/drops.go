// Package drops is the source of packets that the kernel drops: how many, for which
// reason, in which function, in which network namespace and for which port.
package drops

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/cilium/ebpf"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

//go:generate ../../kernel/build drops ../event/drops

//go:embed drops.o
var object []byte

// maxSums bounds what the program tells apart, as in bpf/drops.c.
const maxSums = 4096

// maxRows is how many rows one reading gives. What has fewer packets is summed up
// without its port.
const maxRows = 500

// Source is one run's. It is not for concurrent use.
type Source struct {
	set     *event.Set
	symbols *event.Symbols
	told    map[key]sum // when last read
	keys    []key       // room for one call
	sums    []sum
	stretch event.Stretch
	crowd   event.Crowd
}

// key is struct key of bpf/drops.c.
type key struct {
	Location       uint64
	NetNS, Reason  uint32
	Device         [16]byte
	Protocol, Port uint16
	Transport      uint32
}

// sum is struct sum of bpf/drops.c.
type sum struct {
	Packets, Bytes      uint64
	Source, Destination [16]byte
}

// New makes the source.
func New() *Source {
	return &Source{told: map[key]sum{}, keys: make([]key, batch), sums: make([]sum, batch)}
}

// batch is how many sums are read with one call.
const batch = 512

// Name is the word users see.
func (s *Source) Name() string { return "drops" }

// Help says what it reads.
func (s *Source) Help() string {
	return "packets that the kernel drops, with reason and function: kfree_skb"
}

// Fills lists the tables it writes.
func (s *Source) Fills() []recording.Table { return []recording.Table{recording.PacketDrops} }

const reasons = "skb_drop_reason"

// Object is bpf/drops.c.
func (s *Source) Object() event.Object {
	return event.Object{ELF: object, Paused: event.Stateless, Enums: []string{reasons}, Hooks: []event.Hook{
		{Tracepoint: "kfree_skb", Programs: []event.Variant{{Arguments: "ppip", Program: "dropped_by_socket"}, {Arguments: "ppi", Program: "dropped"}}},
	}}
}

// Open has nothing to prepare.
func (s *Source) Open(set *event.Set) error {
	s.set, s.symbols = set, event.NewSymbols(set)
	return nil
}

// Attaching begins to count.
func (s *Source) Attaching() error {
	s.stretch.Begin(s.set)
	return nil
}

// Close has nothing to give back.
func (s *Source) Close() error { return nil }

// Read writes what was dropped since the last time.
func (s *Source) Read(_ context.Context, w *recording.Writer, last bool) error {
	now := time.Now()
	fresh, err := s.take(last)
	if err != nil {
		return err
	}
	addresses := make([]uint64, 0, len(fresh))
	for k := range fresh {
		addresses = append(addresses, k.Location)
	}
	if err := s.symbols.Learn(addresses); err != nil {
		return err
	}
	recording.Give(w, s.rows(fresh, now, s.stretch.Next(now)))
	return s.crowd.Tell(s.set, w, s.Name(), "reasons for which packets were dropped", fmt.Sprintf("there were more kinds of drops than %d", maxSums))
}

// take reads all sums, and returns what was added to each. To read them takes a
// while: unless it is the last time, they are read if the program says that it added to them.
func (s *Source) take(last bool) (map[key]sum, error) {
	const variable = "fresh"
	var added uint32
	if err := s.set.Get(variable, &added); err != nil {
		return nil, err
	}
	if added == 0 && !last {
		return nil, nil
	}
	// Cleared first: what is added meanwhile is read now, or the next time.
	if err := s.set.Set(variable, uint32(0)); err != nil {
		return nil, err
	}
	fresh := map[key]sum{}
	var cursor ebpf.MapBatchCursor
	k, v := s.keys, s.sums
	for {
		n, err := s.set.Map("sums").BatchLookup(&cursor, k, v, nil)
		for i := range n {
			before := s.told[k[i]]
			s.told[k[i]] = v[i]
			d := v[i]
			d.Packets -= before.Packets
			d.Bytes -= before.Bytes
			if d.Packets > 0 {
				fresh[k[i]] = d
			}
		}
		switch {
		case errors.Is(err, ebpf.ErrKeyNotExist):
			return fresh, nil
		case err != nil:
			return nil, fmt.Errorf("read the sums of the BPF program drops: %w", err)
		}
	}
}

// rows makes rows of sums, those with most packets first.
func (s *Source) rows(fresh map[key]sum, now time.Time, of event.Traced) []recording.PacketDrop {
	rows := make([]recording.PacketDrop, 0, len(fresh))
	for k, v := range fresh {
		rows = append(rows, recording.PacketDrop{
			At: now, Span: of.Span, Traced: of.Part, NetNS: uint64(k.NetNS), Device: event.Text(&k.Device), Reason: s.reason(k.Reason), Function: s.symbols.Name(k.Location),
			Protocol: protocol(k.Protocol, k.Transport), Port: k.Port, Packets: int64(v.Packets), Bytes: int64(v.Bytes),
			Source: address(k.Protocol, v.Source), Destination: address(k.Protocol, v.Destination),
		})
	}
	most(rows)
	if len(rows) <= maxRows {
		return rows
	}
	type kind struct {
		netns                              uint64
		device, reason, function, protocol string
	}
	at := map[kind]int{}
	few := rows[maxRows:]
	rows = rows[:maxRows:maxRows]
	for _, r := range few {
		k := kind{r.NetNS, r.Device, r.Reason, r.Function, r.Protocol}
		i, ok := at[k]
		if !ok {
			at[k] = len(rows)
			r.Port, r.Source, r.Destination = 0, "", ""
			rows = append(rows, r)
			continue
		}
		rows[i].Packets += r.Packets
		rows[i].Bytes += r.Bytes
	}
	return rows
}

// most puts the largest counts first.
func most(rows []recording.PacketDrop) {
	slices.SortFunc(rows, func(a, b recording.PacketDrop) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(a.NetNS, b.NetNS), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Function, b.Function),
			cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Device, b.Device))
	})
}

// reason is the kernel's word. Those of modules (mac80211, openvswitch) have a
// subsystem in their upper half, and are not among the kernel's own types.
func (s *Source) reason(value uint32) string {
	if word := s.set.Word(reasons, uint64(value)); word != "" {
		return strings.TrimPrefix(word, "SKB_DROP_REASON_")
	}
	if value>>16 != 0 {
		return fmt.Sprintf("subsystem %d reason %d", value>>16, value&0xffff)
	}
	return fmt.Sprintf("reason %d", value)
}

const (
	etherIPv4 = 0x0800
	etherARP  = 0x0806
)

func protocol(ether uint16, transport uint32) string {
	if ether == etherARP {
		return "arp"
	}
	return event.Protocol(transport)
}

func address(ether uint16, b [16]byte) string {
	switch {
	case ether == etherARP || b == [16]byte{}:
		return ""
	case ether == etherIPv4:
		return netip.AddrFrom4([4]byte(b[:4])).String()
	}
	return netip.AddrFrom16(b).String()
}
