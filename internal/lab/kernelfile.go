package lab

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// Sysctl sets a variable of the whole machine, "vm.swappiness", and restores
// it at the end. What belongs to a network namespace is for NetNS.Sysctl.
func (e *Env) Sysctl(key, value string) error {
	return e.SetKernelFile("/proc/sys/"+strings.ReplaceAll(key, ".", "/"), value)
}

// SetKernelFile writes a file of /proc or /sys and restores it at the end.
func (e *Env) SetKernelFile(path, value string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("set %s: %w", path, err)
	}
	if err := e.journal.add(made{Kind: madeFile, Name: path, Old: strings.TrimSpace(string(old))}); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		return fmt.Errorf("set %s to %q: %w", path, value, err)
	}
	return nil
}

// FreePort returns a TCP port that nothing listens on, on the host.
func (e *Env) FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
