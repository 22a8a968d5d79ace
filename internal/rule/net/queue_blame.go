package net

import (
	"cmp"
	"slices"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// queueUser is what the TCP connections of one program sent in a network namespace.
type queueUser struct {
	view.Process
	bytes           float64
	segments, again float64
	withheld        int     // readings at which a connection had data that its own queue refused
	waited          float64 // seconds in which connections had data to send, in the window
}

// suffers says whether the program was seen to lose packets, or to be refused.
func (s *queueUser) suffers() bool {
	return s.again >= minRepeats.Value || s.withheld >= fewWithheld.Int()
}

var fewWithheld = rule.Threshold{Name: "few-withheld", Value: 3, Unit: "count", Source: rule.Judgement,
	Reason: "Readings of a program's connections at which data is not sent although nothing is under way and the windows are open. One may fall between the write and the transmission."}

// queueBlame names the program that fills a queue, and others in its network namespace
// that had to send segments again, or whose data the queue refused. Which connections use the queue is not known:
// nobody is named if the program's bytes, less all that other queues sent, are no large
// share of this one, or if other packets were lost than those that this queue dropped.
func queueBlame(v *view.View, q *view.Queue) (culprit *view.Entity, victims []rule.Victim) {
	if v.CountersOf(q.NetNS).AtLeast("TcpRetransSegs") > 2*q.Dropped {
		return nil, nil
	}
	elsewhere := 0.0
	for _, o := range v.Queues() {
		if o.NetNS == q.NetNS && o.Interface != q.Interface && o.Interface != "lo" {
			elsewhere += o.SentBytes
		}
	}
	list := queueUsers(v, q.NetNS)
	if len(list) < 2 || q.SentBytes <= 0 || list[0].bytes-elsewhere < fillsQueue.Value*q.SentBytes {
		return nil, nil
	}
	for _, s := range list[1:] {
		if s.suffers() {
			victims = append(victims, s.victim(v))
		}
	}
	slices.SortStableFunc(victims, func(a, b rule.Victim) int { return cmp.Compare(b.Seconds, a.Seconds) })
	if victims != nil {
		e := list[0].Entity()
		culprit = &e
	}
	return culprit, victims
}

func (s *queueUser) victim(v *view.View) rule.Victim {
	x := rule.Victim{Who: s.Entity(), Seconds: s.waited / max(v.Seconds(), 1)}
	x.Lost = rule.T("has data that waits to be sent %v per second", unit.Seconds(x.Seconds))
	if s.again > 0 {
		x.Lost = rule.T("has data that waits to be sent %v per second, and sends %v of its segments again", unit.Seconds(x.Seconds), unit.Share(s.again/max(s.segments, 1)))
	}
	return x
}

// queueUsers are the programs with connections to other hosts, who sends most first.
func queueUsers(v *view.View, ns uint64) []queueUser {
	at := map[int32]int{}
	var list []queueUser
	all := v.Connections()
	for i := range all {
		c := &all[i] // thousands, and large
		if c.NetNS != ns || c.Local == c.Remote || loopback(c.Remote) {
			continue
		}
		owners := v.SocketOwners(c.Inode)
		if len(owners) == 0 {
			continue
		}
		n, ok := at[owners[0].PID]
		if !ok {
			n = len(list)
			at[owners[0].PID] = n
			list = append(list, queueUser{Process: owners[0]})
		}
		list[n].bytes += c.BytesSent()
		list[n].segments += c.SegmentsOut()
		list[n].again += c.Retransmitted()
		list[n].withheld += c.Withheld()
		list[n].waited += c.WaitedToSend()
	}
	slices.SortStableFunc(list, func(a, b queueUser) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.PID, b.PID)) })
	return list
}
