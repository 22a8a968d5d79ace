package census

import (
	"testing"
	"time"
)

// TestCalm: each step is a second of so many CPUs that used so much of a core.
func TestCalm(t *testing.T) {
	type second struct {
		times int
		used  float64
		cpus  int
	}
	for _, c := range []struct {
		name    string
		seconds []second
		want    bool
	}{
		{"it has just begun", []second{{30, 0.01, 4}}, false},
		{"after a minute", []second{{62, 0.01, 4}}, true},
		{"a little runs", []second{{62, 0.08, 4}}, true},
		{"more runs", []second{{62, 0.2, 4}}, false},
		{"a disk is waited for", []second{{62, 0.01, 4}, {1, 1, 4}}, false},
		{"and a second later", []second{{62, 1, 4}, {1, 0.01, 4}}, true},
		{"a CPU came", []second{{62, 0.01, 4}, {1, 0.01, 5}}, false},
		{"the idle time jumps", []second{{62, 0.01, 4}, {1, -3, 4}}, false},
		{"a machine that was suspended", []second{{62, 0.01, 4}, {1, 4, 4}}, false},
	} {
		var got calm
		up, idle := time.Hour, 2*time.Hour
		for _, s := range c.seconds {
			for range s.times {
				up += time.Second
				idle += time.Duration((float64(s.cpus) - s.used) * float64(time.Second))
				got.see(up, idle, s.cpus)
				got.see(up+20*time.Millisecond, idle, s.cpus) // too short a time to tell
			}
		}
		if got.now() != c.want {
			t.Errorf("%s: %v", c.name, got.now())
		}
	}
}

func TestParseUptime(t *testing.T) {
	for _, c := range []struct {
		text     string
		up, idle time.Duration
		ok       bool
	}{
		{"363.98 721.31\n", 363980 * time.Millisecond, 721310 * time.Millisecond, true},
		{"363.98\n", 0, 0, false},
		{"363.98 -1\n", 0, 0, false},
		{"363.98 1e300\n", 0, 0, false},
		{"", 0, 0, false},
	} {
		up, idle, ok := parseUptime([]byte(c.text))
		if ok != c.ok || ok && (up.Round(time.Millisecond) != c.up || idle.Round(time.Millisecond) != c.idle) {
			t.Errorf("%q: %v, %v, %v", c.text, up, idle, ok)
		}
	}
}

// TestShareWhileCalm: a count may be as old as two seconds, but for those who want an exact one.
func TestShareWhileCalm(t *testing.T) {
	c := New("/")
	defer c.Close()
	if !c.Live() {
		t.Skip("no /proc here")
	}
	for _, s := range []struct {
		name  string
		calm  bool
		age   time.Duration
		exact bool
		want  int64
	}{
		{"the first one", false, 0, false, 1},
		{"calm", true, time.Second, false, 1},
		{"calm, an exact one", true, time.Second, true, 2},
		{"calm, too old", true, 2 * time.Second, false, 3},
		{"not calm", false, time.Second, false, 4},
	} {
		b, err := c.dir.Head("uptime")
		if err != nil {
			t.Fatal(err)
		}
		up, _, ok := parseUptime(b)
		if !ok {
			t.Fatalf("uptime: %q", b)
		}
		c.calm = calm{first: up - calmAfter, up: up, little: s.calm} // that is now: it looks no further
		c.taken = c.taken.Add(-s.age)
		asked := time.Now()
		if err := c.Share(0, s.exact, c.count); err != nil {
			t.Fatal(err)
		}
		if _, got := c.Taken(); got != s.want {
			t.Errorf("%s: count %d, want %d", s.name, got, s.want)
		}
		if next, want := c.Next(time.Second), asked.Add(time.Second); next.Before(want) { // be it that this one is left out
			t.Errorf("%s: the next count is due %v too early", s.name, want.Sub(next))
		}
	}
}
