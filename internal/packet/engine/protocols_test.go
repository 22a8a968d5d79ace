package engine

import (
	"testing"

	"rtrail/internal/protocol"
)

// TestTraits holds that every decoder has an entry in the table of protocols: what
// is not in it has the traits of an unknown one.
func TestTraits(t *testing.T) {
	for _, name := range Names() {
		if protocol.Of(name) == protocol.Of("no such protocol") {
			t.Errorf("%s has no entry in internal/protocol/table.go", name)
		}
	}
}
