package prototest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Script is a conversation, and what a decoder is to find in it.
type Script struct {
	Name   string
	Steps  []Step
	Midway bool     // the beginning of the connection was not captured
	Uncut  bool     // what is found depends on the cuts: bytes are missing, or cut off
	Want   []string // as Unsized words exchanges
}

// Scripts runs scripts in which all values begin with secret: however the bytes are cut
// into chunks, the same is found, and no value is shown.
func Scripts(t *testing.T, p proto.Protocol, list []Script) {
	t.Helper()
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			whole := Events(s.Steps)
			got := Run(p, whole, s.Midway, flow.Finished)
			if diff := cmp.Diff(s.Want, Unsized(got)); diff != "" {
				t.Fatal(diff)
			}
			for n := 1; n < 40 && !s.Uncut; n++ {
				again := Run(p, Recut(whole, n), s.Midway, flow.Finished)
				if diff := cmp.Diff(got, again); diff != "" {
					t.Fatalf("cut into pieces of %d: %s", n, diff)
				}
			}
			if all := strings.Join(got, "\n"); strings.Contains(all, "secret") {
				t.Errorf("a value is shown:\n%s", all)
			}
		})
	}
}
