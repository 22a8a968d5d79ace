package env

import "testing"

func TestCPUTicks(t *testing.T) {
	stat := []byte("cpu  100 10 50 700 20 5 15 100 40 0\ncpu0 1 1 1 1 1 1 1 1 0 0\ncpu1 9 8 7 6 5 4 3 2 1 0\nintr 12 0\n")
	before, err := parseCPUTicks(stat, "cpu")
	if err != nil || before != (CPUTicks{100, 10, 50, 700, 20, 5, 15, 100}) || before.Total() != 1000 {
		t.Fatalf("%v, %v", before, err)
	}
	after := before
	after[TicksSteal] += 30
	after[3] += 170
	if got := after.ShareSince(before, TicksSteal); got != 0.15 {
		t.Errorf("share %v, want 0.15", got)
	}
	if got := before.ShareSince(after, TicksSteal); got != 0 {
		t.Errorf("counters that went back: %v", got)
	}
	if one, err := parseCPUTicks(stat, "cpu1"); err != nil || one[TicksSoftIRQ] != 3 {
		t.Errorf("one CPU: %v, %v", one, err)
	}
	for _, bad := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8 9 10", "cpu 1 2 3 x 5 6 7 8"} {
		if got, err := parseCPUTicks([]byte(bad), "cpu"); err == nil {
			t.Errorf("%q gave %v", bad, got)
		}
	}
}
