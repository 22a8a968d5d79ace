package rt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/packet/proto"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var errorAnswers = rule.Rule{
	ID:       "rt/errors",
	Title:    "requests fail",
	Plural:   "services fail requests",
	Resource: "answers",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketStatements, recording.PacketErrors},
	Thresholds: []*rule.Threshold{&minErrors, &minSlowErrors, &wrongShare, &mostOfOne, &lostEverySecond, &usualShare, &oftenShare, &gaveUpAfter, &gaveUpTimes, &gaveUpClients, &minTime, &minRequests,
		&mostlyInferred, &missedShare},
	Seen:   func(v *view.View) bool { return decodedAnswers(v) && allHeard(v) },
	Detect: detectErrors,
}

var (
	minErrors = rule.Threshold{Name: "min-errors", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "One or two may be typing errors."}
	wrongShare = rule.Threshold{Name: "wrong-share", Value: 0.01, Unit: "share", Source: "Beyer et al., Site Reliability Engineering, chapter 4",
		Reason: "Share of a service's requests that fail. Many services promise 99 % or better."}
	minSlowErrors = rule.Threshold{Name: "min-slow-errors", Value: 3, Unit: "count", Source: rule.Judgement,
		Reason: "Errors for which clients wait long. One or two may be a bad moment."}
	mostOfOne = rule.Threshold{Name: "most-of-one", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the requests of one kind (statement, path) that fail. From half on this does not work, though the service does."}
	lostEverySecond = rule.Threshold{Name: "lost-every-second", Value: 1, Unit: "per second", Source: rule.Judgement,
		Reason: "Requests of that kind that fail. Fewer may be somebody who tries, or a check."}
	usualShare = rule.Threshold{Name: "usual-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of requests with errors that programs cause on purpose, to test whether something exists. It is a problem only if most requests end like that."}
	oftenShare = rule.Threshold{Name: "often-share", Value: 0.1, Unit: "share", Source: rule.Judgement,
		Reason: "Share of requests with errors that programs cause on purpose. Worth mentioning."}
)

func detectErrors(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	var undecided error
	for _, s := range v.PacketServices() {
		if protocol.Of(s.Proto).Opaque {
			continue
		}
		faults, asked := errorsOf(v, s, false), errorsOf(v, s, true)
		switch {
		case faults.look():
			found = append(found, faults.finding())
		case asked.look():
			found = append(found, asked.finding())
		case faults.couldBe() || asked.couldBe():
			undecided = &rule.NotJudged{Needs: "the codes of all errors of " + s.Name(),
				Why: fmt.Sprintf("%s of them have codes beyond those that are kept", unit.Count(faults.unknown)),
				How: shell.Say("see them: %s", packets(v, s).With("--transactions --filter failed"))}
		}
	}
	return found, undecided
}

// failing is the errors of one kind of a service: those that are usual, or those
// that are not.
type failing struct {
	v          *view.View
	s          *view.PacketService
	usual      bool
	failed     int64
	total      int64
	codes      []*codeCount        // most frequent first
	statements []*failingStatement // most failures first
	other      []string            // codes of errors of the other kind
	unknown    int64               // errors of codes that were not told apart
	met        int64               // challenges for credentials that the client met: no errors, though their codes are those of some
	cutShort   bool                // there are answers that the end of the connection cut short

	allTime               int64 // of all answers
	errorTime, errorCount int64 // of these errors
	rightTime, rightCount int64 // of answers that are no errors
}

type codeCount struct {
	code string
	n    int64
	text string // of the statement that failed so most often
	most int64
}

// failingStatement is a statement and how often it failed.
type failingStatement struct {
	command, fingerprint string
	n, clients           int64
	count                int64 // how often it was answered, errors included; 0: not known
}

// answeredBy is a service.
type answeredBy struct {
	server string
	port   int32
	proto  string
}

// answers are the statements of a service, and the errors among its answers.
type answers struct {
	statements []*recording.PacketStatement
	errors     []*recording.PacketError
}

// answersOf sorts them by service, of which a scan of ports shows thousands.
func answersOf(v *view.View) map[answeredBy]answers {
	return view.Memo(v, "rt/answers", func() map[answeredBy]answers {
		known := map[answeredBy]answers{}
		statements, errors := v.PacketStatements(), v.PacketErrors()
		for i := range statements {
			t := &statements[i]
			k := answeredBy{t.Server, t.ServerPort, t.Proto}
			a := known[k]
			a.statements = append(a.statements, t)
			known[k] = a
		}
		for i := range errors {
			x := &errors[i]
			k := answeredBy{x.Server, x.ServerPort, x.Proto}
			a := known[k]
			a.errors = append(a.errors, x)
			known[k] = a
		}
		return known
	})
}

func errorsOf(v *view.View, s *view.PacketService, usually bool) *failing {
	e := &failing{v: v, s: s, usual: usually, total: s.Count + s.Ambiguous + s.Lossy + s.Blocking + s.TurnedAway}
	byCode, byStatement := map[string]*codeCount{}, map[[2]string]*failingStatement{}
	rows := answersOf(v)[answeredBy{s.Server, int32(s.Port), s.Proto}]
	for _, t := range rows.statements {
		e.allTime += int64(t.RTSum)
		e.rightTime += int64(t.RTSum)
		e.rightCount += t.Count
		byStatement[[2]string{t.Command, t.Fingerprint}] = &failingStatement{command: t.Command, fingerprint: t.Fingerprint, clients: t.Clients, count: t.Count}
	}
	for _, x := range rows.errors {
		e.rightTime -= int64(x.RTSum)
		e.rightCount -= x.Timed
		switch {
		case x.CutShort:
			e.cutShort = true // that is a disconnect
		case x.Others:
			e.unknown += x.Count - x.Met
		case slices.Contains(protocol.Of(s.Proto).Usual, x.Code) != usually:
			if !slices.Contains(e.other, x.Code) {
				e.other = append(e.other, x.Code)
			}
		default:
			e.add(x, byCode, byStatement)
		}
	}
	e.total = max(e.total, e.failed)
	slices.Sort(e.other)
	slices.SortFunc(e.codes, func(a, b *codeCount) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.code, b.code)) })
	slices.SortFunc(e.statements, func(a, b *failingStatement) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.fingerprint, b.fingerprint), cmp.Compare(a.command, b.command))
	})
	return e
}

