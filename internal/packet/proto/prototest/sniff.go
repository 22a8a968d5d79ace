package prototest

import (
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Opening is how one side begins, and how sure a decoder is that it knows it.
type Opening = struct {
	From flow.Dir
	Data string
	Want proto.Match
}

// Sniff has a decoder look at beginnings.
func Sniff(t *testing.T, p proto.Protocol, list []Opening) {
	t.Helper()
	for _, o := range list {
		if got := p.Sniff(o.From, []byte(o.Data)); got != o.Want {
			t.Errorf("Sniff(from %s, %.60q) = %d, want %d", o.From, o.Data, got, o.Want)
		}
	}
}
