package session

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/bothsides"
	"rtrail/internal/packet/generate"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
)

// allCaptures are those in the tests of the project, and those made up.
func allCaptures(t *testing.T) (files []string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if ok, _ := filepath.Match("*.pcap*", filepath.Base(path)); ok {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 10 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	dir := t.TempDir()
	for _, truth := range generate.Truths() {
		var b bytes.Buffer
		if err := truth.Write(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, truth.Name+".pcap")
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// shape is what a verdict comes to.
type shape struct {
	Findings  []found
	Healthy   []string
	NotJudged []string
}

type found struct{ ID, Confidence, Subject string }

func shapeOf(t *testing.T, e *Evidence) (s shape) {
	t.Helper()
	v := e.Judge()
	for _, f := range v.Findings {
		s.Findings = append(s.Findings, found{f.Rule, f.Confidence.String(), fmt.Sprint(f.Key)})
	}
	s.Healthy = v.Healthy
	for _, n := range v.NotJudged {
		s.NotJudged = append(s.NotJudged, n.Rule)
	}
	return s
}

// TestIntervalsAddUp: a capture that is cut into intervals is judged as it is whole.
func TestIntervalsAddUp(t *testing.T) {
	for _, file := range allCaptures(t) {
		whole := Captures{Packets: Packets{Files: []string{file}}}
		all, err := whole.Evidence(t.Context())
		if err != nil {
			continue // a test of a reader has it
		}
		for _, parts := range []int64{2, 7} {
			every := all.To.Sub(all.From)/time.Duration(parts) + 1
			c := Captures{Packets: Packets{Files: []string{file}}, How: capture.Options{Every: every}}
			e, err := c.Evidence(t.Context())
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if diff := cmp.Diff(shapeOf(t, all), shapeOf(t, e)); diff != "" {
				t.Errorf("%s in intervals of %v (-whole +cut):\n%s", file, every, diff)
			}
			if n := e.Recording.Count(recording.PacketCaptures); n < 2 || int64(n) > parts+1 {
				t.Errorf("%s: %d intervals of %d", file, n, parts)
			}
			sums(t, file, all, e)
		}
	}
}

// sums compares what adds up exactly.
func sums(t *testing.T, file string, whole, cut *Evidence) {
	t.Helper()
	of := func(e *Evidence) map[string]int64 {
		m := map[string]int64{}
		v := e.View()
		for _, c := range v.PacketCaptures() {
			m["packets"] += c.Packets
			m["bytes"] += c.Bytes
			m["connections"] += c.Connections
			m["missed"] += c.Missed
			m["unreadable"] += c.Unreadable
		}
		for _, s := range v.PacketServices() {
			m["count "+s.Name()] += s.Count
			m["rt "+s.Name()] += int64(s.RTSum)
			m["idle "+s.Name()] += s.Pauses()
			for _, sender := range []string{"client", "server"} {
				d := s.Sent(sender)
				at := fmt.Sprint(s.Server, s.Port, sender) // HTTP may become another protocol, and then counts as a connection of both
				m["begun "+at] += d.Begun
				m["segments "+at] += d.Segments
				m["retransmissions "+at] += d.Retransmissions
				m["broke "+at] += d.Broke
			}
			for _, b := range s.Histogram {
				m["buckets "+s.Name()] += int64(b.Count)
			}
		}
		for _, s := range v.PacketStatements() {
			m["statement "+s.Command+s.Fingerprint] += s.Count
			m["statement rt "+s.Command+s.Fingerprint] += int64(s.RTSum)
		}
		for _, c := range v.PacketConnections() {
			m["all connections"]++
			m["transactions"] += c.Transactions
			m["bytes of connections"] += c.FromClient.Bytes + c.FromServer.Bytes
		}
		for _, r := range v.PacketResolvers() {
			m["queries"] += r.Queries
			m["answered"] += r.Answered
			m["unanswered"] += r.Unanswered
			m["asked again"] += r.AskedAgain
		}
		for _, r := range v.PacketRates() {
			for _, s := range r.Seconds {
				m["rates"] += s.Packets
			}
		}
		return m
	}
	if diff := cmp.Diff(of(whole), of(cut)); diff != "" {
		t.Errorf("%s (-whole +cut):\n%s", file, diff)
	}
}

// TestWindowOfCapture: a window of a capture says of requests what a capture says
// that was cut by time. It knows more: what began before the window is followed.
func TestWindowOfCapture(t *testing.T) {
	if _, err := exec.LookPath("editcap"); err != nil {
		t.Skip("editcap is not installed")
	}
	for _, file := range allCaptures(t) {
		whole := Captures{Packets: Packets{Files: []string{file}}}
		all, err := whole.Evidence(t.Context())
		if err != nil || all.To.Sub(all.From) < 20*time.Millisecond {
			continue
		}
		span := all.To.Sub(all.From)
		from, to := all.From.Add(span/4), all.From.Add(3*span/4)
		cut := filepath.Join(t.TempDir(), "cut.pcapng")
		form := "2006-01-02T15:04:05.000000000Z"
		if out, err := exec.CommandContext(t.Context(), "editcap", "-A", from.UTC().Format(form), "-B", to.UTC().Format(form), file, cut).CombinedOutput(); err != nil {
			t.Logf("%s: editcap: %v %s", file, err, out)
			continue
		}
		window := Captures{Packets: Packets{Files: []string{file}}, Window: Window{At: func(recording.Window) (time.Time, time.Time, string, error) { return from, to, "", nil }}}
		e, err := window.Evidence(t.Context())
		ref := Captures{Packets: Packets{Files: []string{cut}}}
		want, refErr := ref.Evidence(t.Context())
		if (err != nil) != (refErr != nil) {
			t.Errorf("%s: %v, cut %v", file, err, refErr)
		}
		if err != nil || refErr != nil {
			continue
		}
		got, cutOff := e.View(), want.View()
		if a, b := got.PacketCaptures()[0], cutOff.PacketCaptures()[0]; a.Packets != b.Packets || a.Bytes != b.Bytes {
			t.Errorf("%s: %d packets of %d bytes, cut %d of %d", file, a.Packets, a.Bytes, b.Packets, b.Bytes)
		}
		if note := got.PacketCaptures()[0].Note; strings.Contains(note, "nothing was measured") {
			t.Errorf("%s: %s", file, note)
		}
		counts := func(e *Evidence) (n int64) {
			for _, s := range e.View().PacketServices() {
				n += s.Count
			}
			return n
		}
		// A request that was under way when the window began is known here, and one
		// that was when it ended is known there, by what closes the capture.
		border := int64(len(cutOff.PacketConnections())) + 2
		if a, b := counts(e), counts(want); a < b-border || a > b+border {
			t.Errorf("%s: %d requests, cut %d, of %d connections", file, a, b, len(cutOff.PacketConnections()))
		}
	}
}

// Both sides are opened as all packets are: when privileges were given up, which is once.
func TestBothSidesConfine(t *testing.T) {
	confined := 0
	b := BothSides{Client: []string{"../../cmd/rtrail/testdata/pairs/client.pcapng"}, Server: []string{"../../cmd/rtrail/testdata/pairs/server.pcapng"}, Confine: func() { confined++ }}
	result, err := b.Compare(t.Context(), bothsides.Options{})
	if err != nil || result.Matched != 3 || confined != 1 {
		t.Fatalf("%d connections in both, confined %d times: %v", result.Matched, confined, err)
	}
	e, err := b.Evidence(t.Context())
	if err != nil || confined != 1 {
		t.Fatalf("confined %d times: %v", confined, err)
	}
	if captures := recording.Rows[recording.PacketCapture](e.Recording); len(captures) != 2 {
		t.Errorf("%d captures, want that of each side", len(captures))
	}
}
