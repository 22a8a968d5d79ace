package traffic

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/golden"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/unit"
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

// No line of a ladder is wider than the terminal, and its answers say how long
// they took as long as the terminal has room for that.
func TestLadderFitsTheTerminal(t *testing.T) {
	src, err := pcap.OpenFile(truth(t, "mysql"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	l, found, err := ReadLadder(context.Background(), src, 1, false, nil)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	for _, width := range []int{100, 80, 60, 40} {
		var b strings.Builder
		if err := (LadderText{Width: width, Prose: width, Zone: time.UTC}).Print(&b, l); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns in a terminal of %d: %s", n, width, line)
			}
		}
		for i := range l.Transactions {
			x := &l.Transactions[i]
			answer := fmt.Sprintf("answer %d after %s", i+1, unit.Duration(x.RT))
			if width >= 60 && x.Frames[0] != 0 && x.Frames[2] != 0 && !strings.Contains(text, answer) {
				t.Errorf("at %d columns %q is cut", width, answer)
			}
		}
		if cut, said := width < 60, strings.Contains(text, "(a ladder"); cut != said {
			t.Errorf("at %d columns: says %v that lines are cut:\n%s", width, said, text)
		}
		golden.Text(t, fmt.Sprintf("testdata/golden/ladder-%d.txt", width), text)
	}
}

// Columns stay apart in a connection that rests for an hour.
func TestLadderOfAnHour(t *testing.T) {
	src, err := pcap.OpenFile(truth(t, "mysql"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	l, found, err := ReadLadder(context.Background(), src, 1, false, nil)
	if err != nil || !found {
		t.Fatal(found, err)
	}
	const pause = int64(67 * time.Minute)
	for i := range l.steps {
		if i >= len(l.steps)/2 {
			l.steps[i].at += pause
			l.steps[i].end += pause
		}
	}
	for _, width := range []int{120, 80} {
		var b strings.Builder
		if err := (LadderText{Width: width, Prose: width, Zone: time.UTC}).Print(&b, l); err != nil {
			t.Fatal(err)
		}
		var starts []int // of what packets carry
		for line := range strings.Lines(b.String()) {
			if at := strings.Index(line, "answer "); at > 0 && strings.Contains(line, "▶") || at > 0 && strings.Contains(line, "◀") {
				if line[at-1] != ' ' {
					t.Errorf("at %d columns no blank before the answer: %s", width, line)
				}
				starts = append(starts, utf8.RuneCountInString(line[:at]))
			}
		}
		if len(starts) == 0 || !strings.Contains(b.String(), " 1 h 7 min ") {
			t.Errorf("no answers at %v, or no pause in\n%s", starts, b.String())
		}
	}
}
