package view

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// PendingLookups are lookups of one resolver that are over before any of them is seen to wait for
// long: how many are under way when sockets are read tells how long they wait in sum (Little's law).
type PendingLookups struct {
	NetNS    uint64
	Remote   string
	Mean     float64  // under way at a reading, at least: seconds waited per second
	Readings int      // at which any was under way
	Of       int      // readings of sockets in the window
	Sockets  []Lookup // in the order in which they were first seen
}

// PendingLookups lists the resolvers whose lookups were under way at a reading. A socket counts
// that was opened and closed in the window, while a thread of its owner slept in a call that
// libraries wait in for an answer: in a sleep that may have begun and ended with the lookup. Those
// of servers of DNS are left out, which wait for many answers at once. There is nothing where
// it is not known how often sockets were read.
func (v *View) PendingLookups() []PendingLookups {
	return Memo(v, "pending-lookups", func() []PendingLookups {
		readings, ok := v.udpReadings()
		if !ok {
			return nil
		}
		type resolver struct {
			ns     uint64
			server string
		}
		number := map[resolver]int{}
		var list []PendingLookups
		var at []map[int]bool // readings with a lookup under way, of each in list
		for _, l := range v.Lookups() {
			if l.serves {
				continue
			}
			seen := v.pendingAt(&l, readings)
			if len(seen) == 0 {
				continue
			}
			k := resolver{l.NetNS, l.Remote}
			n, known := number[k]
			if !known {
				n = len(list)
				number[k] = n
				list, at = append(list, PendingLookups{NetNS: l.NetNS, Remote: l.Remote, Of: len(readings)}), append(at, map[int]bool{})
			}
			p := &list[n]
			p.Sockets = append(p.Sockets, l)
			p.Mean += float64(len(seen)) / float64(len(readings))
			for _, r := range seen {
				at[n][r] = true
			}
			p.Readings = len(at[n])
		}
		return list
	})
}

// udpReadings lists when UDP sockets were read, in any namespace. A reading at which there was
// none leaves no row: ok is false unless one socket was there all the time.
func (v *View) udpReadings() (begun []time.Time, ok bool) {
	moments := Moments(Readings[recording.UDPSample](v))
	if len(moments) < 2 {
		return nil, false
	}
	there := map[uint64]bool{}
	for _, r := range moments[0] {
		there[r.Of().Inode] = r.Of().Inode != 0
	}
	for _, m := range moments {
		begun = append(begun, m[0].At())
	}
	return begun, slices.ContainsFunc(moments[len(moments)-1], func(r recording.Reading[recording.UDPSample]) bool { return there[r.Of().Inode] })
}

// pendingAt numbers the readings at which a thread slept until the lookup was answered.
func (v *View) pendingAt(l *Lookup, readings []time.Time) (list []int) {
	number := func(at time.Time) int { // of the last reading that had begun
		n, found := slices.BinarySearchFunc(readings, at, time.Time.Compare)
		if !found {
			n--
		}
		return n
	}
	first, last := number(l.samples[0].At), number(l.samples[len(l.samples)-1].At)
	if first < 1 || last > len(readings)-2 {
		return nil
	}
	opened, closed := readings[first-1], readings[last+1]
	slept := func(at time.Time) bool {
		return slices.ContainsFunc(l.Owners, func(p Process) bool {
			return slices.ContainsFunc(v.answerNaps(p.PID), func(naps []nap) bool {
				return slices.ContainsFunc(naps, func(n nap) bool {
					return n.from.After(opened) && !n.from.After(at) && !n.to.Before(at) && n.to.Before(closed)
				})
			})
		})
	}
	for _, s := range l.samples {
		if n := number(s.At); !slices.Contains(list, n) && slept(s.At) {
			list = append(list, n)
		}
	}
	return list
}
