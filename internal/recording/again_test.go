package recording

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// light is what a probe makes of a row that repeats another.
func light(row *ProcessSample, at time.Time) ProcessSample {
	r := *row
	if at.Equal(row.At) {
		return r
	}
	r.At, r.Full, r.Swap, r.WaitChannel = at, false, Unknown, ""
	return r
}

// TestLoadOfRowsThatRepeat: samples in which things rest, wake, come and go have the words
// that their rows have when each is made.
func TestLoadOfRowsThatRepeat(t *testing.T) {
	k := kindByName(Processes)
	random := rand.New(rand.NewPCG(1, 2))
	start := time.Unix(1767322800, 0).UTC()
	var living []*ProcessSample
	next := int32(1)
	row := func(pid int32, at time.Time) *ProcessSample {
		return &ProcessSample{At: at, PID: pid, Started: start, Comm: fmt.Sprint("p", pid%7), Full: true, Swap: 5, WaitChannel: "ep_poll", User: time.Duration(random.IntN(1000))}
	}
	fast, slow := &deltaTable{}, &deltaTable{}
	fastTexts, slowTexts := newTextList(), newTextList()
	for sample := range 200 {
		at := start.Add(time.Duration(sample) * time.Second)
		come, go_, wake := random.IntN(4), 0.01, 0.05
		switch {
		case sample == 0:
			come = 300
		case sample%50 == 20: // a crowd of them at once
			come, go_ = 100, 0.4
		case sample%50 == 30:
			wake = 1
		}
		living = slices.DeleteFunc(living, func(*ProcessSample) bool { return random.Float64() < go_ })
		for i := range living {
			if random.Float64() < wake {
				living[i] = row(living[i].PID, at)
			}
		}
		for range come {
			living = slices.Insert(living, random.IntN(len(living)+1), row(next, at))
			next++
		}
		all := &table[ProcessSample]{}
		plain := &table[ProcessSample]{}
		if random.IntN(3) == 0 && len(living) > 0 { // some rows are there themselves
			all.list = append(all.list, light(living[0], at))
			plain.list = append(plain.list, all.list...)
		}
		p := piece[ProcessSample]{as: light}
		for _, r := range living[len(all.list):] {
			p.again = append(p.again, Again[ProcessSample]{Row: r, At: at})
			plain.list = append(plain.list, light(r, at))
		}
		all.more, all.rest = []piece[ProcessSample]{p}, len(p.again)
		first := 0
		if sample%17 == 3 { // a table that is written in two blocks
			first = all.count() / 3
			fast.encode(k, fast.load(k, all, 0, first, fastTexts))
			slow.encode(k, k.load(plain, 0, first, slowTexts, slow.spare))
		}
		got, want := fast.load(k, all, first, all.count(), fastTexts), k.load(plain, first, plain.count(), slowTexts, slow.spare)
		for c := range want {
			same := slices.Equal(got[c], want[c])
			if k.columns[c].kind == text { // numbered in another order
				same = slices.EqualFunc(got[c], want[c], func(a, b word) bool { return fastTexts.list[a] == slowTexts.list[b] })
			}
			if !same {
				t.Fatalf("sample %d: column %s has other words", sample, k.columns[c].name)
			}
		}
		fast.encode(k, got)
		slow.encode(k, want)
	}
}

// TestRepeatedRowsAreNotMade: of a sample in which nothing happened no row is made.
func TestRepeatedRowsAreNotMade(t *testing.T) {
	k := kindByName(Processes)
	made := 0
	as := func(row *ProcessSample, at time.Time) ProcessSample { made++; return light(row, at) }
	start := time.Unix(1767322800, 0).UTC()
	var rows []ProcessSample
	for pid := range int32(1000) {
		rows = append(rows, ProcessSample{At: start, PID: pid + 1})
	}
	d, texts := &deltaTable{}, newTextList()
	for sample := range 5 {
		p := piece[ProcessSample]{as: as}
		for i := range rows {
			p.again = append(p.again, Again[ProcessSample]{Row: &rows[i], At: start.Add(time.Duration(sample) * time.Second)})
		}
		d.encode(k, d.load(k, &table[ProcessSample]{more: []piece[ProcessSample]{p}, rest: len(rows)}, 0, len(rows), texts))
	}
	if made != 2*len(rows) { // the full ones, and the first that repeat them
		t.Errorf("%d rows made of %d", made, 5*len(rows))
	}
}
