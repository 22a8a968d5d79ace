package capture

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
)

const (
	// maxAnswers bounds the answers that all workers remember together, to 10 MB. What
	// comes later is not looked at.
	maxAnswers = 1 << 18
	// maxKinds bounds the kinds of requests that a worker tells apart.
	maxKinds = 1 << 12
	// stallTime without an answer is more than scheduling takes, and a disk that is
	// not overloaded.
	stallTime = 5 * time.Millisecond
	// usuallyFaster: what waits in a stall is usually answered in a tenth of it.
	usuallyFaster = 10
	// burst is how long after a stall answers may come that it held up. Redis writes
	// the answers of one turn of its loop together, in any order.
	burst = 2 * time.Millisecond
	// maxWaiters is how many answers after a stall are looked at.
	maxWaiters = 1 << 10
)

// stalls gathers when the services that a worker sees gave answers.
type stalls struct {
	ports    []uint16
	most     int
	answers  []answer
	services index[summary.Service]
	kinds    index[kindOfRequest]
	until    int64 // when the last answer came that there was room for; 0: there was room for all
}

// kindOfRequest tells requests apart: those that are not decoded by their length.
type kindOfRequest struct {
	service              int32
	command, fingerprint string
}

// answer is that a request was answered.
type answer struct {
	from, to   int64 // the request had arrived, the answer began
	connection uint64
	service    int32
	kind       int32 // unknownKind: it only shows that the service answers
}

const unknownKind = -1

// index numbers things.
type index[K comparable] struct {
	known map[K]int32
	list  []K
}

// of is the number of a thing; unknownKind: there are too many.
func (x *index[K]) of(k K, most int) int32 {
	i, ok := x.known[k]
	if !ok {
		if len(x.list) >= most {
			return unknownKind
		}
		if x.known == nil {
			x.known = map[K]int32{}
		}
		i = int32(len(x.list))
		x.known[k], x.list = i, append(x.list, k)
	}
	return i
}

// transaction takes note of an answer over TCP.
func (s *stalls) transaction(t *rt.Transaction) {
	if t.Frames[2] == 0 || len(s.ports) > 0 && !slices.Contains(s.ports, t.Server.Port) || t.Proto == "dns" {
		return
	}
	if len(s.answers) >= s.most {
		if s.until == 0 {
			s.until = s.answers[len(s.answers)-1].to
		}
		return
	}
	service := s.services.of(summary.Service{Server: t.Server, Proto: t.Proto}, maxKinds)
	if service == unknownKind {
		return
	}
	a := answer{connection: t.Connection, service: service, kind: unknownKind}
	switch {
	case t.Status == proto.Unpaired:
		a.from, a.to = t.Start, t.Start
	case t.RT >= 0 && t.Upload >= 0:
		a.from = t.Start + int64(t.Upload)
		a.to = a.from + int64(t.RT)
	default:
		return
	}
	if t.Usable() && !t.Ahead {
		k := kindOfRequest{service, t.Command, t.Fingerprint}
		if protocol.Of(t.Proto).Opaque {
			k.command, k.fingerprint = "", strconv.FormatInt(t.RequestBytes, 10)
		}
		a.kind = s.kinds.of(k, maxKinds)
	}
	s.answers = append(s.answers, a)
}

// stallsOf puts together what the workers saw.
func stallsOf(parts []*part, first time.Time) []recording.PacketStall {
	var services index[summary.Service]
	var kinds index[kindOfRequest]
	until := int64(0)
	by := map[int32][]answer{}
	for _, p := range parts {
		s := &p.stalls
		if s.until != 0 && (until == 0 || s.until < until) {
			until = s.until
		}
		for _, a := range s.answers {
			if a.kind != unknownKind {
				k := s.kinds.list[a.kind]
				k.service = services.of(s.services.list[k.service], len(services.list)+1)
				a.kind = kinds.of(k, len(kinds.list)+1)
			}
			a.service = services.of(s.services.list[a.service], len(services.list)+1)
			by[a.service] = append(by[a.service], a)
		}
	}
	var rows []recording.PacketStall
	for i, service := range services.list {
		answers := by[int32(i)]
		if until != 0 {
			answers = slices.DeleteFunc(answers, func(a answer) bool { return a.to > until })
		}
		x := stalling{service: service, kinds: kinds.list, answers: answers}
		x.measure()
		for _, row := range x.rows() {
			row.At = first
			rows = append(rows, row)
		}
	}
	return rows
}

// stalling is a service and the times in which it gave no answer.
type stalling struct {
	service summary.Service
	kinds   []kindOfRequest
	answers []answer                // ascending by when they came
	usual   map[int32]time.Duration // by kind: what a tenth of its answers take at most
	all     stallSum
	by      map[int32]*stallSum // by the kind with whose answer they ended
}

// stallSum sums stalls up.
type stallSum struct {
	lasted      []time.Duration
	seconds     map[int64]struct{}
	waiters     map[int32]int64 // by kind
	waited      time.Duration
	connections int
	executions  int64
	answered    int64
}

