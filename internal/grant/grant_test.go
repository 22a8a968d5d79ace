package grant

import (
	"strings"
	"testing"
)

// One command grants all, for a file that exists.
func TestCommand(t *testing.T) {
	got := Command("cap_chown", "cap_bpf").String()
	if !strings.HasPrefix(got, "sudo setcap cap_bpf,cap_chown,cap_dac_read_search,cap_net_admin,cap_net_raw,cap_perfmon,cap_sys_admin,cap_sys_nice,cap_sys_ptrace,cap_syslog+ep /") || !strings.HasSuffix(got, "grant.test") {
		t.Errorf("%s", got)
	}
}
