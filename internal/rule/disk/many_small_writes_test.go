package disk

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// scratch is a service that writes small files and deletes them, for ten seconds.
type scratch struct {
	files     float64 // per second
	size      float64 // bytes of each
	write     float64 // bytes of a call
	cancelled float64 // share of the pages
	system    float64 // cores
	waits     float64 // threads
	created   float64 // per second, counted; 0: not counted
	deleted   float64
	synced    float64 // per second
	kernel    bool
	where     string  // kernel function in which a thread waits; "": one that makes files
	others    bool    // another program writes twice as much
	device    string  // number of the filesystem; "": of a disk
	path      string  // "": as they are
	memory    float64 // files made and deleted per second on a tmpfs
	mapped    bool    // pages are written without calls
	calls     float64 // write calls per second, if mapped
}

func (c scratch) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	pages := c.files * float64((int(c.size)+4095)/4096) * 4096
	h.Process(ruletest.Process{PID: 812, Comm: "words", CPU: c.system + 0.1, WriteBytes: pages, Kernel: c.kernel, Change: func(s float64, p *recording.ProcessSample) {
		p.System = time.Duration(c.system * s * float64(time.Second))
		p.User = time.Duration(0.1 * s * float64(time.Second))
		p.WriteChars, p.WriteCalls, p.Cancelled = int64(c.files*c.size*s), int64(c.files*c.size/c.write*s), int64(pages*c.cancelled*s)
		if c.mapped {
			p.WriteChars, p.WriteCalls = int64(200*c.calls*s), int64(c.calls*s)
		}
	}})
	disks(h, device{name: "loop3"})
	if c.waits > 0 {
		blocked(h, 812, 812, cmp.Or(c.where, "wait_transaction_locked"), c.waits)
	}
	if c.others {
		h.Process(ruletest.Process{PID: 900, Comm: "mysqld", WriteBytes: 2 * pages})
	}
	at := ruletest.Start.Add(9 * time.Second)
	if c.created > 0 {
		ruletest.Add(h, recording.FileSum{At: at, PID: 812, Process: "words", Kind: recording.FileRegular, Path: cmp.Or(c.path, "/srv/words/7/1.txt"), Device: cmp.Or(c.device, "7:3"), Span: 10 * time.Second,
			Created: int64(10 * c.created), Opens: int64(10 * c.created), Writes: int64(10 * c.created), WrittenBytes: int64(10 * c.created * c.size)},
			recording.FileSum{At: at, PID: 812, Process: "words", Kind: recording.FileNone, Span: 10 * time.Second, Deleted: int64(10 * (c.deleted + c.memory))})
	}
	if c.memory > 0 {
		ruletest.Add(h, recording.FileSum{At: at, PID: 812, Process: "words", Kind: recording.FileRegular, Path: "/dev/shm/1.txt", Device: "0:25", Span: 10 * time.Second, Created: int64(10 * c.memory)})
	}
	if c.synced > 0 {
		ruletest.Add(h, recording.SyncSum{At: at, PID: 812, Process: "words", Call: "fsync", Path: "/srv/words/7/1.txt", Device: "8:1", Span: 10 * time.Second, Calls: int64(10 * c.synced), Time: time.Second})
	}
	return h
}

