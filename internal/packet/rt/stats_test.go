package rt

import (
	"testing"

	"rtrail/internal/packet/proto"
)

// A client that the server turns away counts as an error, though there is no
// request; a stray error whose request was not captured does not.
func TestTurnedAway(t *testing.T) {
	tests := []struct {
		name                         string
		t                            Transaction
		failed, unpaired, turnedAway int64
	}{
		{"too many connections", Transaction{Status: proto.Unpaired, Command: "Connect", Failed: true, Code: "1040"}, 1, 0, 1},
		{"an idle connection is closed with a word", Transaction{Status: proto.Unpaired, Failed: true, Code: "4031"}, 0, 1, 0},
		{"a login refused", Transaction{Status: proto.Answered, Command: "Connect", Failed: true, Code: "1045"}, 1, 0, 0},
	}
	for _, tt := range tests {
		var s Stats
		s.Add(&tt.t)
		if s.Failed != tt.failed || s.Unpaired != tt.unpaired || s.TurnedAway != tt.turnedAway || s.Excluded() != tt.unpaired {
			t.Errorf("%s: %d failed, %d unpaired, %d turned away, %d left out, want %d, %d and %d", tt.name, s.Failed, s.Unpaired, s.TurnedAway, s.Excluded(), tt.failed, tt.unpaired, tt.turnedAway)
		}
	}
}
