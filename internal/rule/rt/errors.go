package rt

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

//go:embed errors.md
var errorsPage string

var errorAnswers = rule.Rule{
	ID:       "rt/errors",
	Title:    "requests are answered by errors",
	Resource: "answers",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketStatements},
	Page:     errorsPage,
	Seen:     decodedAnswers,
	Detect:   detectErrors,
}

const (
	// someErrors: one or two may be anybody's typing.
	someErrors = 5
	// wrongShare of the requests of a service: the objective of many services is
	// 99 % or better (Beyer et al., Site Reliability Engineering, chapter 4).
	wrongShare = 0.01
	// usualShare is for errors that programs use on purpose to ask whether
	// something is there: only if most requests are answered so, it is a fault.
	usualShare = 0.5
	// oftenShare of such errors is worth a word.
	oftenShare = 0.1
)

// usual errors answer a question: not there, already there, not changed, not
// allowed without a password. Programs ask on purpose.
var usual = map[string][]string{
	"http":     {"401", "403", "404", "405", "407", "409", "410", "412", "416", "429"},
	"mysql":    {"1062", "1045", "1050", "1007", "1008", "1051", "1091"},
	"postgres": {"23505", "42P07", "28P01"},
	"dns":      {"NXDOMAIN"},
	"redis":    {"NOSCRIPT", "NOAUTH", "MOVED", "ASK", "BUSYGROUP"},
}

func detectErrors(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		if s.Proto == "tls" || s.Proto == "generic" {
			continue
		}
		for _, usually := range []bool{false, true} {
			if e := errorsOf(v, s, usually); e.look() {
				found = append(found, e.finding())
				break
			}
		}
	}
	return found, nil
}

// failing is the errors of one kind of a service.
type failing struct {
	v          *view.View
	s          *view.PacketService
	usual      bool
	failed     int64
	total      int64
	codes      []codeCount
	statements []recording.PacketStatement // most failures first

	errorTime, errorCount int64 // of statements that always fail
	otherTime, otherCount int64 // of statements that never do
}

type codeCount struct {
	code string
	n    int64
}

// errorsOf sums up a service's errors that are usual, or those that are not. A
// statement counts by its most frequent error.
func errorsOf(v *view.View, s *view.PacketService, usually bool) *failing {
	e := &failing{v: v, s: s, usual: usually, total: s.Count + s.Ambiguous + s.Lossy}
	byCode := map[string]int64{}
	for _, t := range v.PacketStatements() {
		if t.Server != s.Server || t.ServerPort != int32(s.Port) || t.Proto != s.Proto {
			continue
		}
		switch {
		case t.Failed == 0:
			e.otherTime += int64(t.RTSum)
			e.otherCount += t.Count
			continue
		case t.Error == proto.EndedWithin:
			continue // that is a disconnect
		case slices.Contains(usual[s.Proto], t.Code) != usually:
			continue
		case t.Failed >= t.Count:
			e.errorTime += int64(t.RTSum)
			e.errorCount += t.Count
		}
		e.failed += t.Failed
		byCode[t.Code] += t.Failed
		e.statements = append(e.statements, t)
	}
	e.total = max(e.total, e.failed)
	for code, n := range byCode {
		e.codes = append(e.codes, codeCount{code, n})
	}
	slices.SortFunc(e.codes, func(a, b codeCount) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.code, b.code)) })
	slices.SortStableFunc(e.statements, func(a, b recording.PacketStatement) int { return cmp.Compare(b.Failed, a.Failed) })
	return e
}

func (e *failing) share() float64 { return float64(e.failed) / float64(max(e.total, 1)) }

func (e *failing) look() bool { return e.confidence() > 0 }

// confidence: the errors themselves were seen. Whether they are a fault is the
// question.
func (e *failing) confidence() rule.Confidence {
	if e.failed < someErrors {
		return 0
	}
	switch share := e.share(); {
	case !e.usual && share >= wrongShare:
		return atMost(e.v, e.s, rule.Certain)
	case e.usual && share >= usualShare && e.failed >= someRequests:
		return rule.Likely
	case e.usual && share >= oftenShare && e.failed >= someRequests, !e.usual:
		return rule.Possible
	}
	return 0
}

func (e *failing) finding() rule.Finding {
	return rule.Finding{
		Subject: serviceSubject(e.v, e.s), Confidence: e.confidence(),
		Impact:   rule.Impact{Share: e.share(), Text: rule.T("%s of requests answered by errors", unit.Share(e.share()))},
		Headline: rule.T("%s answers %s of its requests by errors, most of them %s", e.s.Name(), unit.Share(e.share()), e.worst()),
		Evidence: e.evidence(), Fixes: e.fixes(),
	}
}

// worst is the most frequent error in words.
func (e *failing) worst() string {
	code, text := e.codes[0].code, ""
	for _, t := range e.statements {
		if t.Code == code {
			text = t.Error
			break
		}
	}
	switch {
	case code == "" && text == "":
		return "without a code"
	case text == "" || text == code || strings.HasPrefix(text, code+" "):
		return cmp.Or(text, code)
	case code == "":
		return short(text)
	}
	return code + " (" + short(text) + ")"
}

