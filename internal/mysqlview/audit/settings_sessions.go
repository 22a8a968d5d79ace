package audit

import (
	"math"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// sessionSettings are memory of single sessions and statements.
var sessionSettings = []Setting{
	{
		Name: "tmp_table_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "larger temporary tables go to disk; the smaller of it and max_heap_table_size counts",
		Cost: "memory, for every such table at a time; tables with long columns go to disk all the same before MySQL 8.0.13 and in MariaDB",
		With: []string{"max_heap_table_size"}, Advise: func(f *Facts, v Value) *Advice { return adviseTmp(f, v, "tmp_table_size", "max_heap_table_size") },
	},
	{
		Name: "max_heap_table_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "as tmp_table_size, and the limit of tables with ENGINE=MEMORY",
		Cost: "memory",
		With: []string{"tmp_table_size"}, Advise: func(f *Facts, v Value) *Advice { return adviseTmp(f, v, "max_heap_table_size", "tmp_table_size") },
	},
	{
		Name: "temptable_max_ram", Topic: Memory, Only: "MySQL", Unit: Bytes, Apply: Dynamic, Auto: "since 8.4 by the memory of the host",
		Why:  "all temporary tables of all sessions together may take so much memory before they go to disk",
		Cost: "memory",
	},
	{
		Name: "sort_buffer_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "a sort that does not fit is merged from files",
		Cost: "taken by every sort; above some hundred KiB making it can cost more than it saves",
		Advise: func(f *Facts, v Value) *Advice {
			if a := adviseCrowd(f, v, "sort_buffer_size"); a != nil {
				return a
			}
			return adviseSort(f, v)
		},
	},
	{
		Name: "join_buffer_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "joins without an index read a table once per buffer of rows; an index is the better cure",
		Cost: "taken for every such join of a statement", Advise: func(f *Facts, v Value) *Advice { return adviseCrowd(f, v, "join_buffer_size") },
	},
	{
		Name: "read_buffer_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "scans of MyISAM tables, and some sorts",
		Cost: "taken by every scan", Advise: func(f *Facts, v Value) *Advice { return adviseCrowd(f, v, "read_buffer_size") },
	},
	{
		Name: "read_rnd_buffer_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "reads rows in the order of a sort, and multi-range reads",
		Cost: "taken by every such read", Advise: func(f *Facts, v Value) *Advice { return adviseCrowd(f, v, "read_rnd_buffer_size") },
	},
	{
		Name: "query_cache_type", Topic: Memory, Apply: Dynamic,
		Why:  "one lock for all SELECTs and all writes: with several CPUs it is what everybody waits for",
		Cost: "OFF: the same SELECT is executed again",
		With: []string{"query_cache_size"}, Advise: adviseQueryCache,
	},
	{
		Name: "query_cache_size", Topic: Memory, Unit: Bytes, Apply: Dynamic,
		Why:  "as query_cache_type; large ones take longer to prune",
		Cost: "0: the same SELECT is executed again",
	},
}

// adviseTmp judges one of the two limits of temporary tables, of two equal ones
// tmp_table_size.
func adviseTmp(f *Facts, v Value, name, other string) *Advice {
	size, ok := v.Int()
	limit, known := f.int(other)
	disk, all := f.rate("Created_tmp_disk_tables"), f.rate("Created_tmp_tables")
	switch {
	case !ok || !known || size > limit || size == limit && name != "tmp_table_size":
		return nil // the other one is the limit
	case disk < tmpDisk || all <= 0 || disk/all < tmpDiskShare:
		return nil
	}
	a := &Advice{
		Direction: Raise, To: f.more(name, size, Bytes) + ", if the tables have no long columns (EXPLAIN, or the digests, show whose they are)", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("%s temporary tables a second went to disk, %s of all", unit.Number(disk), unit.Share(disk/all))},
		Pushes:   map[string]Direction{hostMemory: Raise},
	}
	if size == limit {
		a.To += "; " + other + " with it"
		a.Pushes[other] = Raise
	}
	return a
}

// sortBufferMost is the most that is worth trying: glibc takes larger pieces
// from the kernel for every sort (mmap threshold up to 32 MiB).
const sortBufferMost = 8 << 20

func adviseSort(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	passes := f.rate("Sort_merge_passes")
	if !ok || passes < mergePasses || size >= sortBufferMost {
		return nil
	}
	return &Advice{
		Direction: Raise, To: f.more("sort_buffer_size", size, Bytes) + ", for the sessions that sort (SET SESSION) rather than for all", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("sorts merged files %s times a second", unit.Number(passes))},
		Pushes:   map[string]Direction{hostMemory: Raise},
	}
}

// sessionBuffers may all be taken by one session at a time.
var sessionBuffers = []string{"sort_buffer_size", "join_buffer_size", "read_buffer_size", "read_rnd_buffer_size"}

// smallBuffer: no buffer below this is worth making smaller.
const smallBuffer = 1 << 20

// adviseCrowd finds the largest of the buffers of sessions where all of them
// together do not fit beside the buffer pool: the connections there were at a
// time, each with one of each.
func adviseCrowd(f *Facts, v Value, name string) *Advice {
	size, ok := v.Int()
	used := f.since("Max_used_connections")
	pool, known := f.int("innodb_buffer_pool_size")
	if !ok || !known || math.IsNaN(f.Memory) || used <= 0 || size < smallBuffer {
		return nil
	}
	sum := 0.0
	for _, other := range sessionBuffers {
		n, _ := f.int(other)
		sum += float64(n)
		if n > size || n == size && other < name {
			return nil // not the largest
		}
	}
	if float64(pool)+used*sum < f.Memory {
		return nil
	}
	to := "the default"
	if d := f.usual.of(name); d.Known {
		if n, ok := Value(d.Value).Int(); ok && n >= size {
			to = "half as much" // it is no more than the default
		}
	}
	return &Advice{
		Direction: Lower, To: to + ", with more for the sessions that need it (SET SESSION)", Sure: rule.Possible,
		Evidence: []rule.Text{
			rule.T("buffer pool %s and %s of buffers for each of the %s connections there have been at a time exceed the host's %s",
				unit.Bytes(pool), unit.Bytes(sum), unit.Count(used), unit.Bytes(f.Memory)),
		},
		Pushes: map[string]Direction{hostMemory: Lower},
	}
}

func adviseQueryCache(f *Facts, v Value) *Advice {
	waiting := f.waiting("query cache lock")
	size, _ := f.int("query_cache_size")
	if v.Is("OFF", "0") || size == 0 || waiting < 1 {
		return nil
	}
	return &Advice{
		Direction: Change, To: "OFF, and query_cache_size=0", Sure: rule.Certain,
		Evidence: []rule.Text{rule.T("%s sessions at a time waited for the query cache's lock", unit.Number(waiting))},
		Pushes:   map[string]Direction{"query_cache_size": Lower},
	}
}
