package socket

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// What is not loaded is not asked: that would load it.
func TestNotLoaded(t *testing.T) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	builtin := filepath.Join("lib/modules", unix.ByteSliceToString(u.Release[:]), "modules.builtin")
	for name, c := range map[string]struct {
		dir, builtin string
		want         bool
	}{
		"Debian without a firewall": {"sys/module/kernel", "kernel/fs/ext2/ext2.ko\n", true},
		"Debian with one":           {"sys/module/nf_tables", "kernel/fs/ext2/ext2.ko\n", false},
		"built in":                  {"sys/module/kernel", "kernel/net/netfilter/nf_tables.ko\n", false},
		"a container":               {"sys/module/kernel", "", false},
		"no sysfs":                  {"proc", "kernel/fs/ext2/ext2.ko\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, c.dir), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.builtin != "" {
				file := filepath.Join(root, builtin)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(c.builtin), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := notLoaded(root, "nf_tables"); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
