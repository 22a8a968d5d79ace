package capture

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// What waits is summed up by statement and by how long it does, whichever worker
// saw it.
func TestUnanswered(t *testing.T) {
	server := flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 80}
	list := []*part{{}, {waiting: waiting{ports: []uint16{80}}}}
	wait := func(w int, client byte, statement string, since time.Duration, within uint32) {
		list[w].waiting.transaction(&rt.Transaction{Client: flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, client}), Port: 5000}, Server: server, Proto: "http",
			Command: "GET", Fingerprint: statement, Open: int64(since), ResponsePackets: within})
	}
	wait(0, 5, "GET /x", 10*time.Second, 0)
	wait(1, 6, "GET /x", 9*time.Second, 1)
	wait(1, 7, "GET /x", 19999*time.Millisecond+500*time.Microsecond, 0)
	wait(0, 8, "GET /y", 12*time.Second, 0)
	list[1].waiting.transaction(&rt.Transaction{Server: flow.Endpoint{Port: 81}, Open: 1})
	list[1].waiting.transaction(&rt.Transaction{Server: server})
	rows := unanswered(list, int64(20*time.Second))
	if len(rows) != 3 {
		t.Fatalf("%d rows, want 3: %+v", len(rows), rows)
	}
	if r := rows[0]; r.Count != 2 || r.Within != 1 || r.Over != 8192*time.Millisecond || r.Waited != 21*time.Second || r.Longest != 11*time.Second || r.Client != "10.0.0.6" ||
		r.At.UnixNano() != int64(9*time.Second) || r.Fingerprint != "GET /x" || r.Server != "10.0.0.2" {
		t.Errorf("%+v", r)
	}
	if r := rows[1]; r.Fingerprint != "GET /y" || r.Count != 1 || r.Over != 4096*time.Millisecond {
		t.Errorf("%+v", r)
	}
	if r := rows[2]; r.Over != 0 || r.Waited != 500*time.Microsecond {
		t.Errorf("%+v", r)
	}
}
