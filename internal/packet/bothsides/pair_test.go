package bothsides

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
	"rtrail/internal/packet/pcap"
)

// sides are captures in files.
func sides(files [2][]string) (out [2]Capture) {
	for i := range files {
		out[i] = Capture{files[i], func(ctx context.Context) (pcap.Source, error) { return pcap.Open(ctx, files[i], nil) }}
	}
	return out
}

// compare runs the comparison; transactions are found by their request lines.
func compare(t *testing.T, files [2][]string) (*Result, map[string]Split) {
	t.Helper()
	found := map[string]Split{}
	r, err := Run(context.Background(), Options{
		Sides: sides(files),
		Each: func(s *Split) {
			if _, again := found[s.Fingerprint]; again {
				t.Errorf("%s comes twice", s.Fingerprint)
			}
			found[s.Fingerprint] = *s
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		name        string
		change      func(*scene)
		connections int
		each        int
		midway      bool
		every       time.Duration
		least       int // transactions that must be split
	}{
		{name: "same clock", connections: 20, each: 20, every: 10 * ms, least: 400},
		{name: "offset", change: func(s *scene) { s.offset = 3700 * ms }, connections: 20, each: 20, every: 10 * ms, least: 400},
		{name: "behind", change: func(s *scene) { s.offset = -3700 * ms }, connections: 20, each: 20, every: 10 * ms, least: 400},
		{name: "nat", change: func(s *scene) { s.nat, s.offset = true, 3700*ms }, connections: 20, each: 20, every: 10 * ms, least: 400},
		{name: "nat, midway", change: func(s *scene) { s.nat, s.offset = true, 3700*ms }, connections: 20, each: 20, midway: true, every: 10 * ms, least: 380},
		{name: "drift", change: func(s *scene) { s.offset, s.drift = 3700*ms, 50e-6 }, connections: 60, each: 20, every: time.Second, least: 1200},
		{name: "drift back", change: func(s *scene) { s.offset, s.drift = 3700*ms, -50e-6 }, connections: 60, each: 20, every: time.Second, least: 1200},
		{name: "loss", change: func(s *scene) { s.lose, s.nat = 0.05, true }, connections: 40, each: 20, every: 10 * ms, least: 790},
		{name: "loss, offset, drift", change: func(s *scene) { s.lose, s.offset, s.drift, s.nat = 0.03, 3700*ms, 50e-6, true }, connections: 60, each: 20, every: time.Second, least: 1180},
		{name: "missed by the client's capture", change: func(s *scene) { s.miss[AtClient] = 0.02 }, connections: 40, each: 20, every: 10 * ms, least: 600},
		{name: "missed by the server's capture", change: func(s *scene) { s.miss[AtServer] = 0.02 }, connections: 40, each: 20, every: 10 * ms, least: 600},
		{name: "server's capture starts later", change: func(s *scene) { s.starts[AtServer], s.offset = 350*ms, 3700*ms }, connections: 20, each: 50, every: 10 * ms, least: 300},
		{name: "client's capture starts later", change: func(s *scene) { s.starts[AtClient], s.nat = 350*ms, true }, connections: 20, each: 50, every: 10 * ms, least: 300},
		{name: "one connection", connections: 1, each: 50, every: ms, least: 50},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(c.change)
			for n := range c.connections {
				s.connection(n, time.Duration(n)*c.every, c.each, c.midway)
			}
			r, found := compare(t, s.files(t))
			t.Logf("clock %v, drift %.1f ppm, ± %v, round trip %v, %d packets, %d ignored; split %d, left out %+v", r.Clock.Offset, r.Clock.Drift*1e6, r.Clock.Uncertainty,
				r.Clock.RoundTrip, r.Clock.Packets, r.Clock.Ignored, len(found), r.Excluded)
			s.check(t, r, found, c.least)
		})
	}
}

