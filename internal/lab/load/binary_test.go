package load

import (
	"strings"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto/kafka"
	"rtrail/internal/packet/proto/mongodb"
	"rtrail/internal/packet/proto/prototest"
)

// TestRequestsAreUnderstood reads the requests with the decoders, which were made from captures
// of other clients.
func TestRequestsAreUnderstood(t *testing.T) {
	put := prototest.Events([]prototest.Step{prototest.Client(1, string(produce("orders", "7")))})
	if got := prototest.Run(kafka.Protocol, put, false, flow.Finished); len(got) != 1 || !strings.HasPrefix(got[0], `Produce "orders" q`) {
		t.Errorf("%q", got)
	}
	find := prototest.Events([]prototest.Step{prototest.Client(1, string(command(bsonText("find", "orders"), "\x10limit\x00\x01\x00\x00\x00")))})
	if got := prototest.Run(mongodb.Protocol, find, false, flow.Finished); len(got) != 1 || !strings.HasPrefix(got[0], `find "lab.orders" q`) {
		t.Errorf("%q", got)
	}
}
