package capture

import (
	"slices"
	"time"

	"rtrail/internal/packet/summary"
	"rtrail/internal/recording"
)

// fold sums up as one what belongs to services that the summary does not tell
// apart, so that all tables tell the same ones apart.
func (r *Result) fold() {
	if r.Summary.Folded == 0 {
		return
	}
	r.Directions.fold(func(s summary.Service) bool { return r.Summary.Services[s] != nil })
	type service struct {
		server string
		port   int32
		proto  string
	}
	told := map[service]bool{}
	for s := range r.Summary.Services {
		told[service{s.Server.Addr.String(), int32(s.Server.Port), s.Proto}] = s != summary.Service{}
	}
	rest := map[time.Time]*recording.PacketService{}
	kept := r.Seconds[:0]
	for i := range r.Seconds {
		row := &r.Seconds[i]
		if told[service{row.Server, row.ServerPort, row.Proto}] {
			kept = append(kept, *row)
			continue
		}
		sum := rest[row.At]
		if sum == nil {
			sum = &recording.PacketService{At: row.At, Server: summary.Service{}.Server.Addr.String(),
				RTP50: recording.Unknown, RTP95: recording.Unknown, RTP99: recording.Unknown}
			rest[row.At] = sum
		}
		sum.Add(row)
	}
	for _, sum := range rest {
		kept = append(kept, *sum)
	}
	slices.SortStableFunc(kept, func(a, b recording.PacketService) int { return a.At.Compare(b.At) })
	r.Seconds = slices.Clone(kept)
}
