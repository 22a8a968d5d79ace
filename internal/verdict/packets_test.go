package verdict

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/packet/sums"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// TestCapturesWithoutEvidence holds silent rules of packets to what was there
// to be seen. Two tables that stand in for each other need one of them.
func TestCapturesWithoutEvidence(t *testing.T) {
	silent := func(id string, needs ...recording.Table) rule.Rule {
		return rule.Rule{ID: id, Title: id, Resource: id, Needs: needs, Detect: func(*view.View) ([]rule.Finding, error) { return nil, nil }}
	}
	loud := silent("loud", recording.PacketServices)
	loud.Detect = func(*view.View) ([]rule.Finding, error) { return []rule.Finding{about("x", rule.Certain, 1)}, nil }
	either := silent("either")
	either.NeedsAny = []recording.Table{recording.System, recording.PacketSides}
	rules := []rule.Rule{silent("tcp", recording.PacketConnections, recording.PacketSides), silent("times", recording.PacketServices), either, loud}

	capture := func(packets, unreadable int64) func(*recording.Writer) {
		return func(w *recording.Writer) {
			recording.Append(w, recording.PacketCapture{At: t0, Last: t0.Add(time.Second), Packets: packets, Unreadable: unreadable})
		}
	}
	connection := func(fromClient, fromServer int64) func(*recording.Writer) {
		return func(w *recording.Writer) {
			recording.Append(w, recording.PacketConnection{At: t0, ID: 1})
			recording.Append(w, recording.PacketSide{At: t0, Connection: 1, Sender: "client", Packets: fromClient},
				recording.PacketSide{At: t0, Connection: 1, Sender: "server", Packets: fromServer})
		}
	}
	service := func(s recording.PacketService) func(*recording.Writer) {
		return func(w *recording.Writer) {
			s.At = t0
			recording.Append(w, s)
		}
	}
	host := func(w *recording.Writer) { recording.Append(w, recording.SystemSample{At: t0}) }
	for _, tc := range []struct {
		name    string
		rows    []func(*recording.Writer)
		healthy []string
		why     []string // of the others
	}{
		{"all is there", []func(*recording.Writer){capture(9, 0), connection(5, 4), service(recording.PacketService{Requests: sums.Requests{Count: 1}})},
			[]string{"tcp", "times", "either"}, nil},
		{"nothing could be read", []func(*recording.Writer){capture(9, 9)}, nil,
			[]string{"none of 9 packets could be read", "none of 9 packets could be read", "none of 9 packets could be read"}},
		{"nothing of interest", []func(*recording.Writer){capture(9, 1)}, nil,
			[]string{"there is none in 9 packets", "there is none in 9 packets", "there is none in 9 packets"}},
		{"the host was watched too", []func(*recording.Writer){capture(9, 9), host}, []string{"either"},
			[]string{"none of 9 packets could be read", "none of 9 packets could be read"}},
		{"one direction", []func(*recording.Writer){capture(9, 0), connection(5, 0), service(recording.PacketService{Requests: sums.Requests{Unanswered: 2}})}, nil,
			[]string{"every connection was captured in one direction only", "every request was left out: 2 without answer", "every connection was captured in one direction only"}},
		{"all times left out", []func(*recording.Writer){capture(9, 0), connection(5, 4), service(recording.PacketService{Requests: sums.Requests{Lossy: 12}})},
			[]string{"tcp", "either"}, []string{"every request was left out: 12 captured in part"}},
		{"most of a service left out", []func(*recording.Writer){capture(9, 0), connection(5, 4), service(recording.PacketService{Proto: "http2", Requests: sums.Requests{Count: 6, Lossy: 5, Unpaired: 2}})},
			[]string{"tcp", "either"}, []string{"of http2 on port 0 more were left out than counted: 2 answers whose requests were not captured, 5 captured in part"}},
		{"a few left out", []func(*recording.Writer){capture(9, 0), connection(5, 4), service(recording.PacketService{Proto: "http2", Requests: sums.Requests{Count: 6, Lossy: 3}})},
			[]string{"tcp", "times", "either"}, nil},
		{"no request", []func(*recording.Writer){capture(9, 0), connection(5, 4)}, []string{"tcp", "either"}, []string{"none was captured"}},
		{"everybody was turned away", []func(*recording.Writer){capture(9, 0), connection(5, 4), service(recording.PacketService{Requests: sums.Requests{Failed: 3, TurnedAway: 3}})},
			[]string{"tcp", "either"}, []string{"every client was turned away before it could ask for anything"}},
		{"name lookups alone", []func(*recording.Writer){capture(9, 0), service(recording.PacketService{Proto: "dns", Requests: sums.Requests{Count: 3}})}, []string{"times"},
			[]string{"there is none in 9 packets", "there is none in 9 packets"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{{Name: "capture", Fills: []recording.Table{
				recording.PacketCaptures, recording.PacketConnections, recording.PacketSides, recording.PacketServices}}}})
			w := recording.NewWriter(t0)
			recording.Append(w, recording.ProbeRun{At: t0, Probe: "capture", Rows: 9})
			for _, add := range tc.rows {
				add(w)
			}
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			v := Judge(view.New(rec, t0, t0.Add(10*time.Second)), rules)
			var why []string
			for _, n := range v.NotJudged {
				why = append(why, n.Why)
				if n.Needs == "" || n.How.Empty() {
					t.Errorf("%s lacks words: %+v", n.Rule, n)
				}
			}
			if !slices.Equal(v.Healthy, tc.healthy) || !slices.Equal(why, tc.why) {
				t.Errorf("healthy %q, want %q\nnot judged %q, want %q", v.Healthy, tc.healthy, why, tc.why)
			}
			if len(v.Findings) != 1 {
				t.Errorf("%d findings: what was found all the same must stay", len(v.Findings))
			}
		})
	}
}

