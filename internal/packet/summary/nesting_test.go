package summary

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
)

// A host that answers on 80 and asks 256 others meanwhile, as long as it
// answers one request at a time.
func TestNesting(t *testing.T) {
	host, user, db := flow.V4([4]byte{10, 0, 0, 1}), flow.V4([4]byte{10, 0, 0, 9}), flow.V4([4]byte{10, 0, 0, 2})
	const ms = int64(time.Millisecond)
	var spans []span
	request := func(from, to int64) {
		spans = append(spans, span{from * ms, to * ms, user, flow.Endpoint{Addr: host, Port: 80}})
	}
	call := func(from, to int64, port uint16) {
		spans = append(spans, span{from * ms, to * ms, host, flow.Endpoint{Addr: db, Port: port}})
	}
	request(0, 100)
	for range 256 {
		call(10, 11, 3306) // all at once
	}
	call(10, 95, 3306)  // and a slow one
	call(96, 97, 6379)  // somebody else
	call(99, 120, 3306) // still under way when the answer ended: not this request's
	request(200, 300)   // two at a time: nobody knows whose calls these are
	request(250, 350)
	call(260, 280, 3306)
	request(400, 410)
	call(401, 404, 3306) // one after the other
	call(404, 409, 3306)

	got := nestings(spans)
	if len(got) != 2 {
		t.Fatalf("%d nestings, want one per port called", len(got))
	}
	n := got[0]
	if n.Port != 80 || n.CalleePort != 3306 || n.Requests != 2 || n.Calls != 259 || n.Most != 257 {
		t.Errorf("got %d -> %d, %d requests, %d calls, at most %d at once; want 80 -> 3306, 2, 259, 257", n.Port, n.CalleePort, n.Requests, n.Calls, n.Most)
	}
	if want := 110 * time.Millisecond; n.Sum != want {
		t.Errorf("requests took %v, want %v", n.Sum, want)
	}
	if want := 93 * time.Millisecond; n.Covered != want {
		t.Errorf("calls covered %v, want %v", n.Covered, want)
	}
}
