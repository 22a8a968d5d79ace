package traffic

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
)

// A long run of data is summed up between its first and last packets; what is
// remarkable ends it.
func TestLongRunsAreSummedUp(t *testing.T) {
	var c climber
	frame := uint64(0)
	send := func(d flow.Dir, size int, notes ...string) {
		frame++
		c.add(step{frame: frame, dir: d, size: size, notes: notes})
	}
	send(flow.ToServer, 30)
	for range 50 {
		send(flow.ToClient, 1400)
		send(flow.ToServer, 0)
	}
	send(flow.ToClient, 1400, "retransmission")
	send(flow.ToServer, 30)
	var got []string
	for i := range c.ladder.steps {
		s := &c.ladder.steps[i]
		line := fmt.Sprintf("%d: %d bytes", s.frame, s.size)
		if s.run {
			line += fmt.Sprintf(", %d segments and %d acks to %d", s.packets, s.acks, s.until)
		}
		got = append(got, line)
	}
	want := []string{
		"1: 30 bytes", "2: 1400 bytes", "3: 0 bytes", "4: 1400 bytes", "5: 65800 bytes, 47 segments and 48 acks to 99",
		"100: 1400 bytes", "101: 0 bytes", "102: 1400 bytes", "103: 30 bytes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