func (s *stallSum) add(from, to int64, waiting []answer) {
	s.lasted = append(s.lasted, time.Duration(to-from))
	if s.seconds == nil {
		s.seconds, s.waiters = map[int64]struct{}{}, map[int32]int64{}
	}
	s.seconds[to/int64(time.Second)] = struct{}{}
	on := map[uint64]struct{}{}
	for _, w := range waiting {
		s.waiters[w.kind]++
		s.waited += time.Duration(to - max(from, w.from))
		on[w.connection] = struct{}{}
	}
	s.connections = max(s.connections, len(on))
}

func (x *stalling) measure() {
	slices.SortFunc(x.answers, func(a, b answer) int { return cmp.Compare(a.to, b.to) })
	x.usually()
	x.by = map[int32]*stallSum{}
	for i := 1; i < len(x.answers); i++ {
		from, to := x.answers[i-1].to, x.answers[i].to
		if time.Duration(to-from) >= stallTime {
			x.stall(i, from, to)
		}
	}
	x.executed()
}

// usually finds how fast each kind can be answered.
func (x *stalling) usually() {
	times := map[int32][]time.Duration{}
	for _, a := range x.answers {
		if a.kind != unknownKind {
			times[a.kind] = append(times[a.kind], time.Duration(a.to-a.from))
		}
	}
	x.usual = map[int32]time.Duration{}
	for k, list := range times {
		slices.Sort(list)
		x.usual[k] = list[len(list)/10]
	}
}

// stall looks at a time without an answer, which ended with answer i.
func (x *stalling) stall(i int, from, to int64) {
	var waiting, slow []answer
	for _, a := range x.answers[i:min(i+maxWaiters, len(x.answers))] {
		began := max(from, a.from)
		held := time.Duration(to - began)
		switch {
		case a.to-to > int64(burst):
			continue // it was held up longer than the stall was
		case a.kind == unknownKind || held < stallTime:
		case x.usual[a.kind] <= held/usuallyFaster:
			waiting = append(waiting, a)
		default:
			slow = append(slow, a)
		}
	}
	if len(waiting) == 0 {
		return
	}
	holder := unknownKind
	for _, a := range slow {
		if holder != unknownKind && int(a.kind) != holder {
			holder = unknownKind
			break
		}
		holder = int(a.kind)
	}
	if holder != unknownKind {
		// What is behind it on its own connection waits by order of the protocol.
		others := slices.DeleteFunc(slices.Clone(waiting), func(a answer) bool {
			return slices.ContainsFunc(slow, func(h answer) bool { return h.connection == a.connection })
		})
		if len(others) > 0 {
			if x.by[int32(holder)] == nil {
				x.by[int32(holder)] = &stallSum{}
			}
			x.by[int32(holder)].add(from, to, others)
		}
	}
	x.all.add(from, to, waiting)
}

// executed counts how often those were answered with whose answers stalls ended,
// and how often somebody else was answered shortly before.
func (x *stalling) executed() {
	for i, a := range x.answers {
		s := x.by[a.kind]
		if s == nil || time.Duration(a.to-a.from) < stallTime {
			continue
		}
		s.executions++
		for j := i - 1; j >= 0; j-- {
			b := x.answers[j]
			before := time.Duration(a.to - b.to)
			if before >= stallTime {
				break
			}
			if before > burst && b.connection != a.connection && b.kind != a.kind {
				s.answered++
				break
			}
		}
	}
}

func (x *stalling) rows() (rows []recording.PacketStall) {
	if len(x.all.lasted) == 0 {
		return nil
	}
	rows = append(rows, x.row(&x.all))
	for k, s := range x.by {
		row := x.row(s)
		row.Command, row.Fingerprint = x.kinds[k].command, x.kinds[k].fingerprint
		if !protocol.Of(x.service.Proto).Opaque {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows[1:], func(a, b recording.PacketStall) int {
		return cmp.Or(cmp.Compare(a.Command, b.Command), cmp.Compare(a.Fingerprint, b.Fingerprint))
	})
	return rows
}

func (x *stalling) row(s *stallSum) recording.PacketStall {
	row := recording.PacketStall{
		Server: x.service.Server.Addr.String(), ServerPort: int32(x.service.Server.Port), Proto: x.service.Proto,
		Count: int64(len(s.lasted)), Seconds: int64(len(s.seconds)), Waited: s.waited, Connections: int64(s.connections),
		Executions: s.executions, Answered: s.answered, Requests: int64(len(x.answers)),
	}
	slices.Sort(s.lasted)
	row.P50 = s.lasted[len(s.lasted)/2]
	for _, d := range s.lasted {
		row.Lasted += d
	}
	most := int32(unknownKind)
	for k, n := range s.waiters {
		row.Waiters += n
		if most == unknownKind || n > s.waiters[most] || n == s.waiters[most] && k < most {
			most = k
		}
	}
	row.Usual = x.usual[most]
	if k := x.kinds[most]; !protocol.Of(x.service.Proto).Opaque {
		row.Waiting = cmp.Or(k.fingerprint, k.command)
	}
	for _, a := range x.answers {
		row.RTSum += time.Duration(a.to - a.from)
	}
	return row
}
