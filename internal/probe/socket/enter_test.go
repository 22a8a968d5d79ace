package socket

import (
	"errors"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// The first thread never enters another namespace: it would stay there, and with
// it what /proc/PID tells of the process.
func TestEnterSparesTheFirstThread(t *testing.T) {
	own, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no namespaces here: %v", err)
	}
	defer unix.Close(own)
	for range 100 {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				err := enter(own, func() error {
					if unix.Gettid() == os.Getpid() {
						t.Error("entered by the first thread")
					}
					return nil
				})
				if err != nil && !errors.Is(err, unix.EPERM) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}
