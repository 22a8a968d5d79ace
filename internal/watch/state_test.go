package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/report"
)

// example is a state with a fault and a notice of each kind.
func example(t testing.TB) []byte {
	tr := &Tracker{Host: "h", Step: step}
	script(tr, "!a@1,!b@2 !a@1,!b@2 !a@1 !a@1")
	s := tr.State(midnight.Add(time.Minute))
	until := midnight.Add(time.Minute)
	n := Notice{Event: Ended, At: until, Fault: "0123456789ab", Times: 2, Host: "h", Key: Key{"disk/full", "h/mount//"}, Since: midnight, Until: &until,
		Brief: report.Brief{Confidence: "certain", Headline: "full"}, Was: &Cause{Key{"disk/errors", "h/device/a"}, "bad"}, Within: &Cause{Key{"disk/errors", "h/device/a"}, "bad"}}
	s.Pending["aaaaaaaaaaaa"] = []Notice{n}
	b, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestState(t *testing.T) {
	b := example(t)
	s, err := DecodeState(b, "h", midnight)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Faults) != 2 || len(s.Pending["aaaaaaaaaaaa"]) != 1 {
		t.Errorf("%+v", s)
	}
	again, err := s.Encode()
	if diff := cmp.Diff(string(b), string(again)); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"cut", `"pending"`, "", "not JSON"},
		{"another format", `{"format":1`, `{"format":2`, "format 2: this version reads 1"},
		{"another host", `"host":"h","saved"`, `"host":"x\u001b[2J","saved"`, `of another host, "x\x1b[2J"`},
		{"a field of nobody", `"saved"`, `"more":1,"saved"`, "unknown field"},
		{"an ID", `"id":"`, `"id":"../`, "ID"},
		{"a rule that is a command", `"rule":"x/a"`, `"rule":"x/a; reboot"`, "rule"},
		{"a confidence", `"confidence":"certain"`, `"confidence":"sure"`, "confidence"},
		{"times", `"times":1`, `"times":-1`, "came -1 times"},
		{"an event", `"event":"ended"`, `"event":"gone"`, "event"},
		{"an end without a time", `"event":"ended"`, `"event":"began"`, "a time without an end"},
		{"a receiver", `"aaaaaaaaaaaa"`, `"/etc/passwd"`, "receiver"},
		{"a long text", `"headline":"full"`, `"headline":"` + strings.Repeat("x", 2*maxText) + `"`, "a text of"},
		{"two values", `{"format"`, `{} {"format"`, "not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(b), c.from, c.to, 1)
			if text == string(b) {
				t.Fatalf("%q is not in %s", c.from, b)
			}
			if _, err := DecodeState([]byte(text), "h", midnight); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// What is wrong in several ways is refused in one line.
func TestStateWithSeveralErrors(t *testing.T) {
	for name, text := range map[string]string{
		"a fault":  `{"format":1,"host":"h","faults":[{"id":"0123456789ab","times":1}]}`,
		"a notice": `{"format":1,"host":"h","pending":{"aaaaaaaaaaaa":[{"event":"began","fault":"0123456789ab","times":1}]}}`,
	} {
		if _, err := DecodeState([]byte(text), "h", midnight); err == nil || !strings.HasSuffix(err.Error(), ` 1: rule ""`) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A clock that was set while a fault was there does not cost the state.
func TestStateOfAnotherClock(t *testing.T) {
	b := string(example(t))
	for _, c := range []struct{ name, from, to string }{
		{"set back since it began", `"since":"2026-01-31T00:00:00Z","last"`, `"since":"2026-01-31T20:00:00Z","last"`},
		{"set back by years", `"last":"2026`, `"last":"2926`},
		{"none at the start", `"since":"2026-01-31T00:00:00Z","last"`, `"since":"1970-01-01T00:00:05Z","last"`},
		{"a notice", `"until":"2026`, `"until":"1999`},
	} {
		text := strings.Replace(b, c.from, c.to, 1)
		if text == b {
			t.Fatalf("%s: %q is not in %s", c.name, c.from, b)
		}
		s, err := DecodeState([]byte(text), "h", midnight)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, f := range s.Faults {
			if f.Since.After(f.Last) || f.Since.Year() < 2000 || f.Last.After(midnight.Add(ahead)) {
				t.Errorf("%s: from %v to %v", c.name, f.Since, f.Last)
			}
		}
		for _, n := range s.Pending["aaaaaaaaaaaa"] {
			if n.Since.After(*n.Until) || n.Until.Year() < 2000 {
				t.Errorf("%s: notice from %v to %v", c.name, n.Since, *n.Until)
			}
		}
	}
}

// Whatever a state holds, it is refused, or it is one that can be gone on with and that the
// next run reads.
func FuzzState(f *testing.F) {
	f.Add(example(f))
	f.Add([]byte(`{"format":1,"host":"h","saved":"2026-01-31T00:00:00Z","faults":[],"pending":{}}`))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeState(b, "h", midnight)
		if err != nil {
			return
		}
		tr := &Tracker{Host: "h", Step: step}
		tr.Resume(s, midnight)
		for i := range tr.Open() {
			checkLines(t, &tr.Open()[i])
		}
		script(tr, "!a@1 - - -")
		for _, list := range s.Pending {
			for i := range list {
				checkLines(t, &list[i])
			}
		}
		next := tr.State(midnight)
		next.Pending = s.Pending
		again, err := next.Encode()
		if err == nil {
			_, err = DecodeState(again, "h", midnight)
		}
		if err != nil && len(s.Faults) < maxFaults {
			t.Errorf("written from %q, and refused: %v", b, err)
		}
	})
}

// checkLines wants a notice of bounded length without hidden characters.
func checkLines(t *testing.T, n *Notice) {
	t.Helper()
	text := n.Text()
	if c := strings.Count(text, "\n"); c > 10 || len(text) > 11*(maxLine*10) {
		t.Errorf("%d lines, %d bytes", c, len(text))
	}
	if strings.ContainsAny(text+n.Line(), "\x1b\r\x00\u202e") || strings.Contains(n.Line(), "\n") {
		t.Errorf("%q", text+n.Line())
	}
}

func TestNotice(t *testing.T) {
	until := midnight.Add(90 * time.Second)
	n := Notice{Event: Began, At: midnight.Add(10 * time.Second), Fault: "0123456789ab", Times: 3, Host: "db1", Key: Key{"disk/full", "db1/mount//var"}, Since: midnight, Alike: 1,
		Brief: report.Brief{Confidence: "certain", Headline: "/var is full\nreally\x1b[2J", Impact: "2 writes/s fail", Who: "vda1", Look: "df -h /var", Change: "delete old logs: rm x (DANGER: deletes files)"},
		Was:   &Cause{Key{"disk/errors", "db1/device/vda"}, "vda fails"}, Within: &Cause{Key{"disk/errors", "db1/device/vda"}, "vda fails"}, See: "sudo rtrail"}
	clock := midnight.Local().Format("15:04:05 MST")
	want := "db1: disk/full came back, since " + clock + `, 3rd time
certain: /var is full really\x1b[2J
impact  2 writes/s fail
who     vda1
note    was disk/errors: vda fails; is a consequence of disk/errors: vda fails; 1 more fault of this kind
LOOK    df -h /var
CHANGE  delete old logs: rm x (DANGER: deletes files)
WHY     rtrail explain disk/full; sudo rtrail
`
	if diff := cmp.Diff(want, n.Text()); diff != "" {
		t.Error(diff)
	}
	checkLines(t, &n)
	n.Event, n.Until, n.Was, n.Within, n.Alike, n.Times = Ended, &until, nil, nil, 0, 1
	line := midnight.Add(10*time.Second).Local().Format("2006-01-02 15:04:05 MST") + `  ended      certain, disk/full: /var is full really\x1b[2J; ` + midnight.Local().Format("15:04:05") + " to " + until.Local().Format("15:04:05 MST") + ", 90 s"
	if diff := cmp.Diff(line, n.Line()); diff != "" {
		t.Error(diff)
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th", 103: "103rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
