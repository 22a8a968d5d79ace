package redis

import (
	"testing"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

// Redis answers what breaks its protocol by an error, and closes.
func TestDismissed(t *testing.T) {
	client, server := prototest.Client, prototest.Server
	steps := []prototest.Step{client(1, "SET a \"b\r\nSET c d\r\n"), server(2, "-ERR Protocol error: unbalanced quotes in request\r\n")}
	if got := prototest.ProgressOf(Protocol, steps); got != proto.Dismissed {
		t.Errorf("after a protocol error: %d", got)
	}
	steps[1] = server(2, "-ERR unknown command\r\n")
	if got := prototest.ProgressOf(Protocol, steps); got != proto.Waiting {
		t.Errorf("after another error: %d", got)
	}
}