// add counts errors of one statement with one code.
func (e *failing) add(x *recording.PacketError, byCode map[string]*codeCount, byStatement map[[2]string]*failingStatement) {
	n := x.Count - x.Met
	e.met += x.Met
	if n <= 0 {
		return
	}
	e.failed += n
	if x.Met == 0 { // else nobody knows which times are whose
		e.errorTime += int64(x.RTSum)
		e.errorCount += x.Timed
	}
	c := byCode[x.Code]
	if c == nil {
		c = &codeCount{code: x.Code}
		byCode[x.Code] = c
		e.codes = append(e.codes, c)
	}
	c.n += n
	if n > c.most || n == c.most && x.Error < c.text {
		c.text, c.most = x.Error, n
	}
	t := byStatement[[2]string{x.Command, x.Fingerprint}]
	if t == nil {
		t = &failingStatement{command: x.Command, fingerprint: x.Fingerprint}
		byStatement[[2]string{x.Command, x.Fingerprint}] = t
	}
	if t.n == 0 {
		e.statements = append(e.statements, t)
	}
	t.n += n
}

// couldBe says that there would be a finding if the errors whose codes are not
// known were of this kind.
func (e *failing) couldBe() bool {
	if e.unknown == 0 {
		return false
	}
	all := *e
	all.failed += e.unknown
	return all.look()
}

