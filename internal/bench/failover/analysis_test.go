package failover

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/golden"
)

var (
	blue  = &Server{ID: 1, Host: "db-a", Version: "5.7.44"}
	green = &Server{ID: 2, Host: "db-b", Version: "8.0.40"}
	began = time.Date(2026, 4, 1, 8, 33, 30, 0, time.UTC)
)

// made is a run of n seconds with TPS 263 of the server blue, which the changes alter: each
// from its second on.
func made(n int, changes map[int]func(*Second)) []Second {
	now := Second{TPS: 263, QPS: 5284, Errors: 0, Connects: Connects{OK: 1, Took: 2}, Addresses: []string{"10.0.0.1"}, Server: blue, Uptime: -1}
	list := make([]Second, n)
	for i := range list {
		if change := changes[i]; change != nil {
			change(&now)
		}
		now.Elapsed = time.Duration(i) * time.Second
		now.At = began.Add(now.Elapsed)
		list[i] = now
		now.Errors, now.Codes, now.Lost, now.Counted = min(now.Errors, 0), nil, "", 0
	}
	return list
}

// at is the second of a time of day.
func at(clock string) int {
	t, err := time.Parse(time.TimeOnly, clock)
	if err != nil {
		panic(err)
	}
	return int(t.Sub(time.Date(0, 1, 1, 8, 33, 30, 0, time.UTC)).Seconds())
}

func tps(n float64) func(*Second) { return func(s *Second) { s.TPS = document.Number(n) } }

func failed(s *Second) { s.Connects, s.Server = Connects{Failed: 1, Class: "refused"}, nil }

func connected(s *Second) { s.Connects, s.Server = Connects{OK: 1, Took: 1}, green }

// The published upgrade: 08:33:35 TPS 263, 08:33:51 142 errors/s, 08:33:52 zero, 08:36:47
// disconnected, 08:37:00 DNS, 08:37:30 back.
func published() []Second {
	return made(at("08:38:40"), map[int]func(*Second){
		at("08:33:51"): func(s *Second) { s.Errors, s.Codes = 142, []Code{{1290, "read_only", 142}} },
		at("08:33:52"): tps(0),
		at("08:36:47"): failed,
		at("08:37:00"): func(s *Second) { s.Addresses = []string{"10.0.0.2"} },
		at("08:37:30"): func(s *Second) { connected(s); s.TPS, s.QPS = 288, 5760 },
	})
}

func TestThePublishedUpgrade(t *testing.T) {
	a := Analyse(Run{Target: "db:3306", Source: Log, Seconds: published()})
	if len(a.Interruptions) != 1 {
		t.Fatalf("%d interruptions", len(a.Interruptions))
	}
	it := a.Interruptions[0]
	if it.WithoutWrites != 218*time.Second || it.WithoutConnection != 43*time.Second {
		t.Errorf("%v without writes, %v without connection", it.WithoutWrites, it.WithoutConnection)
	}
	for _, w := range []string{"first_error 08:33:51", "writes_stop 08:33:52", "disconnected 08:36:47", "name_changed 08:37:00", "connected 08:37:30", "new_server 08:37:30", "writes_again 08:37:30", "recovered 08:37:30"} {
		if !slices.ContainsFunc(it.Events, func(e Event) bool { return string(e.Kind)+" "+e.At.Format(time.TimeOnly) == w }) {
			t.Errorf("no event %s in %v", w, it.Events)
		}
	}
	if it.Before.TPS != 263 || it.After.TPS != 288 || it.Before.Server != blue || it.After.Server != green || it.Errors != 142 {
		t.Errorf("before %+v, after %+v, %d errors", it.Before, it.After, it.Errors)
	}
	var text bytes.Buffer
	if err := document.Terminal(&text, a.Document(), document.TerminalOptions{Width: 100}); err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "testdata/upgrade.txt", text.String())
}

// told is an analysis in a few words: each interruption by its headline.
func told(a *Analysis) string {
	var words []string
	for i := range a.Interruptions {
		words = append(words, a.Interruptions[i].headline())
	}
	for _, c := range a.Changes {
		words = append(words, string(c.Kind))
	}
	return strings.Join(words, " | ")
}

