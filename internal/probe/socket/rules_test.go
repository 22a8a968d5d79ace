package socket

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/recording"
)

// Firewall rules are read at the edges of a window, each 30 samples with the settings, and
// each three samples while a connection waits.
func TestRulesAreReadWhileConnectionsWait(t *testing.T) {
	p := &Probe{}
	var with, beside []int64
	for p.samples = 1; p.samples <= 70; p.samples++ {
		settings := p.samples == 1 || p.samples%settingsEvery == 0
		if settings {
			with = append(with, p.samples)
		}
		if p.rulesNow(settings) > 0 {
			beside = append(beside, p.samples)
		}
		p.blocked = p.samples >= 24 && p.samples < 35
	}
	if got, want := fmt.Sprint(with, beside), "[1 30 60] [25 28 33]"; got != want {
		t.Errorf("rules are read in samples %s, want %s", got, want)
	}
}

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name string
		row  recording.TCPSample
		want bool
	}{
		{"a connect", recording.TCPSample{State: recording.TCPSynSent}, true},
		{"sent again twice", recording.TCPSample{State: recording.TCPEstablished, Retransmits: 2}, true},
		{"sent again once", recording.TCPSample{State: recording.TCPEstablished, Retransmits: 1, Backoff: 1}, false},
		{"open", recording.TCPSample{State: recording.TCPEstablished}, false},
	} {
		other := recording.TCPSample{State: recording.TCPEstablished}
		dumped, walked := &Probe{tcp: []recording.TCPSample{other, c.row}}, &Probe{resting: []recording.Again[recording.TCPSample]{{Row: &other}, {Row: &c.row}}}
		if dumped.waits() != c.want || walked.waits() != c.want {
			t.Errorf("%s: %t and %t, want %t", c.name, dumped.waits(), walked.waits(), c.want)
		}
	}
}

// TestInTurn: where firewall rules of one namespace may be read at a time, each one has its turn,
// whatever the order in which namespaces are read.
func TestInTurn(t *testing.T) {
	const budget = time.Millisecond
	spaces := map[uint64]*namespace{}
	for inode := range uint64(4) {
		spaces[inode] = &namespace{diag: &netlinkConn{}, configured: true, ruling: budget}
	}
	spaces[7] = &namespace{diag: &netlinkConn{}, configured: true, ruling: 2 * budget} // too dear
	spaces[8] = &namespace{configured: true, ruling: 1}                                // not open
	spaces[9] = &namespace{diag: &netlinkConn{}, ruling: 1}                            // settings come first
	had := map[*namespace]bool{}
	for range 1000 {
		list := inTurn(spaces, budget)
		if len(list) != 1 {
			t.Fatalf("%d namespaces in one sample", len(list))
		}
		had[list[0]] = true
	}
	if len(had) != 4 || had[spaces[7]] || had[spaces[8]] || had[spaces[9]] {
		t.Errorf("%d namespaces had a turn, want 4", len(had))
	}
	if list := inTurn(spaces, 0); len(list) > 0 {
		t.Errorf("%d namespaces without a budget", len(list))
	}
}

// TestAllowance: namespaces whose rules take all that they may leave the others their share, and
// what is not taken is for those that follow.
func TestAllowance(t *testing.T) {
	const all = 64 * time.Millisecond
	greedy := allowance{time: all, cpu: all, bytes: 6400, spaces: 64}
	for i := range 64 {
		cpu, bytes := greedy.share(i == 0)
		if least := all / 130; cpu < least || bytes < 6400/130 {
			t.Errorf("namespace %d may take %v and %d bytes, want %v at least", i, cpu, bytes, least)
		}
		greedy.take(cpu, cpu, bytes)
	}
	if greedy.time < 0 || greedy.cpu < 0 || greedy.bytes < 0 {
		t.Errorf("%v, %v of a CPU and %d bytes are left", greedy.time, greedy.cpu, greedy.bytes)
	}
	modest := allowance{time: all, cpu: all, bytes: 6400, spaces: 2}
	modest.share(true)
	modest.take(0, 0, 0)
	if cpu, bytes := modest.share(false); cpu != all || bytes != 6400 {
		t.Errorf("the last one may take %v and %d bytes", cpu, bytes)
	}
	late := allowance{time: all, cpu: all, bytes: 6400, spaces: 2}
	late.take(2*all, 2*all, 10_000)
	if cpu, bytes := late.share(false); cpu != 0 || bytes != 0 {
		t.Errorf("%v and %d bytes after more was taken than there was", cpu, bytes)
	}
}

// TestWhyRulesAreNotRead: too many rules and too little time are told apart.
func TestWhyRulesAreNotRead(t *testing.T) {
	for _, c := range []struct {
		missed unseen
		want   string
	}{
		{unseen{rules: 1}, "there are more than are read"},
		{unseen{rushed: 1}, "there was no time"},
	} {
		rec, w := recording.New(recording.Manifest{}), recording.NewWriter(time.Now())
		c.missed.report(w, "socket")
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		notes := recording.Rows[recording.UnseenNote](rec)
		if len(notes) != 1 || notes[0].What != string(recording.UnseenPacketFilter) || !strings.HasPrefix(notes[0].Why, c.want) {
			t.Errorf("notes %+v, want one: %s", notes, c.want)
		}
	}
}

// TestRulesOfBusyHost: that rtrail waits for a CPU does not make the rules of one namespace of
// many too many.
func TestRulesOfBusyHost(t *testing.T) {
	for _, c := range []struct {
		name         string
		waited, used time.Duration
		want         error
	}{
		{"it goes on at once", 0, time.Millisecond, nil},
		{"it waits for a CPU", rulesTime / 2, time.Millisecond, nil},
		{"more rules than its share is for", 10 * time.Millisecond, 10 * time.Millisecond, errEnough},
		{"it waits until the time is over", rulesTime + 1, time.Millisecond, errNoTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var used time.Duration
				p := &Probe{cpuTime: func() time.Duration { return used }, allowed: newAllowance(namespaces)}
				set := p.newRuleset(&namespace{})
				if err := set.more(nil, 10); err != nil {
					t.Errorf("the first rule: %v", err)
				}
				time.Sleep(c.waited)
				used = c.used
				if err := set.more(nil, 10); !errors.Is(err, c.want) {
					t.Errorf("the second rule: %v, want %v", err, c.want)
				}
			})
		})
	}
}