func (e *failing) share() float64 { return float64(e.failed) / float64(max(e.total, 1)) }

func (e *failing) look() bool { return e.confidence() > 0 }

// confidence: the errors themselves were seen. Whether they are a fault is the
// question.
func (e *failing) confidence() rule.Confidence {
	if e.failed < int64(minErrors.Value) && !e.slow() {
		return 0
	}
	switch share := e.share(); {
	case !e.usual && share >= wrongShare.Value:
		return atMost(e.v, e.s, rule.Certain)
	case e.slow(), e.operation() != nil:
		return atMost(e.v, e.s, rule.Likely)
	case e.usual && share >= usualShare.Value && e.failed >= int64(minRequests.Value) && !e.cheap():
		return rule.Likely
	case e.usual && share >= oftenShare.Value && e.failed >= int64(minRequests.Value), !e.usual:
		return rule.Possible
	}
	return 0
}

// waited is how long clients waited for these errors, in seconds per second, at least.
func (e *failing) waited() float64 { return perSecond(e.v, time.Duration(e.errorTime)) }

// ofTime is how much of the time of all answers these errors took.
func (e *failing) ofTime() float64 {
	return float64(e.errorTime) / float64(max(e.allTime, e.errorTime, 1))
}

// slow says that clients wait long for errors, however few these are: for a backend or a lock,
// until a limit ends it.
func (e *failing) slow() bool {
	return !e.usual && e.failed >= int64(minSlowErrors.Value) && e.waited() >= minTime.Value && e.ofTime() >= wrongShare.Value
}

// operation is a kind of request that fails again and again, and mostly, however small its part
// of all requests is; nil: there is none.
func (e *failing) operation() *failingStatement {
	for _, t := range e.statements {
		if !e.usual && t.count > 0 && float64(t.n) >= mostOfOne.Value*float64(t.count) && float64(t.n) >= lostEverySecond.Value*max(e.v.Seconds(), 1) {
			return t
		}
	}
	return nil
}

// cheap says that hardly anybody waits for errors that programs cause on purpose: those of health
// checks are many and take no time.
func (e *failing) cheap() bool {
	return 2*e.errorCount >= e.failed && (e.waited() < minTime.Value || e.ofTime() < oftenShare.Value)
}

func (e *failing) finding() rule.Finding {
	f := rule.Finding{
		Subject: e.v.ServiceEntity(e.s), Confidence: e.confidence(),
		Impact:   rule.Impact{Share: e.share(), Text: rule.T("%s requests fail", e.part("of"))},
		Headline: rule.T("%s fails %s requests, most %s", e.s.Name(), e.part("of its"), e.worst()),
		Evidence: e.evidence(), Fixes: e.fixes(),
	}
	if e.usual {
		return f
	}
	f.Impact.TimeLost = e.waited()
	if e.waited() >= minTime.Value {
		f.Impact.Text = rule.T("%s requests fail; clients wait %s per second for these", e.part("of"), unit.Seconds(e.waited()))
	}
	if e.share() >= wrongShare.Value {
		return f
	}
	if t := e.operation(); e.slow() {
		f.Headline = rule.T("%s fails %s requests, most %s: they take %s each", e.s.Name(), e.part("of its"), e.worst(), unit.Duration(e.each()))
	} else if t != nil {
		f.Headline = rule.T("%s fails %s requests, most %s: %s of one kind", e.s.Name(), e.part("of its"), e.worst(), unit.Share(float64(t.n)/float64(t.count)))
	}
	return f
}

// each is the mean time of these errors.
func (e *failing) each() time.Duration { return time.Duration(e.errorTime / max(e.errorCount, 1)) }

// part is the share that fails, with a word behind it; numbers where a share would be
// rounded to nothing.
func (e *failing) part(of string) string {
	const rounded = 0.0005
	if e.share() < rounded {
		return unit.Count(e.failed).String() + " of " + unit.Count(e.total).String()
	}
	return unit.Share(e.share()).String() + " " + of
}

