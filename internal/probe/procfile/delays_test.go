package procfile

import "testing"

func TestReadDelayAccounting(t *testing.T) {
	for _, c := range []struct {
		name, setting, release, cmdline string
		want                            DelayAccounting
	}{
		{"switched on", "1\n", "6.1.0-18-amd64", "", DelaysOn},
		{"switched off", "0\n", "6.1.0-18-amd64", "", DelaysOff},
		{"RHEL 8, which has no such setting", "", "4.18.0-553.el8.x86_64\n", "ro crashkernel=auto", DelaysOn},
		{"Ubuntu 20.04", "", "5.4.0-200-generic", "", DelaysOn},
		{"the last kernel without it", "", "5.13.19", "", DelaysOn},
		{"switched off at boot", "", "4.18.0-553.el8.x86_64", "ro nodelayacct quiet\n", DelaysOffAtBoot},
		{"a kernel that should have the setting", "", "5.14.0", "", DelaysMissing},
		{"a kernel whose number is not known", "", "", "", DelaysMissing},
	} {
		if got := ReadDelayAccounting(c.setting, c.release, c.cmdline); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