func TestAnalyses(t *testing.T) {
	nan := document.Number(document.Number(NewSecond(began, 0).TPS))
	tests := map[string]struct {
		source  Source
		seconds []Second
		want    string
	}{
		"none": {Counters, made(60, nil), ""},
		"two": {Log, made(200, map[int]func(*Second){20: tps(0), 25: tps(263), 120: tps(0), 123: tps(263)}),
			"5 s (±1 s) without writes; no failed connect seen | 3 s (±1 s) without writes; no failed connect seen"},
		"in parts": {Log, made(60, map[int]func(*Second){20: tps(0), 25: tps(5), 28: tps(0), 30: tps(263)}),
			"7 s (±2 s) without writes, in 2 parts; no failed connect seen"},
		"not ended": {Log, made(60, map[int]func(*Second){20: tps(0), 30: failed}),
			"at least 40 s without writes; at least 30 s without a connection"},
		"began before the watch": {Log, made(60, map[int]func(*Second){0: func(s *Second) { s.TPS = 0; failed(s) }, 30: func(s *Second) { connected(s); s.TPS = 263 }}),
			"at least 30 s without writes; at least 30 s without a connection"},
		"errors without an outage": {Writer, made(60, map[int]func(*Second){20: func(s *Second) { s.Errors, s.Codes = 3, []Code{{1290, "", 2}, {1836, "", 1}} }}),
			"3 errors without an outage"},
		"switch without a name change": {Log, made(60, map[int]func(*Second){20: func(s *Second) { s.TPS = 0; failed(s) }, 24: func(s *Second) { connected(s); s.TPS = 263 }}),
			"4 s (±1 s) without writes; 4 s (±1 s) without a connection"},
		"switch that nobody notices": {Counters, made(60, map[int]func(*Second){20: connected, 21: func(s *Second) { s.Addresses = []string{"10.0.0.2"} }}),
			"new_server | name_changed"},
		"nobody wants to write": {Counters, made(60, map[int]func(*Second){20: tps(0), 30: tps(263)}),
			"10 s (±1 s) without writes, and no other sign: clients may have paused"},
		"nobody wants to write, and the name has several addresses": {Counters, made(60, map[int]func(*Second){20: tps(0), 22: func(s *Second) { s.Addresses = []string{"10.0.0.2"} }, 30: tps(263)}),
			"10 s (±1 s) without writes, and no other sign: clients may have paused"},
		"read_only and no writes": {Counters, made(60, map[int]func(*Second){20: func(s *Second) { s.TPS, s.Server = 0, &Server{ID: 1, Host: "db-a", Version: "5.7.44", ReadOnly: true} }, 30: func(s *Second) { s.TPS, s.Server = 263, blue }}),
			"10 s (±1 s) without writes; no failed connect seen"},
		"a transaction now and then": {Counters, made(60, map[int]func(*Second){0: tps(1), 20: tps(0), 23: tps(1)}), ""},
		"no transactions": {Counters, made(60, map[int]func(*Second){0: tps(0), 20: failed, 25: connected}),
			"5 s (±1 s) without a connection; nothing was writing"},
		"nothing answers": {Counters, made(60, map[int]func(*Second){20: func(s *Second) { s.TPS = nan; failed(s) }, 25: connected, 26: tps(263)}),
			"6 s (±1 s) without writes; 5 s (±1 s) without a connection"},
		"unanswered, but at work": {Counters, made(60, map[int]func(*Second){20: func(s *Second) { s.TPS = nan; failed(s) }, 25: func(s *Second) { connected(s); s.Server = blue; s.TPS, s.Counted = 260, 6*time.Second }}),
			"5 s (±1 s) without a connection; no outage of writes seen"},
		"stopped, and slow": {Counters, made(60, map[int]func(*Second){20: func(s *Second) { s.TPS = nan; failed(s) }, 25: func(s *Second) { connected(s); s.Server = blue; s.TPS, s.Counted = 40, 6*time.Second }}),
			"5 s (±1 s) without writes; 5 s (±1 s) without a connection"},
		"restarted": {Counters, made(60, map[int]func(*Second){0: func(s *Second) { s.Uptime = 1000 }, 20: func(s *Second) { s.TPS = nan; failed(s) }, 22: func(s *Second) { connected(s); s.Server, s.Uptime, s.TPS = blue, 1, 263 }}),
			"2 s (±1 s) without writes; 2 s (±1 s) without a connection"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := Analyse(Run{Target: "db", Source: test.source, Seconds: test.seconds})
			if got := told(a); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if err := document.Markdown(&bytes.Buffer{}, a.Document()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNoInterruptionIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		seconds []Second
		want    string
	}{
		"writes":                     {made(60, nil), "no interruption seen; what is shorter than a second may be missed"},
		"no writes":                  {made(60, map[int]func(*Second){0: tps(0)}), "no interruption of connects seen; nothing was writing to this server, by its counters: whether writes worked is not known, neither an outage nor that there was none. Have clients write meanwhile, or rtrail: --write SCHEMA"},
		"no writes, and no connects": {made(60, map[int]func(*Second){0: tps(0), 20: failed, 25: connected}), "WRITES       nothing was writing to this server"},
		"no write of a log":          {made(60, map[int]func(*Second){0: tps(0)}), "nothing was writing"},
		"errors":                     {made(60, map[int]func(*Second){9: func(s *Second) { s.Errors = 1 }}), "no interruption seen"},
		"nothing":                    {nil, "0 seconds watched"},
	} {
		var text bytes.Buffer
		if err := document.Terminal(&text, Analyse(Run{Source: Counters, Seconds: test.seconds}).Document(), document.TerminalOptions{Width: document.AnyWidth}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), test.want) {
			t.Errorf("%s: %q is not in\n%s", name, test.want, text.String())
		}
	}
}

// Recovered is the first second from which on the median of five is four fifths of before.
func TestSlowRecovery(t *testing.T) {
	changes := map[int]func(*Second){20: tps(0), 30: tps(26), 40: tps(263), 41: tps(26), 50: tps(211)}
	it := Analyse(Run{Source: Log, Seconds: made(80, changes)}).Interruptions[0]
	if it.WithoutWrites != 10*time.Second || it.Recovered == nil || it.Recovered.Elapsed != 50*time.Second || it.After.TPS != 211 {
		t.Errorf("%v without writes, recovered %v, after %v", it.WithoutWrites, it.Recovered, it.After.TPS)
	}
	delete(changes, 50)
	it = Analyse(Run{Source: Log, Seconds: made(80, changes)}).Interruptions[0]
	if it.Recovered != nil || it.After.TPS != 26 {
		t.Errorf("recovered %v, after %v", it.Recovered, it.After.TPS)
	}
}

// A clock that is set changes no length.
func TestClockSteps(t *testing.T) {
	for _, step := range []time.Duration{time.Hour, -time.Hour, 3 * time.Second} {
		list := published()
		for i := at("08:35:00"); i < len(list); i++ {
			list[i].At = list[i].At.Add(step)
		}
		it := Analyse(Run{Source: Log, Seconds: list}).Interruptions[0]
		if it.WithoutWrites != 218*time.Second || it.WithoutConnection != 43*time.Second {
			t.Errorf("step %v: %v without writes, %v without connection", step, it.WithoutWrites, it.WithoutConnection)
		}
		if !slices.ContainsFunc(it.Events, func(e Event) bool { return e.Kind == ClockStep }) {
			t.Errorf("step %v is not told: %v", step, it.Events)
		}
	}
}

// Seconds in which the watch stood still are nobody's outage.
func TestUnwatchedSeconds(t *testing.T) {
	list := slices.Delete(made(100, nil), 30, 50)
	a := Analyse(Run{Source: Log, Seconds: list})
	if got := told(a); got != "" || a.Unwatched != 20 {
		t.Errorf("%s, %d seconds unwatched", got, a.Unwatched)
	}
	list = slices.Delete(made(100, map[int]func(*Second){20: tps(0), 60: tps(263)}), 30, 50)
	if got := told(Analyse(Run{Source: Log, Seconds: list})); got != "20 s to 40 s (±1 s) without writes; no failed connect seen" {
		t.Error(got)
	}
	for i := range list {
		list[i].FirstWrite, list[i].LastWrite = list[i].Elapsed+1, list[i].Elapsed+900*time.Millisecond
	}
	if got := told(Analyse(Run{Source: Writer, Seconds: list})); got != "" {
		t.Error(got)
	}
}

// Where the time of each write is known, outages are exact, and such of a second are found
// that no whole second shows.
func TestWrites(t *testing.T) {
	list := made(60, map[int]func(*Second){0: tps(10)})
	for i := range list {
		s := &list[i]
		s.FirstWrite, s.LastWrite = s.Elapsed+50*time.Millisecond, s.Elapsed+950*time.Millisecond
		switch i {
		case 20:
			s.LastWrite = s.Elapsed + 150*time.Millisecond
		case 21:
			s.FirstWrite = s.Elapsed + 750*time.Millisecond
		}
	}
	a := Analyse(Run{Source: Writer, Seconds: list})
	if got := told(a); got != "1.6 s without writes; no failed connect seen" {
		t.Error(got)
	}
	if at := a.Interruptions[0].Outages[0].From.At; !at.Equal(began.Add(20*time.Second + 150*time.Millisecond)) {
		t.Error(at)
	}
	for i := 30; i < 60; i++ {
		list[i].FirstWrite, list[i].LastWrite, list[i].TPS = 0, 0, 0
	}
	if got := told(Analyse(Run{Source: Writer, Seconds: list})); !strings.Contains(got, "at least 31.6 s without writes, in 2 parts") {
		t.Error(got)
	}
}

// Any rows are analysed without a crash, and no sum is longer than the run.
func FuzzAnalyse(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 2000 {
			return
		}
		var list []Second
		elapsed := time.Duration(0)
		for _, c := range b {
			s := NewSecond(began.Add(elapsed), elapsed)
			s.TPS = document.Number(c & 3)
			if c&3 == 3 {
				s.TPS = NewSecond(began, 0).TPS
			}
			s.Connects = Connects{OK: int(c >> 2 & 1), Failed: int(c >> 3 & 1)}
			s.Errors = document.Number(c >> 4 & 1)
			if c>>5&1 > 0 {
				s.Server = green
			}
			if c>>6&1 > 0 {
				s.FirstWrite, s.LastWrite = elapsed+1, elapsed+2
			}
			list = append(list, s)
			elapsed += time.Duration(1+c>>7) * time.Second
		}
		for _, source := range []Source{Counters, Writer, Log} {
			a := Analyse(Run{Source: source, Seconds: list})
			for _, i := range a.Interruptions {
				if i.WithoutWrites < 0 || i.WithoutConnection < 0 || max(i.WithoutWrites, i.WithoutConnection) > elapsed {
					t.Fatalf("%+v", i)
				}
			}
			if err := document.Terminal(&bytes.Buffer{}, a.Document(), document.TerminalOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := document.AppendJSON(nil, a); err != nil {
				t.Fatal(fmt.Errorf("%w", err))
			}
		}
	})
}