func (e *failing) evidence() []rule.Evidence {
	v, s := e.v, e.s
	list := []rule.Evidence{{
		Metric: "rt.errors", Value: e.share(), Unit: "share", Limit: rule.Limit(e.limit()),
		What:  rule.T("%s of %s answers were errors: %s", unit.Count(e.failed), unit.Count(e.total), e.byCode()),
		Check: packets(v, s, "--by statement"),
	}}
	t := e.statements[0]
	clients := "one client"
	if t.Clients > 1 {
		clients = unit.Count(t.Clients).String() + " clients"
	}
	list = append(list, rule.Evidence{
		Metric: "rt.failing-statement", Value: float64(t.Failed), Unit: "count",
		What:  rule.T("%s of them for %s, from %s%s", unit.Count(t.Failed), cmp.Or(short(t.Fingerprint), t.Command), clients, e.whose()),
		Check: packets(v, s, "--transactions --filter failed"),
	})
	if e.errorCount >= someErrors && e.otherCount >= someErrors {
		fails, others := time.Duration(e.errorTime/e.errorCount), time.Duration(e.otherTime/e.otherCount)
		list = append(list, rule.Evidence{
			Metric: "rt.error-time", Value: fails.Seconds(), Unit: "seconds",
			What:  rule.T("what always fails takes %s, the rest %s: fast errors make averages look good", unit.Duration(fails), unit.Duration(others)),
			Check: packets(v, s, "--by statement"),
		})
	}
	return list
}

func (e *failing) limit() float64 {
	if e.usual {
		return usualShare
	}
	return wrongShare
}

// byCode lists the most frequent codes.
func (e *failing) byCode() string {
	var words []string
	for _, c := range e.codes[:min(len(e.codes), 4)] {
		words = append(words, cmp.Or(c.code, "no code")+" "+unit.Count(c.n).String()+" times")
	}
	return strings.Join(words, ", ")
}

// whose names the client that most of the failures in the recording are of.
func (e *failing) whose() string {
	n, total := map[string]int{}, 0
	best := ""
	for _, t := range e.v.PacketTransactions() {
		if !t.Failed || t.Server != e.s.Server || t.ServerPort != int32(e.s.Port) || slices.Contains(usual[e.s.Proto], t.Code) != e.usual {
			continue
		}
		n[t.Client]++
		total++
		if best == "" || n[t.Client] > n[best] {
			best = t.Client
		}
	}
	if best == "" || 2*n[best] <= total {
		return ""
	}
	return " (most from " + best + ")"
}

func (e *failing) fixes() []rule.Fix {
	fixes := []rule.Fix{{
		Text:     rule.T("mend what asks: %s", e.advice()),
		Command:  packets(e.v, e.s, "--transactions --filter failed"),
		Tradeoff: "none",
	}, {
		Text:     rule.T("make the client log and count errors instead of swallowing them: its own response times include these"),
		Tradeoff: "more log lines while the fault lasts",
	}}
	return fixes
}

// advice is about the most frequent error.
func (e *failing) advice() string {
	code := e.codes[0].code
	if a, ok := advices[e.s.Proto+" "+code]; ok {
		return a
	}
	switch {
	case e.s.Proto == "http" && strings.HasPrefix(code, "5"):
		return "the server could not do its work; its error log says why"
	case e.s.Proto == "http":
		return "the client asks for what is not there, or not allowed"
	case e.s.Proto == "dns":
		return "the resolver could not answer: ask it and the servers behind it with dig"
	}
	return "the statement or command that fails, or what it expects to be there"
}

var advices = map[string]string{
	"mysql 1146":      "it asks for a table that does not exist: a missing migration, a wrong database, or a name built at run time; looking for it costs the server a directory scan",
	"mysql 1054":      "it names a column that does not exist: program and schema differ in version",
	"mysql 1064":      "its SQL has a syntax error",
	"mysql 1213":      "transactions deadlock: take locks in one order, keep transactions short, and try again after a deadlock",
	"mysql 1205":      "it waits for row locks until innodb_lock_wait_timeout: find who holds them",
	"mysql 1040":      "the server has no connections left: see who holds them with show processlist",
	"mysql 1203":      "the user has no connections left: see who holds them with show processlist",
	"mysql 1317":      "statements are interrupted: somebody kills them, or a time limit does",
	"mysql 1969":      "statements are stopped by max_statement_time",
	"mysql 3024":      "statements are stopped by max_execution_time",
	"postgres 42P01":  "it asks for a table that does not exist: a missing migration or a wrong search_path",
	"postgres 40P01":  "transactions deadlock: take locks in one order and try again after a deadlock",
	"postgres 57014":  "statements are cancelled: by statement_timeout or by a client",
	"postgres 53300":  "the server has no connections left: use a pool",
	"redis WRONGTYPE": "the key holds another type than the command is for: two programs use one name",
	"redis OOM":       "Redis has reached maxmemory and may not evict",
	"redis READONLY":  "it writes to a replica",
	"dns SERVFAIL":    "the resolver could not reach the name's servers, or their answers fail validation",
	"dns REFUSED":     "the server does not answer for this name or this client",
	"http 500":        "the program behind the server failed; its log says why",
	"http 502":        "the server behind the proxy closed or refused the connection",
	"http 503":        "the server is overloaded or has no healthy backend",
	"http 504":        "the server behind the proxy did not answer in time",
}

// decodedAnswers says whether there were answers of which one can tell whether
// they are errors.
func decodedAnswers(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool {
		return s.Proto != "tls" && s.Proto != "generic" && s.Count+s.Failed > 0
	})
}
