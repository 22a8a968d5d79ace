package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// MySQLPoolGroup is one group of a thread pool over the window; the embedded
// row is the last reading.
type MySQLPoolGroup struct {
	recording.MySQLPoolGroup
	Looks       []recording.MySQLPoolGroup
	QueuedLooks int           // in which statements waited for a thread
	MeanQueued  float64       // over all looks
	MostQueued  int64         //
	LongestWait time.Duration // of a statement in the queue, as far as the server tells
	Stalls      float64       // found by the pool's timer in the window
	Dequeued    float64       // statements taken from the queue in the window
}

// PoolGroupsOf are the groups of a server's thread pool, the one with the
// longest queue first. Empty without a pool.
func (v *View) PoolGroupsOf(server string) []MySQLPoolGroup {
	rows := slices.DeleteFunc(slices.Clone(Rows[recording.MySQLPoolGroup](v)), func(r recording.MySQLPoolGroup) bool { return r.Server != server })
	keys, series := Group(rows, func(r recording.MySQLPoolGroup) int32 { return r.Group })
	list := make([]MySQLPoolGroup, 0, len(keys))
	for _, k := range keys {
		looks := series[k]
		g := MySQLPoolGroup{MySQLPoolGroup: looks[len(looks)-1], Looks: looks}
		for _, l := range looks {
			queued := max(l.Queued, 0)
			if queued > 0 {
				g.QueuedLooks++
			}
			g.MeanQueued += float64(queued) / float64(len(looks))
			g.MostQueued = max(g.MostQueued, queued)
			g.LongestWait = max(g.LongestWait, l.LongestWait)
		}
		g.Stalls, _ = Delta(looks, func(l recording.MySQLPoolGroup) int64 { return l.Stalls })
		g.Dequeued, _ = Delta(looks, func(l recording.MySQLPoolGroup) int64 { return l.Dequeued })
		list = append(list, g)
	}
	slices.SortStableFunc(list, func(a, b MySQLPoolGroup) int {
		return cmp.Or(cmp.Compare(b.MeanQueued, a.MeanQueued), cmp.Compare(a.Group, b.Group))
	})
	return list
}

// ReplicasOf are the replication channels of a server at the last look.
func (v *View) ReplicasOf(server string) []recording.MySQLReplica {
	all := looks(v, server, func(r recording.MySQLReplica) string { return r.Server })
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
