package catalogue

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// What a rule refutes is the resource of another rule, by its very name.
func TestWhatIsRefutedIsAResource(t *testing.T) {
	for _, r := range Rules {
		for _, name := range r.Refutes {
			if name == r.Resource || !slices.ContainsFunc(Rules, func(other rule.Rule) bool { return other.Resource == name }) {
				t.Errorf("%s refutes %q, which is no resource of another rule", r.ID, name)
			}
		}
	}
}

// What a rule explains is another rule.
func TestWhatIsExplainedIsARule(t *testing.T) {
	for _, r := range Rules {
		for _, id := range slices.Concat(r.Explains, r.HoldsUp, r.Delays) {
			if _, ok := Find(id); !ok || id == r.ID {
				t.Errorf("%s explains %s, which is no other rule", r.ID, id)
			}
		}
	}
}

// No resource is healthy beside a finding that says the opposite; what is not
// concerned stays.
func TestFindingsAndHealthAgree(t *testing.T) {
	host := func(refused int) *ruletest.Host {
		h := ruletest.New(2, 10).PacketCapture(nil)
		h.Packets(ruletest.PacketService{Proto: "http", Rate: 100, RTs: []time.Duration{time.Millisecond}, Handshakes: 1, ServerRTT: time.Millisecond / 10})
		h.PacketStatement(recording.PacketStatement{Proto: "http", Command: "GET", Fingerprint: "/", Count: 1000, Failed: 1, Code: "404", RTSum: time.Second})
		for i := range 5 {
			row := recording.PacketConnection{Proto: "http", Ending: "finished", Closer: "client", CloseState: "idle"}
			if i < refused {
				row.Refused, row.Ending, row.CloseReset, row.CloseState, row.Closer = true, "reset", true, "handshake", "server"
			}
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: row})
		}
		return h
	}
	for refused, healthy := range map[int]bool{0: true, 5: false} {
		v := verdict.Judge(host(refused).View(), []rule.Rule{mustFind(t, "net/resets"), mustFind(t, "rt/connect-slow"), mustFind(t, "rt/errors"), mustFind(t, "rt/server-slow")})
		if len(v.Findings) > 0 == healthy || len(v.NotJudged) > 0 {
			t.Fatalf("%d refused: findings %v, not judged %+v", refused, v.Findings, v.NotJudged)
		}
		for _, name := range []string{"connections", "connects", "answers"} {
			if slices.Contains(v.Healthy, name) != healthy {
				t.Errorf("%d connections were refused, and healthy are %q; want %q among them: %v", refused, v.Healthy, name, healthy)
			}
		}
		if !slices.Contains(v.Healthy, "response times") {
			t.Errorf("%d connections were refused, and healthy are %q: response times are what they were", refused, v.Healthy)
		}
	}
}

func mustFind(t *testing.T, id string) rule.Rule {
	t.Helper()
	r, ok := Find(id)
	if !ok {
		t.Fatalf("there is no rule %s", id)
	}
	return r
}