// worst is the most frequent error in words.
func (e *failing) worst() string {
	code, text := e.codes[0].code, e.codes[0].text
	switch {
	case code == "" && text == "":
		return "without a code"
	case text == "" || text == code || strings.HasPrefix(text, code+" "):
		return "with " + cmp.Or(text, code)
	case code == "":
		return "with " + short(text)
	}
	return "with " + code + " (" + short(text) + ")"
}

// filter is the expression that keeps these errors.
func (e *failing) filter() shell.Command {
	expression := shell.CEL("failed")
	switch {
	case e.usual:
		expression = shell.CEL("failed && code in [%s]", oneOf(protocol.Of(e.s.Proto).Usual, func(code string) bool {
			return slices.ContainsFunc(e.codes, func(c *codeCount) bool { return c.code == code })
		}))
	case len(e.other) > 0:
		expression = shell.CEL("failed && !(code in [%s])", oneOf(protocol.Of(e.s.Proto).Usual, func(code string) bool { return slices.Contains(e.other, code) }))
	}
	if e.cutShort {
		expression = shell.CEL("%s && error != %s", expression, proto.EndedWithin)
	}
	return shell.Line("--filter %s", expression)
}

// oneOf lists the codes that are kept of a list.
func oneOf(list []string, keep func(string) bool) shell.Strings {
	return slices.DeleteFunc(slices.Clone(list), func(code string) bool { return !keep(code) })
}

func (e *failing) evidence() []rule.Evidence {
	v, s := e.v, e.s
	list := []rule.Evidence{{
		Metric: metric.RTErrors, Value: e.share(), Limit: rule.Limit(e.limit()),
		What:  rule.T("%s of %s answers were errors%s: %s%s", unit.Count(e.failed), unit.Count(e.total), e.kind(), e.byCode(), e.besides()),
		Check: packets(v, s).With("--by statement %s", e.filter()),
	}}
	t, of := e.statements[0], ""
	if most := e.operation(); most != nil {
		t, of = most, ", of "+unit.Count(most.count).String()+" such requests"
	}
	clients, whose := "", e.whose()
	switch {
	case t.clients == 1 && whose.name != "" && whose.n == whose.of:
		clients = ", from one client, " + whose.name
	case t.clients == 1:
		clients = ", from one client"
	case t.clients > 1:
		clients = ", which " + unit.Count(t.clients).String() + " clients sent" + whose.words(e.failed)
	default:
		clients = whose.words(e.failed)
	}
	list = append(list, rule.Evidence{
		Metric: metric.RTFailingStatement, Value: float64(t.n),
		What:  rule.T("%s of them for %s%s%s", unit.Count(t.n), cmp.Or(short(t.fingerprint), t.command), of, clients),
		Check: packets(v, s).With("--transactions %s", e.filter()),
	})
	if e.rightCount < int64(minErrors.Value) {
		return list
	}
	took := rule.Evidence{Metric: metric.RTErrorTime, Value: e.each().Seconds(), Check: packets(v, s).With("--by statement --filter '!failed'")}
	switch right := time.Duration(e.rightTime / e.rightCount); {
	case e.errorCount >= int64(minErrors.Value) && e.each() < right:
		took.What = rule.T("they take %s, answers without an error %s: fast errors make averages look good", unit.Duration(e.each()), unit.Duration(right))
	case e.slow():
		took.What = rule.T("they take %s, answers without an error %s: %s of the time of all answers", unit.Duration(e.each()), unit.Duration(right), unit.Share(e.ofTime()))
	default:
		return list
	}
	return append(list, took)
}

// kind says which errors are counted, where there are others.
func (e *failing) kind() string {
	switch {
	case len(e.other) == 0:
		return ""
	case e.usual:
		return " of the kind that programs ask for on purpose"
	}
	return " that no client asks for on purpose, as " + strings.Join(e.other[:min(len(e.other), 4)], ", ") + " may be"
}

