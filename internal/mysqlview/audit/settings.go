package audit

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// settings are all variables the audit knows.
var settings = slices.Concat(bufferSettings, redoSettings, latchSettings, lockSettings, tableSettings, connectionSettings,
	poolSettings, sessionSettings, instrumentSettings, binlogSettings, generalSettings)

// Settings are all variables the audit knows, topic by topic. A name that servers of
// several makers have with different meanings is there once for each (Only).
func Settings() []Setting { return slices.Clone(settings) }

// Resources that several settings use: a recommendation that wants more of one
// contradicts one that wants less. What takes some mebibytes once does not count
// as memory.
const (
	hostMemory  = "memory of the host"
	openFiles   = "open files"
	concurrency = "statements at work"
)

// bufferSettings are InnoDB's cache of pages.
var bufferSettings = []Setting{
	{
		Name: "innodb_buffer_pool_size", Topic: Buffer, Unit: Bytes, Apply: Mixed,
		Why:    "pages that are not in it are read from disk while the statement waits",
		Cost:   "memory that the rest of the host does not have; too much makes it swap, which is worse",
		Advise: adviseBufferPool,
	},
	{
		Name: "innodb_buffer_pool_instances", Topic: Buffer, Apply: Restart,
		Auto:   "MySQL: 8 for pools of a gibibyte and more until 8.4, then by pool and CPUs",
		Why:    "all threads that look for pages share the latches of an instance",
		Cost:   "less even use of the pool; of no use below a gibibyte. MariaDB has had one since 10.5",
		Advise: adviseInstances,
	},
	{
		Name: "innodb_buffer_pool_chunk_size", Topic: Buffer, Only: "MariaDB", Unit: Bytes, Apply: Restart, Auto: "by the size of the pool",
		Why:  "the pool grows and shrinks in these steps",
		Cost: "none in operation",
	},
	{
		Name: "innodb_buffer_pool_chunk_size", Topic: Buffer, Only: "MySQL", Unit: Bytes, Apply: Restart,
		Why:  "the pool grows and shrinks in these steps, times the instances",
		Cost: "none in operation",
	},
	{
		Name: "innodb_old_blocks_time", Topic: Buffer, Unit: Millis, Apply: Dynamic,
		Why:  "keeps a scan of a large table from driving out the pages that are in use; 0 lets it",
		Cost: "none known",
	},
	{
		Name: "innodb_change_buffering", Topic: Buffer, Apply: Dynamic,
		Why:  "changes of secondary indexes whose pages are not in memory wait in a buffer of their own",
		Cost: "faster writes against slower reads and a longer shutdown; of no use on fast disks",
	},
	{
		Name: "innodb_dedicated_server", Topic: Buffer, Only: "MySQL", Apply: Restart,
		Why:  "sizes the buffer pool and the redo log by the memory of the host",
		Cost: "wrong where the server does not have the host for itself, or lives in a control group",
	},
	{
		Name: "large_pages", Topic: Buffer, Apply: Restart,
		Why:  "fewer misses of the CPU's address cache with large pools",
		Cost: "the pages must be set aside (vm.nr_hugepages) and serve nothing else",
	},
	{
		Name: "innodb_numa_interleave", Topic: Buffer, Apply: Restart,
		Why:  "spreads the pool over the memory of all CPU sockets, so that none of them swaps while others have memory left",
		Cost: "every access is as slow as the average one",
	},
	{
		Name: "key_buffer_size", Topic: Buffer, Unit: Bytes, Apply: Dynamic,
		Why:  "caches indexes of MyISAM and Aria tables only",
		Cost: "memory that InnoDB does not have",
	},
}

func adviseBufferPool(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	if !ok {
		return nil
	}
	if share := float64(size) / f.Memory; share > poolCrowd {
		return &Advice{
			Direction: Lower, To: "70 to 80 % of the memory of a host the server has for itself", Sure: rule.Likely,
			Evidence: []rule.Text{rule.T("the pool is %s of the host's memory: %s of %s", unit.Share(share), unit.Bytes(size), unit.Bytes(f.Memory))},
			Pushes:   map[string]Direction{hostMemory: Lower},
		}
	}
	requests, reads := f.grown("Innodb_buffer_pool_read_requests"), f.grown("Innodb_buffer_pool_reads")
	total, known := f.gauge("Innodb_buffer_pool_pages_total")
	_, _, free, _ := f.server.Gauge("Innodb_buffer_pool_pages_free")
	perSecond := f.rate("Innodb_buffer_pool_reads")
	switch {
	case requests <= 0 || reads/requests < missShare || perSecond < missRate:
		return nil
	case known && free > poolFull*total:
		return nil // not full yet: it is being filled
	case float64(size) > poolRoom*f.Memory:
		return nil // there is no room; false where the memory is not known
	case !math.IsNaN(f.Data) && float64(size) > f.Data:
		return nil // everything fits
	}
	a := &Advice{
		Direction: Raise, To: "as much as fits: at most 70 or 80 % of the memory of a host the server has for itself", Sure: rule.Likely,
		Evidence: []rule.Text{
			rule.T("%s of page requests were read from disk: %s a second", unit.Share(reads/requests), unit.Count(perSecond)),
		},
		Pushes: map[string]Direction{hostMemory: Raise},
	}
	switch {
	case math.IsNaN(f.Memory):
		a.Sure = rule.Possible
		a.To += " (its memory was not seen)"
	default:
		a.Evidence = append(a.Evidence, rule.T("the pool has %s of the host's %s", unit.Share(float64(size)/f.Memory), unit.Bytes(f.Memory)))
	}
	if !math.IsNaN(f.Data) {
		a.Evidence = append(a.Evidence, rule.T("the largest tables take %s, the pool %s", unit.Bytes(f.Data), unit.Bytes(size)))
	}
	return a
}

func adviseInstances(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	size, known := f.int("innodb_buffer_pool_size")
	waits := f.latches("buf0buf", "buf0lru", "buf_pool")
	if !ok || !known || f.server.MariaDB() || n > 1 || size < 1<<30 || waits < latchWaits {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "8", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%d waits for latches of the buffer pool were seen, which has %d instance of %s", waits, n, unit.Bytes(size))},
	}
}

// latches counts the waits InnoDB reported whose place or name begins with one
// of these.
func (f *Facts) latches(prefixes ...string) int {
	n := 0
	for _, look := range f.latchLooks {
		for _, l := range look {
			file := l.File[strings.LastIndexByte(l.File, '/')+1:]
			for _, p := range prefixes {
				if strings.HasPrefix(file, p) || strings.HasPrefix(l.Name, p) {
					n++
					break
				}
			}
		}
	}
	return n
}