// TestSilentStandIn: a probe that ran and saw nothing stands in for packets that nobody captured.
func TestSilentStandIn(t *testing.T) {
	resets := rule.Rule{ID: "resets", Title: "resets", Resource: "resets", NeedsAny: []recording.Table{recording.PacketConnections, recording.TCPEvents},
		Detect: func(*view.View) ([]rule.Finding, error) { return nil, nil }}
	for _, ran := range []bool{true, false} {
		rec := recording.New(recording.Manifest{Probes: []recording.ProbeInfo{{Name: "retransmits", Fills: []recording.Table{recording.TCPEvents}}}})
		w := recording.NewWriter(t0)
		if ran {
			recording.Append(w, recording.ProbeRun{At: t0, Probe: "retransmits"})
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		v := Judge(view.New(rec, t0, t0.Add(10*time.Second)), []rule.Rule{resets})
		if judged := len(v.NotJudged) == 0; judged != ran {
			t.Errorf("probe ran: %v, not judged: %+v", ran, v.NotJudged)
		}
		if !ran && v.NotJudged[0].Needs != "probe retransmits" {
			t.Errorf("does not say which probe is missing: %+v", v.NotJudged)
		}
	}
}

// TestBaseless tells verdicts that stand on nothing from those that found nothing.
func TestBaseless(t *testing.T) {
	arp, broken := Capture{Packets: 5}, Capture{Packets: 5, Unreadable: 5}
	for _, tc := range []struct {
		name string
		v    Verdict
		why  string
	}{
		{"only ARP", Verdict{Captures: []Capture{arp}}, "there is no TCP connection and no name lookup in it"},
		{"nothing could be read", Verdict{Captures: []Capture{broken}}, "no packet in it could be read"},
		{"one side broken", Verdict{Captures: []Capture{arp, broken}}, "there is no TCP connection and no name lookup in it"},
		{"name lookups", Verdict{Captures: []Capture{arp}, Judged: 2}, ""},
		{"name lookups that nobody answered", Verdict{Captures: []Capture{arp}, Lookups: 1}, ""},
		{"connections in one direction", Verdict{Captures: []Capture{{Packets: 5, Connections: 1}}}, ""},
		{"something was found", Verdict{Captures: []Capture{arp}, Findings: []Finding{{}}}, ""},
		{"the host was watched too", Verdict{Captures: []Capture{arp}, Judged: 40}, ""},
		{"no capture", Verdict{}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if why, baseless := tc.v.Baseless(); why != tc.why || baseless != (tc.why != "") {
				t.Errorf("%q, %v, want %q", why, baseless, tc.why)
			}
		})
	}
}
