package memory

import (
	"fmt"

	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// outside says that programs which are not seen may hold more of the host's memory than one of
// this container, to which nobody may then put down that the host is short. The words say how
// little is seen.
func outside(v *view.View, p view.Process) (words string, is bool) {
	if !v.Manifest().Host.Container {
		return "", false
	}
	m, ok := v.MemoryNow()
	if !ok || m.Available < 0 {
		return "", true
	}
	used, seen := m.Total-m.Available+v.SwapSpace().Used, int64(0)
	for _, q := range v.Processes() {
		if !q.Kernel && !q.Gone {
			seen += weight(q)
		}
	}
	if weight(p) >= used-seen {
		return "", false
	}
	// Memory that programs share, as the buffers of a database, is in none of their sizes.
	besides := ""
	if shared := max(m.Shmem, 0) + max(m.HugeTotal, 0); shared > 0 {
		used, besides = max(used-shared, seen), " besides shared memory and huge pages"
	}
	return fmt.Sprintf("; programs of this container hold %v of %v in use%s", unit.Bytes(seen), unit.Bytes(used), besides), true
}
