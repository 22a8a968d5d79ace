package disk

import (
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
}

func (c scratch) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	pages := c.files * float64((int(c.size)+4095)/4096) * 4096
	h.Process(ruletest.Process{PID: 812, Comm: "words", CPU: c.system + 0.1, WriteBytes: pages, Kernel: c.kernel, Change: func(s float64, p *recording.ProcessSample) {
		p.System = time.Duration(c.system * s * float64(time.Second))
		p.User = time.Duration(0.1 * s * float64(time.Second))
		p.WriteChars, p.WriteCalls, p.Cancelled = int64(c.files*c.size*s), int64(c.files*c.size/c.write*s), int64(pages*c.cancelled*s)
	}})
	if c.waits > 0 {
		blocked(h, 812, 812, "jbd2_log_wait_commit", c.waits)
	}
	at := ruletest.Start.Add(9 * time.Second)
	if c.created > 0 {
		ruletest.Add(h, recording.FileSum{At: at, PID: 812, Process: "words", Kind: recording.FileRegular, Path: "/srv/words/7/1.txt", Device: "8:1", Span: 10 * time.Second,
			Created: int64(10 * c.created), Opens: int64(10 * c.created), Writes: int64(10 * c.created), WrittenBytes: int64(10 * c.created * c.size)},
			recording.FileSum{At: at, PID: 812, Process: "words", Kind: recording.FileNone, Span: 10 * time.Second, Deleted: int64(10 * c.deleted)})
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
	told.Says, told.Proof = "writes pieces of 2.44 KiB to files", "are thrown away before a disk gets them"
	seen := situation("files that were counted", rule.Certain, 0.47, 0.49, func(c *scratch) { c.created, c.deleted = 2500, 2500 })
	seen.Says, seen.Proof = "makes 2,500 small files a second in /srv/words/7 and throws them away", "2,500 files are made and 2,500 deleted a second, with 2.44 KiB written for each"
	ruletest.Check(t, manySmallWrites, []ruletest.Situation{
		told, seen,
		situation("files that reach the disk before", rule.Certain, 0.47, 0.49, func(c *scratch) { c.created, c.deleted, c.cancelled = 2500, 2500, 0.1 }),
		situation("files that are overwritten", rule.Likely, 0.47, 0.49, func(c *scratch) { c.created, c.deleted = 1, 1 }),
		situation("a thread that waits for the disk", rule.Likely, 0.55, 0.66, func(c *scratch) { c.files, c.system, c.waits = 500, 0.1, 0.5 }),
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
		situation("a thread of the kernel", 0, 0, 0, func(c *scratch) { c.kernel = true }),
	})
}
