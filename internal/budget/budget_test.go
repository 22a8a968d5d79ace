package budget

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestTake(t *testing.T) {
	b := New(100)
	for _, c := range []struct {
		bytes int64
		ok    bool
	}{{60, true}, {41, false}, {40, true}, {1, false}, {0, true}, {-5, false}, {1<<63 - 1, false}} {
		if b.Take(c.bytes) != c.ok {
			t.Errorf("taking %d of %d with %d used: want %v", c.bytes, b.Limit(), b.Used(), c.ok)
		}
	}
	b.Give(40)
	if !b.Take(40) || b.Used() != 100 {
		t.Errorf("%d used", b.Used())
	}
	var none *Budget
	if !none.Take(1<<62) || none.Used() != 0 {
		t.Error("no budget refuses")
	}
}

func TestPart(t *testing.T) {
	whole := New(100)
	part := whole.Part()
	if !part.Take(70) || whole.Used() != 70 || whole.Take(31) || part.Take(31) || part.Used() != 70 {
		t.Errorf("%d of the whole used, %d of the part", whole.Used(), part.Used())
	}
	part.Release()
	if whole.Used() != 0 || part.Used() != 0 {
		t.Errorf("%d of the whole used after the release, %d of the part", whole.Used(), part.Used())
	}
}

func TestTakeConcurrently(t *testing.T) {
	b := New(1000)
	var got sync.Map
	var group sync.WaitGroup
	for w := range 8 {
		group.Go(func() {
			n := 0
			for b.Take(3) {
				n++
			}
			got.Store(w, n)
		})
	}
	group.Wait()
	total := 0
	got.Range(func(_, n any) bool { total += n.(int); return true })
	if total != 333 || b.Used() != 999 {
		t.Errorf("%d taken, %d used", total, b.Used())
	}
}

func TestAvailable(t *testing.T) {
	const gib = 1 << 30
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is told": {nil, unknownAvailable},
		"a machine":       {map[string]string{"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2097152 kB\n", "proc/self/cgroup": "0::/\n"}, 2 * gib},
		"a group without limit": {map[string]string{"proc/meminfo": "MemAvailable: 2097152 kB\n", "proc/self/cgroup": "0::/a\n",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "12\n"}, 2 * gib},
		"a group above with a limit": {map[string]string{"proc/meminfo": "MemAvailable: 2097152 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "1073741824\n",
			"sys/fs/cgroup/a/memory.current": "536870912\n", "sys/fs/cgroup/a/memory.stat": "anon 5\ninactive_file 268435456\nactive_file 134217728\nslab_reclaimable 67108864\nslab 99999999\n"}, gib - gib/16},
		"a container": {map[string]string{"proc/meminfo": "MemAvailable: 2097152 kB\n", "proc/self/cgroup": "0::/../../docker/x\n",
			"sys/fs/cgroup/memory.max": "104857600\n"}, 100 << 20},
		"version 1": {map[string]string{"proc/meminfo": "MemAvailable: 2097152 kB\n", "proc/self/cgroup": "9:cpu,cpuacct:/c\n8:memory:/m\n0::/\n",
			"sys/fs/cgroup/memory/m/memory.limit_in_bytes": "104857600\n", "sys/fs/cgroup/memory/m/memory.usage_in_bytes": "104857600\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"caches of version 1": {map[string]string{"proc/meminfo": "MemAvailable: 2097152 kB\n", "proc/self/cgroup": "8:memory:/m\n",
			"sys/fs/cgroup/memory/m/memory.limit_in_bytes": "104857600\n", "sys/fs/cgroup/memory/m/memory.usage_in_bytes": "104857600\n",
			"sys/fs/cgroup/memory/m/memory.stat": "inactive_file 7\nactive_file 7\ntotal_inactive_file 20971520\ntotal_active_file 10485760\n"}, 30 << 20},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := Available(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if here := Available("/"); here <= 0 || here > 1<<50 {
		t.Errorf("here: %d", here)
	}
}

func TestOfEvidence(t *testing.T) {
	for available, want := range map[int64]int64{0: minEvidence, 1 << 30: 256 << 20, 1 << 40: maxEvidence} {
		if got := OfEvidence(available); got != want {
			t.Errorf("of %d: %d, want %d", available, got, want)
		}
		if OfEvidence(available) >= OfGo(available) {
			t.Errorf("of %d: the collector begins before the evidence is full", available)
		}
	}
}
