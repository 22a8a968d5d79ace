package traffic

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// What waits because it was asked to is in no sum of others, and is shown apart.
func TestAskedToWaitIsShownApart(t *testing.T) {
	c := summary.New(1, summary.Options{})
	add := func(n int, fingerprint string, took time.Duration, status proto.Status, doubt proto.Doubt) {
		for i := range n {
			c.Worker(0).Transaction(&rt.Transaction{
				ID: uint64(i), Start: int64(time.Second), Server: flow.Endpoint{Port: 6379}, Proto: "redis", Command: "C", Fingerprint: fingerprint, Status: status,
				Doubt: doubt, RT: took, Serve: took, Idle: -1, Frames: [4]uint64{1, 1, 2, 2}, RequestPackets: 1, ResponsePackets: 1,
			})
		}
	}
	add(3, "GET a", time.Millisecond, proto.Answered, 0)
	add(2, "BRPOP q", 4*time.Second, proto.Answered, proto.Blocking)
	add(1, "BRPOP q", 0, proto.Unanswered, proto.Blocking)
	add(1, "WAIT", 10*time.Millisecond, proto.Answered, proto.Blocking)
	sum := c.Result()
	out := printed(0, Overview{Report: &engine.Report{}, Summary: sum, Top: 10}.By("statement")...)
	_, tables, _ := strings.Cut(out, "\n\n")
	want := `STATEMENTS by total time
 total  share  count  mean   p95   p99   max  err  rows  statement
  3 ms  100 %      3  1 ms  1 ms  1 ms  1 ms    -     -  GET a

ASKED TO WAIT, left out of all times
 waited  count  statement
    8 s      3  BRPOP q
  10 ms      1  WAIT
`
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Errorf("%s\n%s", diff, out)
	}
	var counts []int64
	for _, x := range (&Document{Top: 1}).asked(sum) {
		counts = append(counts, x.Count, x.Waited)
	}
	if diff := cmp.Diff([]int64{3, 8e9}, counts); diff != "" {
		t.Errorf("JSON: %s", diff)
	}
	if !strings.Contains(out, "left out of all times: 4 requests (4 asked to wait)") {
		t.Errorf("not said what was left out:\n%s", out)
	}
}

// How many statements are shown is said below them, not below what was asked to wait.
func TestMoreStatementsIsSaidBelowThem(t *testing.T) {
	c := summary.New(1, summary.Options{})
	for fingerprint, doubt := range map[string]proto.Doubt{"GET a": 0, "GET b": 0, "BRPOP q": proto.Blocking} {
		c.Worker(0).Transaction(&rt.Transaction{
			ID: 1, Start: int64(time.Second), Server: flow.Endpoint{Port: 6379}, Proto: "redis", Command: "C", Fingerprint: fingerprint,
			Doubt: doubt, RT: time.Millisecond, Serve: time.Millisecond, Idle: -1, Frames: [4]uint64{1, 1, 2, 2}, RequestPackets: 1, ResponsePackets: 1,
		})
	}
	out := printed(0, Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 1}.By("statement")...)
	more, asked := strings.Index(out, "1 of 2; more with --top"), strings.Index(out, "ASKED TO WAIT")
	if more < 0 || asked < more {
		t.Errorf("the line about more statements is not between the two tables:\n%s", out)
	}
}
