package capture

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

const (
	// askedAnew is how much later at most, and soonestRetry at least, the same question
	// says that the one before had no answer: glibc asks twice, 5 s apart, Windows five
	// times within 15 s.
	askedAnew = 15 * time.Second
	// maxQuestions bounds the queries of which it is remembered what they asked, to
	// 4 MiB; questionMemory is for how long, if there are more: until what became of a
	// query is known, and of those that ask the same later.
	maxQuestions   = 1 << 16
	questionMemory = time.Minute
)

// question is what a client asked a resolver over UDP, at a time.
type question struct {
	server flow.Endpoint
	what   uint64 // hash of the client's address and of what it asked
	at     int64
	silent bool // it had no answer, and there was no copy that says so
}

// again notes what was asked, to find out who asked it again: who has an answer does
// not. Queries come here when it is known what became of them, which is not in the
// order in which they were sent.
func (l *lookups) again(t *rt.Transaction, r *resolver) {
	copied := t.Status == proto.Unanswered && t.Copied >= soonestRetry
	if copied {
		r.AskedAgain++
	}
	if len(l.questions) >= maxQuestions {
		askedAgain(l.questions, func(server flow.Endpoint) { l.resolvers[server].AskedAgain++ })
		l.questions = slices.DeleteFunc(l.questions, func(q question) bool { return l.now-q.at > int64(questionMemory) })
		l.questions = l.questions[:min(len(l.questions), maxQuestions/2)]
	}
	what := t.Question
	for _, b := range t.Client.Addr {
		what = (what ^ uint64(b)) * 1099511628211 // FNV-1a
	}
	l.questions = append(l.questions, question{t.Server, what, t.Start, t.Status == proto.Unanswered && !copied})
}

// same says that the same was asked of the same resolver.
func (q *question) same(o *question) bool { return q.what == o.what && q.server == o.server }

// askedAgain calls count for each query without answer whose question was asked
// again, from whatever port.
func askedAgain(list []question, count func(server flow.Endpoint)) {
	slices.SortFunc(list, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.what, b.what), bytes.Compare(a.server.Addr[:], b.server.Addr[:]), cmp.Compare(a.server.Port, b.server.Port), cmp.Compare(a.at, b.at))
	})
	next := 0 // the first question that comes late enough to say so
	for i := range list {
		q := &list[i]
		if next = max(next, i); !q.silent {
			continue
		}
		for next < len(list) && q.same(&list[next]) && list[next].at-q.at < int64(soonestRetry) {
			next++
		}
		if next < len(list) && q.same(&list[next]) && list[next].at-q.at <= int64(askedAnew) {
			q.silent = false
			count(q.server)
		}
	}
}
