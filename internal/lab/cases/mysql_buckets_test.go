package cases

import "testing"

// TestHashOf56 compares with where MySQL 5.6.14 itself puts these keys: PARTITION
// BY KEY of a VARBINARY column takes the same hash (EXPLAIN PARTITIONS SELECT).
func TestHashOf56(t *testing.T) {
	const partitions = 1024
	for key, want := range map[string]uint32{
		"a":                               740,
		"lab\x00orders\x00":               725,
		mdlTable + "lab\x00orders\x00":    574,
		"lab\x00t00002599\x00":            0,
		mdlTable + "lab\x00t05772090\x00": 0,
	} {
		if got := hashOf56(key) % partitions; got != want {
			t.Errorf("%q: partition %d, the server says %d", key, got, want)
		}
	}
}

func TestTablesOfOneBucket(t *testing.T) {
	for prefix, first := range map[string]string{"": "t00002599", mdlTable: "t00003498"} {
		names, seen := tablesOfOneBucket(20, prefix), map[string]bool{}
		for _, name := range names {
			seen[name] = true
			if hashOf56(prefix+"lab\x00"+name+"\x00")%4096 != 0 {
				t.Errorf("prefix %q: %s is in another bucket", prefix, name)
			}
		}
		if len(names) != 20 || len(seen) != 20 || names[0] != first {
			t.Errorf("prefix %q: %d names, %d different ones, the first is %s", prefix, len(names), len(seen), names[0])
		}
	}
}
