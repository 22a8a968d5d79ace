package load

import (
	"fmt"
	"os"
	"testing"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/env/envtest"
	"rtrail/internal/lab/load/actor"
)

// TestMain lets the test binary be the actors, as rtrail itself is.
func TestMain(m *testing.M) {
	if actor.Main() {
		return
	}
	os.Exit(m.Run())
}

func TestActorReports(t *testing.T) {
	envtest.Isolate(t)
	e, err := env.New("test/actor", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Cleanup()
	p, err := StartActor(e, env.Options{}, "spool-writer", "append", e.Path("spool"), e.Path("records"))
	if err != nil {
		t.Fatal(err)
	}
	if err := UntilReported(t.Context(), e, "records"); err != nil {
		t.Fatal(err, p.Output())
	}
	if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID)); err != nil || string(comm) != "spool-writer\n" {
		t.Errorf("it is called %q, %v", comm, err)
	}
	if info, err := os.Stat(e.Path("spool")); err != nil || info.Size() == 0 {
		t.Errorf("it has written nothing: %v", err)
	}
	if err := e.Cleanup(); err != nil {
		t.Error(err)
	}
	if left := envtest.Leftovers(t); left != nil || p.Alive() {
		t.Errorf("left behind: %q; alive: %v", left, p.Alive())
	}
}
