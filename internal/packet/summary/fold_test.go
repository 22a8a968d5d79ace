package summary

import (
	"testing"
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/rt"
)

// However many services there are, few are told apart: those that were waited for
// longest; and nothing of the others is lost.
func TestManyServices(t *testing.T) {
	for _, byAddress := range []bool{true, false} {
		rows := 0
		var counted int64
		c := New(2, Options{ByAddress: byAddress, Second: func(s *Second) { rows++; counted += s.Count }})
		const services = 30_000
		for i := range services {
			for w := range 2 {
				worker := c.Worker(w)
				worker.Transaction(transaction(100*second, time.Millisecond, func(x *rt.Transaction) {
					x.Server.Port = uint16(1000 + i)
					if i == 0 {
						x.RT = time.Minute
					}
				}))
				if len(worker.places) > 2*maxServices+1 || len(worker.open) > maxServices+1 {
					t.Fatalf("%d services: sums of %d and %d in a second are kept", i, len(worker.places), len(worker.open))
				}
			}
		}
		s := c.Result()
		var inServices, inServers int64
		for _, v := range s.Services {
			inServices += v.Count
		}
		for _, v := range s.Servers {
			inServers += v.Count
		}
		if inServices != 2*services || inServers != 2*services || counted != 2*services {
			t.Errorf("of %d transactions services have %d, servers %d, seconds %d", 2*services, inServices, inServers, counted)
		}
		if len(s.Services) != maxServices+1 || len(s.Servers) != maxServices+1 || rows > 2*maxServices+2 || s.Folded == 0 {
			t.Errorf("%d services, %d servers, %d rows of seconds, %d folded", len(s.Services), len(s.Servers), rows, s.Folded)
		}
		slow := Service{Server: flow.Endpoint{Port: 1000}, Proto: "mysql"}
		if byAddress {
			slow.Server.Addr = flow.V4([4]byte{10, 0, 0, 2})
		}
		if v := s.Services[slow]; v == nil || v.RTSum < 2*time.Minute {
			t.Errorf("the service that was waited for longest is not told apart: %+v", v)
		}
	}
}
