package prototest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// Tshark lets tshark dissect a capture: as says what is spoken on a port
// (tcp.port==9092,kafka), filter which messages are of interest. Each message is a
// row of the fields that were asked for; where a packet ends several messages, those
// fields that occur in each of them are taken apart, and others repeated.
func Tshark(t *testing.T, file, as, filter string, fields ...string) (rows [][]string) {
	t.Helper()
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("tshark is not installed; scripts/packages tshark")
	}
	args := []string{"-r", file, "-d", as, "-Y", filter, "-T", "fields", "-E", "separator=/t", "-E", "aggregator=;"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	out, err := exec.Command("tshark", args...).Output()
	if err != nil {
		t.Fatalf("run tshark on %s: %v", file, err)
	}
	for line := range strings.Lines(string(out)) {
		rows = append(rows, apart(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))...)
	}
	return rows
}

// Agree compares, in any order, what tshark and a decoder tell of a capture: at least
// min exchanges.
func Agree(t *testing.T, file string, tshark, decoder []string, min int) {
	t.Helper()
	slices.Sort(tshark)
	slices.Sort(decoder)
	if diff := cmp.Diff(tshark, decoder); diff != "" || len(decoder) < min {
		t.Errorf("%s: %d exchanges; differs from tshark (-tshark +rtrail):\n%s", file, len(decoder), diff)
	}
}

// apart makes a row for each message of a packet.
func apart(row []string) (rows [][]string) {
	lists, most := make([][]string, len(row)), 1
	for i, v := range row {
		lists[i] = strings.Split(v, ";")
		most = max(most, len(lists[i]))
	}
	for n := range most {
		one := make([]string, len(row))
		for i, list := range lists {
			one[i] = list[min(n, len(list)-1)]
		}
		rows = append(rows, one)
	}
	return rows
}

// Exchanges is what a decoder finds in a capture, but for text, which is valid during
// a call only.
func Exchanges(tb testing.TB, p proto.Protocol, file string) []proto.Exchange {
	tb.Helper()
	var k keeper
	for _, conn := range Capture(tb, file) {
		parser := p.New(&k, false)
		parser.End(feed(parser, conn), flow.Finished)
	}
	return k.list
}

type keeper struct{ list []proto.Exchange }

func (k *keeper) Exchange(e *proto.Exchange) {
	kept := *e
	kept.Text = nil
	k.list = append(k.list, kept)
}