// check compares what was found with the truth. The uncertainty is what the
// comparison says of itself.
func (s *scene) check(t *testing.T, r *Result, found map[string]Split, least int) {
	t.Helper()
	if len(found) < least {
		t.Errorf("%d transactions were split, want at least %d", len(found), least)
	}
	middle := time.Duration(r.Clock.middle - epoch)
	offset := s.offset + time.Duration(float64(middle)*s.drift)
	if off := (r.Clock.Offset - offset).Abs(); off > r.Clock.Uncertainty {
		t.Errorf("offset %v, want %v: %v off, said to be within %v", r.Clock.Offset, offset, off, r.Clock.Uncertainty)
	}
	// Half of the shortest round trip, what jitter and drift add, and the microsecond.
	if most := (s.way[0]+s.way[1]+2*s.jitter)/2 + 60*us; r.Clock.Uncertainty > most {
		t.Errorf("uncertainty %v, want at most %v", r.Clock.Uncertainty, most)
	}
	wrong := 0
	for line, x := range found {
		want := s.truth[line]
		got := parts{x.ResentThere, x.PathThere, x.ServeThere, x.ResentBack, x.PathBack, x.Download}
		if all := x.Upload + x.ResentThere + x.PathThere + x.ServeThere + x.ResentBack + x.PathBack + x.Download; all != x.Total() {
			t.Errorf("%s: parts add up to %v, its client waited %v", line, all, x.Total())
		}
		for _, p := range []struct {
			name      string
			got, want time.Duration
			within    time.Duration
		}{
			{"resent there", got.resentThere, want.resentThere, 20 * us}, // drift over 200 ms, both clocks
			{"path there", got.there, want.there, x.Uncertainty + us},
			{"server", got.serve, want.serve, us},
			{"resent back", got.resentBack, want.resentBack, 20 * us},
			{"path back", got.back, want.back, x.Uncertainty + us},
			{"both ways", got.there + got.back, want.there + want.back, 20 * us},
			{"download", got.download, want.download, 0},
		} {
			if p.got < 0 || (p.got-p.want).Abs() > p.within {
				if wrong++; wrong < 10 {
					t.Errorf("%s: %s %v, want %v within %v", line, p.name, p.got, p.want, p.within)
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d parts are wrong", wrong)
	}
}

func TestLossesAreLocated(t *testing.T) {
	s := newScene(func(s *scene) { s.lose = 0.1 })
	for n := range 40 {
		s.connection(n, time.Duration(n)*10*ms, 20, false)
	}
	var there, back uint64
	for _, x := range s.truth {
		if x.resentThere > 0 {
			there++
		}
		if x.resentBack > 0 {
			back++
		}
	}
	r, _ := compare(t, s.files(t))
	if len(r.Services) != 1 {
		t.Fatalf("%d services, want 1", len(r.Services))
	}
	if diff := cmp.Diff([2]uint64{there, back}, [2]uint64{r.Services[0].LostThere, r.Services[0].LostBack}); diff != "" {
		t.Error(diff)
	}
}

func TestSwappedSides(t *testing.T) {
	s := newScene(func(s *scene) { s.offset = 3700 * ms })
	for n := range 10 {
		s.connection(n, time.Duration(n)*10*ms, 10, false)
	}
	files := s.files(t)
	files[0], files[1] = files[1], files[0]
	r, found := compare(t, files)
	if !r.Swapped {
		t.Error("it was not noticed")
	}
	if diff := cmp.Diff(files[1], r.Sides[AtClient].Files); diff != "" {
		t.Error(diff)
	}
	s.check(t, r, found, 100)
}

func TestNothingInCommon(t *testing.T) {
	one, other := newScene(nil), newScene(func(s *scene) { s.random.Uint64(); s.nat = true })
	one.connection(1, 0, 5, false)
	other.connection(2, 0, 5, false)
	files := [2][]string{one.files(t)[0], other.files(t)[1]}
	_, err := Run(context.Background(), Options{Sides: sides(files)})
	if !errors.Is(err, ErrNothingInCommon) || !strings.Contains(err.Error(), "10.0.0.2:80") || !strings.Contains(err.Error(), "192.168.1.5:8080") {
		t.Errorf("error %v", err)
	}
}

func TestRefused(t *testing.T) {
	s := newScene(nil)
	s.connection(1, 0, 1, false)
	files := s.files(t)
	for _, c := range []struct {
		files [2][]string
		want  string
	}{
		{[2][]string{{"-"}, files[1]}, "cannot be read twice"},
		{[2][]string{files[0], files[0]}, "is given for both"},
		{[2][]string{files[0], {"/does/not/exist"}}, "no such file"},
	} {
		if _, err := Run(context.Background(), Options{Sides: sides(c.files)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.files, err, c.want)
		}
	}
}

// The capture of one server of a load balancer lacks the connections to others.
func TestUnmatched(t *testing.T) {
	s := newScene(func(s *scene) { s.nat = true })
	s.connection(1, 0, 5, false)
	kept := len(s.frames[AtServer])
	s.connection(2, 5*ms, 5, false)
	s.frames[AtServer] = s.frames[AtServer][:kept]
	r, _ := compare(t, s.files(t))
	if r.Matched != 1 || r.Translated != 1 {
		t.Errorf("%d matched, %d of them translated, want 1 and 1", r.Matched, r.Translated)
	}
	if diff := cmp.Diff(1, r.Sides[AtClient].Unmatched.Absent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(1, r.Services[0].Unmatched); diff != "" {
		t.Error(diff)
	}
}

// TestPortsOfEitherSide counts the same connections whichever port of a NAT is
// asked for.
func TestPortsOfEitherSide(t *testing.T) {
	s := newScene(func(s *scene) { s.nat = true })
	s.connection(1, 0, 5, false)
	s.connection(2, 5*ms, 5, false)
	files := s.files(t)
	for _, port := range []uint16{80, 8080} {
		r, err := Run(context.Background(), Options{Sides: sides(files), Ports: []uint16{port}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := [3]int{r.Sides[AtClient].Connections, r.Sides[AtServer].Connections, r.Matched}, [3]int{2, 2, 2}; got != want {
			t.Errorf("port %d: %d connections at the client, at the server and in both, want %d", port, got, want)
		}
	}
}

// TestFixtures keeps the captures of cmd/rtrail/testdata/pairs: a dozen
// requests through NAT, with a clock that is ahead, two packets lost.
func TestFixtures(t *testing.T) {
	s := newScene(func(s *scene) {
		s.offset, s.nat, s.lose, s.random = 3700*ms, true, 0.1, rand.New(rand.NewPCG(5, 5))
	})
	for n := range 3 {
		s.connection(n, time.Duration(n)*10*ms, 6, false)
	}
	for side, files := range s.files(t) {
		made, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		kept := filepath.Join("../../../cmd/rtrail/testdata/pairs", filepath.Base(files[0]))
		if golden.Updating() {
			if err := os.WriteFile(kept, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(kept)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, made) {
			t.Errorf("side %d: %s is not what the scene makes; run: go test ./internal/packet/bothsides -update", side, kept)
		}
	}
}
