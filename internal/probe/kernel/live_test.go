package kernel

import (
	"os"
	"testing"
	"time"
)

// openTasks loads the program or skips the test.
func openTasks(t *testing.T) *Tasks {
	t.Helper()
	if err := Check(); err != nil {
		t.Skipf("no BPF iterators here: %v", err)
	}
	loader := &Loader{}
	defer loader.Done()
	tasks, err := OpenTasks(loader)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tasks.Close() })
	return tasks
}

func TestLive(t *testing.T) {
	tasks := openTasks(t)
	found := false
	last := int32(0)
	never := func(int32, []byte, time.Time) bool { return false }
	err := tasks.Each(never, func(task *Task) {
		if os.Getenv("RTRAIL_SHOW") != "" {
			t.Logf("%s %+v", task.Comm.Bytes(), *task)
		}
		found = found || int(task.TGID) == os.Getpid()
		if task.TID <= last {
			t.Errorf("%d comes after %d", task.TID, last)
		}
		last = task.TID
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("the test itself is not among the tasks")
	}
}