// besides says what else the proof lists: codes do not tell it from errors.
func (e *failing) besides() string {
	if e.met == 0 {
		return ""
	}
	return fmt.Sprintf("; besides, %s for credentials, which the client brought next", unit.Plural(e.met, "answer asked", "answers asked"))
}

func (e *failing) limit() float64 {
	if e.usual {
		return usualShare.Value
	}
	return wrongShare.Value
}

// byCode lists the most frequent codes.
func (e *failing) byCode() string {
	var words []string
	for _, c := range e.codes[:min(len(e.codes), 4)] {
		words = append(words, cmp.Or(c.code, "no code")+" "+unit.Plural(c.n, "time", "times"))
	}
	return strings.Join(words, ", ")
}

// client is one that failures are of: n of those that were kept.
type client struct {
	name  string
	n, of int
}

// whose is the client that most of the failures in the recording are of. It
// may hold some of them only, and one of them twice: as slow and as failed. It
// does not tell which of them were challenges that the client met.
func (e *failing) whose() (best client) {
	if e.met > 0 {
		return best
	}
	type place struct{ connection, frame int64 }
	seen := map[place]bool{}
	n := map[string]int{}
	total := 0
	for _, t := range e.v.PacketTransactions() {
		at := place{t.Connection, t.FirstFrame}
		if !e.counts(&t) || t.FirstFrame > 0 && seen[at] {
			continue
		}
		seen[at] = true
		total++
		if n[t.Client]++; best.name == "" || n[t.Client] > best.n {
			best.name, best.n = t.Client, n[t.Client]
		}
	}
	best.of = total
	return best
}

// words name the client if it has most of the failures, of which there are so many.
func (c client) words(failed int64) string {
	switch {
	case c.name == "" || 2*c.n <= c.of:
		return ""
	case int64(c.of) < failed:
		return fmt.Sprintf(" (most of %s that were kept from %s)", unit.Count(c.of), c.name)
	}
	return " (most from " + c.name + ")"
}

// counts says that a transaction is one of these errors.
func (e *failing) counts(t *recording.PacketTransaction) bool {
	return t.Failed && t.Error != proto.EndedWithin && t.Server == e.s.Server && t.ServerPort == int32(e.s.Port) && t.Proto == e.s.Proto &&
		slices.Contains(protocol.Of(e.s.Proto).Usual, t.Code) == e.usual
}

func (e *failing) fixes() []rule.Fix {
	show := packets(e.v, e.s).With("--transactions %s", e.filter())
	if traits := protocol.Of(e.s.Proto); traits.AtServer(e.codes[0].code) {
		return []rule.Fix{
			{Text: rule.T("look at the server, not at its clients: %s", e.advice()), Command: show, Tradeoff: "none"},
			{Text: rule.T("read its error log at the time of these answers"), Command: traits.LogAt(e.first(), programOf(e.v, e.s)), Tradeoff: "none"},
		}
	}
	return []rule.Fix{{
		Text:     rule.T("fix the failing client: %s", e.advice()),
		Command:  show,
		Tradeoff: "none",
	}, {
		Text:     rule.T("make the client log and count errors instead of ignoring them: its own response times include them"),
		Tradeoff: "more log lines while the fault lasts",
	}}
}

// first is when the first of these errors that is known came.
func (e *failing) first() time.Time {
	at := e.v.Start()
	for _, t := range e.v.PacketTransactions() {
		if e.counts(&t) {
			return t.At
		}
	}
	return at
}

// advice is about the most frequent error.
func (e *failing) advice() string {
	return protocol.Of(e.s.Proto).Cause(e.codes[0].code)
}

// decodedAnswers says whether there were answers of which one can tell whether
// they are errors.
func decodedAnswers(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool {
		return !protocol.Of(s.Proto).Opaque && s.Count+s.Failed > 0
	})
}
