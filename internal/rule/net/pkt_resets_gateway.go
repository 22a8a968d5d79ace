package net

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// gateways are the services that answered for this one with errors (502): on a host that
// is a client of it, and at least half of whose errors came for requests during which a
// connection from that host was refused or reset.
func (b *broken) gateways(v *view.View) (list []view.Entity) {
	if b.kind != refused && b.kind != serverBroke {
		return nil
	}
	broke := map[string][]time.Time{} // by client, ascending
	for _, c := range b.conns {
		broke[c.Client] = append(broke[c.Client], c.ClosedAt)
	}
	for _, at := range broke {
		slices.SortFunc(at, time.Time.Compare)
	}
	type place struct {
		server string
		port   int32
		proto  string
	}
	met, all := map[place]int{}, map[place]int{}
	for _, t := range v.PacketTransactions() {
		if !t.Failed || !slices.Contains(protocol.Of(t.Proto).Gateway, t.Code) {
			continue
		}
		k := place{t.Server, t.ServerPort, t.Proto}
		all[k]++
		if during(broke[t.Server], &t) {
			met[k]++
		}
	}
	for _, s := range v.PacketServices() {
		k := place{s.Server, int32(s.Port), s.Proto}
		if s != b.s && met[k] > 0 && 2*met[k] >= all[k] {
			list = append(list, v.ServiceEntity(s))
		}
	}
	return list
}

// during says whether one of these moments lies between a request and its answer.
func during(moments []time.Time, t *recording.PacketTransaction) bool {
	i, _ := slices.BinarySearchFunc(moments, t.At, func(m, at time.Time) int { return cmp.Compare(m.UnixNano(), at.UnixNano()) })
	return i < len(moments) && !moments[i].After(t.At.Add(max(t.Upload, 0)+max(t.RT, 0)))
}
