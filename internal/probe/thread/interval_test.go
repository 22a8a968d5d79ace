package thread

import (
	"testing"
	"time"

	"rtrail/internal/probe/census"
)

// Looks must not keep step with what happens every 100 ms, as the kernel's limits of groups do.
func TestLooksComeAtUnevenTimes(t *testing.T) {
	p := &Probe{census: census.New("/"), looks: firstLooks, queue: []*watched{{}}}
	if err := p.census.TakeIfOlder(0); err != nil {
		t.Fatal(err)
	}
	const period, parts = 100 * time.Millisecond, 10
	var met [parts]int
	at := time.Duration(0)
	const looks = 2000
	for range looks {
		p.next = time.Now().Add(130 * time.Millisecond)
		d := p.Interval(time.Second)
		if d < 125*time.Millisecond || d > interval+interval/4 {
			t.Fatalf("the next look comes after %v", d)
		}
		at += d
		met[at%period/(period/parts)]++
	}
	for part, n := range met {
		if n < looks/parts/2 || n > looks/parts*2 {
			t.Errorf("%d of %d looks met tenth %d of a period", n, looks, part)
		}
	}
	p.queue = nil
	if d := p.Interval(time.Second); d%interval != 0 {
		t.Errorf("with nothing to look at it wakes after %v, not beside the other probes", d)
	}
}

// With nothing to look at, the probe sleeps until the next count.
func TestSleepsUntilTheNextCount(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name        string
		queue       []*watched
		look, count time.Duration // until they are due
		want        time.Duration
	}{
		{"a count was just taken, or left out", nil, 0, 998 * time.Millisecond, time.Second},
		{"some time ago", nil, 0, 590 * time.Millisecond, 3 * interval},
		{"the count is late", nil, 0, -3 * time.Millisecond, interval},
		{"no budget before the count", []*watched{{}}, 1100 * time.Millisecond, 998 * time.Millisecond, time.Second},
	} {
		p := &Probe{looks: firstLooks, queue: c.queue, next: now.Add(c.look)}
		if got := p.sleep(time.Second, now, now.Add(c.count)); got != c.want {
			t.Errorf("%s: it sleeps for %v, want %v", c.name, got, c.want)
		}
	}
}