func TestManySmallWrites(t *testing.T) {
	usual := scratch{files: 2500, size: 2500, write: 2500, cancelled: 0.99, system: 0.48}
	situation := func(name string, want rule.Confidence, low, high float64, change func(*scratch)) ruletest.Situation {
		c := usual
		change(&c)
		return ruletest.Situation{Name: name, Want: want, Kind: view.KindProcess, Subject: "words", Low: low, High: high, Host: func() *ruletest.Host { return c.host() }}
	}
	told := situation("files that are deleted at once", rule.Likely, 0.47, 0.49, func(*scratch) {})
	told.Says, told.Proof = "writes pieces of 2.44 KiB to files", "are thrown away before they reach a disk"
	seen := situation("files that were counted", rule.Certain, 0.47, 0.49, func(c *scratch) { c.created, c.deleted = 2500, 2500 })
	seen.Says, seen.Proof = "creates 2,500 small files a second in /srv/words/7 and throws them away", "2,500 files are created and 2,500 deleted a second, with 2.44 KiB written for each"
	ruletest.Check(t, manySmallWrites, []ruletest.Situation{
		told, seen,
		situation("files that reach the disk before", rule.Certain, 0.47, 0.49, func(c *scratch) { c.created, c.deleted, c.cancelled = 2500, 2500, 0.2 }),
		situation("files that are overwritten", rule.Likely, 0.47, 0.49, func(c *scratch) { c.created, c.deleted = 1, 1 }),
		situation("a thread that waits to make files", rule.Likely, 0.55, 0.66, func(c *scratch) { c.files, c.system, c.waits = 500, 0.1, 0.5 }),
		situation("waits alone are not certain", rule.Likely, 0.55, 0.66, func(c *scratch) { c.files, c.system, c.waits, c.created, c.deleted = 500, 0.1, 0.5, 500, 500 }),
		situation("a thread that syncs", rule.Possible, 0.11, 0.13, func(c *scratch) { c.files, c.system, c.waits, c.where = 600, 0.15, 0.5, "jbd2_log_wait_commit" }),
		situation("a thread that reads", rule.Possible, 0.11, 0.13, func(c *scratch) { c.files, c.system, c.waits, c.where = 600, 0.15, 0.5, "folio_wait_bit_common" }),
		situation("another program fills the disk", rule.Possible, 0.11, 0.13, func(c *scratch) { c.files, c.system, c.waits, c.others = 600, 0.15, 0.5, true }),
		situation("a busy kernel for other reasons", rule.Possible, 0.1, 0.11, func(c *scratch) { c.files, c.system = 520, 0.9 }),
		situation("a fifth of a thread", rule.Possible, 0.2, 0.2, func(c *scratch) { c.system = 0.2 }),
		situation("too few", 0, 0, 0, func(c *scratch) { c.files = 200 }),
		situation("next to nothing lost", 0, 0, 0, func(c *scratch) { c.system = 0.05 }),
		situation("files that are kept", 0, 0, 0, func(c *scratch) { c.cancelled, c.created, c.deleted = 0, 2500, 100 }),
		situation("half of them", 0, 0, 0, func(c *scratch) { c.cancelled = 0.49 }),
		situation("a sort that spills", 0, 0, 0, func(c *scratch) { c.files, c.size, c.write = 2, 64<<20, 4096 }),
		situation("large temporary files", 0, 0, 0, func(c *scratch) { c.size, c.write = 100000, 100000 }),
		situation("larger files that were counted", 0, 0, 0, func(c *scratch) { c.size, c.write, c.created, c.deleted = 66000, 8192, 2500, 2500 }),
		situation("journals of a database", 0, 0, 0, func(c *scratch) { c.cancelled, c.created, c.deleted, c.synced = 0, 200, 200, 100 }),
		situation("a checkout that replaces files", 0, 0, 0, func(c *scratch) { c.cancelled, c.created, c.deleted = 0, 2500, 2500 }),
		situation("a cache at its limit", 0, 0, 0, func(c *scratch) {
			c.cancelled, c.created, c.deleted, c.waits, c.where = 0.05, 2500, 2500, 0.5, "folio_wait_bit_common"
		}),
		situation("files on a tmpfs already", 0, 0, 0, func(c *scratch) { c.files, c.created, c.deleted, c.device = 0, 2500, 2500, "0:25" }),
		situation("scratch on a tmpfs beside files that are kept", 0, 0, 0, func(c *scratch) { c.cancelled, c.created, c.deleted, c.memory = 0.2, 2500, 100, 2000 }),
		situation("mapped scratch files", 0, 0, 0, func(c *scratch) { c.mapped = true }),
		situation("mapped scratch files and a log", 0, 0, 0, func(c *scratch) { c.mapped, c.calls = true, 10 }),
		situation("a busy kernel beside temporary files of three pages", 0, 0, 0, func(c *scratch) { c.files, c.size, c.write, c.system = 450, 12300, 12300, 0.9 }),
		situation("a thread of the kernel", 0, 0, 0, func(c *scratch) { c.kernel = true }),
	})
}

// What is said of a program holds for all that it does, and names a directory only if most files are in it.
func TestManySmallWritesWords(t *testing.T) {
	usual := scratch{files: 2500, size: 2500, write: 2500, cancelled: 0.99, system: 0.9, created: 2500, deleted: 2500}
	tests := []struct {
		name          string
		change        func(*scratch)
		says, without string
	}{
		{"all of its time", func(*scratch) {}, "it uses 90 % of a CPU in the kernel in total, at most 50 % for these files", "threads wait"},
		{"threads that wait", func(c *scratch) { c.waits = 0.5 }, "threads wait to create or write files", ""},
		{"files in the root", func(c *scratch) { c.path = "/1.txt" }, "small files a second and throws", " in /"},
		{"mapped files that were counted", func(c *scratch) { c.mapped = true }, "2,500 small files", "NaN"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := usual
			tt.change(&c)
			f := ruletest.Judge(t, c.host(), manySmallWrites, rule.Certain)[0]
			said := f.Headline.String() + "\n" + f.Impact.Text.String()
			for _, e := range f.Evidence {
				said += "\n" + e.What.String()
			}
			if !strings.Contains(said, tt.says) || tt.without != "" && strings.Contains(said, tt.without) {
				t.Error(said)
			}
		})
	}
}

// A directory that holds few of the files is not named.
func TestChurnDirectory(t *testing.T) {
	h := ruletest.New(2, 10)
	disks(h, device{name: "loop3"})
	for i := range 10 {
		ruletest.Add(h, recording.FileSum{At: ruletest.Start.Add(9 * time.Second), PID: 812, Process: "words", Kind: recording.FileRegular, Path: fmt.Sprintf("/srv/%d/words/x/1.txt", i), Device: "7:3",
			Span: 10 * time.Second, Created: 1000, Deleted: 1000})
	}
	if c := churn(h.View())[812]; c.dir != "" || c.made != 1000 {
		t.Errorf("%+v", c)
	}
}
