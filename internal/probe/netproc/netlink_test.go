package netproc

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Messages lost are summed over sockets that come and go; what was lost before
// the first look is not told of, and no socket's end is a loss.
func TestNetlink(t *testing.T) {
	const head = "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    Drops    Inode\n"
	line := func(drops, inode string) string {
		return "0000000041ff85a5 0   17         00000000 0        0        0     2        " + drops + "        " + inode + "       \n"
	}
	var n Netlink
	for i, step := range []struct {
		file string
		want []value
	}{
		{head + line("50", "1") + line("100", "2"), []value{{"Netlink.Drops", 0}}},
		{head + line("53", "1") + line("100", "2"), []value{{"Netlink.Drops", 3}}},
		{head + line("53", "1"), []value{{"Netlink.Drops", 3}}},
		{head + line("53", "1") + line("4", "9") + "torn", []value{{"Netlink.Drops", 7}}},
		{"sk Eth Pid Groups Rmem Wmem Dump Locks\n", nil}, // before 2.6.33
	} {
		if diff := cmp.Diff(step.want, values(n.Read(nil, time.Time{}, 1, []byte(step.file)))); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}
