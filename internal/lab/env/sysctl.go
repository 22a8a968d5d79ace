package env

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// procSys is where variables of the kernel lie.
var procSys = "/proc/sys"

// ConntrackMax limits the connections that are tracked, of each network namespace.
const ConntrackMax = "net.netfilter.nf_conntrack_max"

// NetdevMaxBacklog limits the received packets that wait for each CPU.
const NetdevMaxBacklog = "net.core.netdev_max_backlog"

// machineSysctls are the variables of the whole machine that cases set. State
// files restore no other.
var machineSysctls = []string{ConntrackMax, NetdevMaxBacklog}

// Sysctl sets one of machineSysctls, a number, and restores it at the end. What
// belongs to a network namespace is for NetNS.Sysctl.
func (e *Env) Sysctl(key, value string) error {
	path := sysctlFile(key)
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	m := made{Kind: madeSysctl, Name: key, Old: strings.TrimSpace(string(old))}
	if err := m.belongs(e.ID); err != nil {
		return fmt.Errorf("set %s: %w", key, err)
	}
	if err := e.journal.add(m); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		return fmt.Errorf("set %s to %q: %w", key, value, err)
	}
	return nil
}

func sysctlFile(key string) string {
	return procSys + "/" + strings.ReplaceAll(key, ".", "/")
}

// FreePort finds a TCP port of the host that no process listens at.
func FreePort(addr string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(addr, "0"))
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
