package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// PacketPath is what became of the packets of one side of a connection.
func (v *View) PacketPath(connection int64, sender string) (recording.PacketPath, bool) {
	type key struct {
		connection int64
		sender     string
	}
	known := Memo(v, "packet paths", func() map[key]recording.PacketPath {
		m := map[key]recording.PacketPath{}
		for _, row := range overIntervals[recording.PacketPath](v) {
			m[key{row.Connection, row.Sender}] = row
		}
		return m
	})
	row, ok := known[key{connection, sender}]
	return row, ok
}

// PacketRates is what one host sent to others, second by second.
type PacketRates struct {
	From    string
	To      string                 // "" for all others together
	Seconds []recording.PacketRate // ascending; seconds without packets are left out
}

// PacketRates are the rates of every pair of hosts, and of every host to all
// others together where there are several.
func (v *View) PacketRates() []PacketRates {
	return Memo(v, "packet rates", v.packetRates)
}

func (v *View) packetRates() []PacketRates {
	type key struct{ from, to string }
	rows := overIntervals[recording.PacketRate](v)
	keys, pairs := Group(rows, func(r recording.PacketRate) key { return key{r.From, r.To} })
	var list []PacketRates
	others := map[string]int{}
	for _, k := range keys {
		seconds := slices.Clone(pairs[k])
		slices.SortFunc(seconds, func(a, b recording.PacketRate) int { return a.At.Compare(b.At) })
		list = append(list, PacketRates{From: k.from, To: k.to, Seconds: seconds})
		others[k.from]++
	}
	for from, n := range others {
		if n < 2 {
			continue
		}
		sum := map[time.Time]*recording.PacketRate{}
		for _, r := range rows {
			if r.From != from {
				continue
			}
			s := sum[r.At]
			if s == nil {
				s = &recording.PacketRate{At: r.At, From: from}
				sum[r.At] = s
			}
			addRate(s, &r)
		}
		all := PacketRates{From: from}
		for _, s := range sum {
			all.Seconds = append(all.Seconds, *s)
		}
		slices.SortFunc(all.Seconds, func(a, b recording.PacketRate) int { return a.At.Compare(b.At) })
		list = append(list, all)
	}
	slices.SortStableFunc(list, func(a, b PacketRates) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return list
}

// addRate adds up; the busiest tenths may be different ones, so that their sum is
// at most too large.
func addRate(s, r *recording.PacketRate) {
	s.Packets += r.Packets
	s.Bytes += r.Bytes
	s.BusiestPackets += r.BusiestPackets
	s.BusiestBytes += r.BusiestBytes
	s.Resent += r.Resent
	s.Queued += r.Queued
	s.QueuedMax = max(s.QueuedMax, r.QueuedMax)
	s.Clocked += r.Clocked
}
