package memory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// squeezed is a group at its limit whose web server reads again what had to go
// for a batch job, 1,600 pages or 6.25 MiB a second.
type squeezed struct {
	waits    float64 // seconds a second that the web server waits for disks
	read     float64 // bytes a second that it reads from disks
	pressure float64 // of the group; -1: of version 1, which has none
	host     float64 // pressure of the host; -1: the kernel has none
	refaults float64

	elsewhere, swap float64 // refaults and pages swapped in elsewhere on the host

	job    int64
	change func(float64, *recording.CgroupSample)
}

func (q squeezed) on() *ruletest.Host {
	h := ruletest.New(2, 5).VMStat(ruletest.VMStat{Refaults: q.refaults + q.elsewhere, SwapIn: q.swap}).Memory(8*gib, 6*gib, 0)
	if q.host >= 0 {
		h.Pressure("memory", q.host, 0)
	}
	h.Process(ruletest.Process{PID: 11, Comm: "batch", CPU: 0.2, Anon: q.job, MemCgroup: "/shop/web"})
	h.Process(ruletest.Process{PID: 10, Comm: "nginx", CPU: 0.1, Anon: 2 * mib, MemCgroup: "/shop/web", BlockDelay: q.waits, ReadBytes: q.read})
	group := ruletest.Cgroup{Path: "/shop/web", Memory: 80 * mib, MemoryMax: 80 * mib, EventsMax: 100, Refaults: q.refaults, MemoryStall: q.pressure,
		Change: func(s float64, r *recording.CgroupSample) {
			r.Anon, r.File = q.job+2*mib, 80*mib-q.job
			if q.pressure < 0 {
				r.Version, r.MemoryStall = 1, recording.Unknown
			}
			if q.change != nil {
				q.change(s, r)
			}
		}}
	return h.Cgroup(group).Cgroup(ruletest.Cgroup{Path: "/", Memory: 2 * gib, Refaults: q.refaults})
}

func TestReclaim(t *testing.T) {
	usual := squeezed{waits: 0.9, read: 6.3 * mib, pressure: -1, host: 0.02, refaults: 1600, job: 58 * mib}
	with := func(change func(*squeezed)) func() *ruletest.Host {
		q := usual
		change(&q)
		return q.on
	}
	inHost := func(available int64, pressure float64) func() *ruletest.Host {
		return func() *ruletest.Host {
			return ruletest.New(2, 5).VMStat(ruletest.VMStat{Refaults: 5000}).Memory(8*gib, available, 0).Pressure("memory", pressure, 0).
				Process(ruletest.Process{PID: 33, Comm: "java", Anon: 7 * gib})
		}
	}
	const group, host = view.KindCgroup, view.KindHost
	ruletest.Check(t, reclaim, []ruletest.Situation{
		{Name: "threads wait for what had been in memory", Host: usual.on,
			Want: rule.Certain, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9,
			Says:  "/shop/web, limited to 80 MiB, lacks memory for files in use and reads 6.25 MiB/s of them again and again: batch (11) holds 58 MiB",
			Proof: "0.89 threads wait for disks because of it: of 6.3 MiB/s that the programs read, 99 % had been in memory"},
		{Name: "by the group's own pressure", Host: with(func(q *squeezed) { q.waits, q.pressure = 0, 0.3 }),
			Want: rule.Certain, Kind: group, Subject: "/shop/web", Low: 0.29, High: 0.31, Proof: "tasks in the group waited for memory 30 % of the time"},
		{Name: "by the host's pressure", Host: with(func(q *squeezed) { q.waits, q.host = 0, 0.3 }),
			Want: rule.Likely, Kind: group, Subject: "/shop/web", Low: 0.29, High: 0.31, Proof: "tasks on the host waited for memory 30 % of the time"},
		{Name: "the host waits, but for somebody else", Host: with(func(q *squeezed) { q.waits, q.host, q.elsewhere = 0.002, 0.3, 4000 })},
		{Name: "the host waits, but for swap", Host: with(func(q *squeezed) { q.waits, q.host, q.swap = 0.002, 0.3, 500 })},
		{Name: "without any pressure", Host: with(func(q *squeezed) { q.host = -1 }),
			Want: rule.Certain, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9},
		{Name: "most of what is read is new", Host: with(func(q *squeezed) { q.read = 63 * mib }),
			Want: rule.Likely, Kind: group, Subject: "/shop/web", Low: 0.08, High: 0.1},
		{Name: "hardly felt", Host: with(func(q *squeezed) { q.waits = 0.03 }),
			Want: rule.Possible, Kind: group, Subject: "/shop/web", Low: 0.02, High: 0.04},
		{Name: "a quick disk: nobody waits", Host: with(func(q *squeezed) { q.waits, q.host = 0.005, 0.002 })},
		{Name: "few pages", Host: with(func(q *squeezed) { q.refaults = 90 })},
		{Name: "read for the first time", Host: with(func(q *squeezed) { q.refaults = 0 })},
		{Name: "files have most of the memory and are still too many", Host: with(func(q *squeezed) { q.job = 20 * mib }),
			Want: rule.Possible, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9},
		{Name: "in one second only", Host: with(func(q *squeezed) {
			q.change = func(s float64, r *recording.CgroupSample) {
				r.RefaultFile = 0
				if s > 2.5 {
					r.RefaultFile = 8000
				}
			}
		}), Want: rule.Possible, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9},
		{Name: "slowed down at memory.high", Host: with(func(q *squeezed) {
			q.pressure = 0.3
			q.change = func(s float64, r *recording.CgroupSample) {
				r.MemoryHigh, r.MemoryMax, r.EventsMax, r.EventsHigh = 80*mib, 200*mib, 0, int64(50*s)
			}
		}), Want: rule.Certain, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9, Says: "limited to 80 MiB", Proof: "it hit its limit 250 times"},
		{Name: "far from its limit", Host: with(func(q *squeezed) {
			q.change = func(_ float64, r *recording.CgroupSample) { r.MemoryMax = 200 * mib }
		})},
		{Name: "killed at the end, which gave everything back", Host: with(func(q *squeezed) {
			q.change = func(s float64, r *recording.CgroupSample) {
				if s > 4.5 {
					r.Memory, r.Anon, r.File = 4*mib, mib, 3*mib
				}
			}
		}), Want: rule.Certain, Kind: group, Subject: "/shop/web", Low: 0.88, High: 0.9},
		{Name: "the whole host", Host: inHost(200*mib, 0.4),
			Want: rule.Certain, Kind: host, Subject: "db1", Low: 0.39, High: 0.41, Says: "the host lacks memory for files in use and reads 19.5 MiB/s of them again and again: java (33) holds 7 GiB"},
		{Name: "the whole host, by a program of this container", Host: func() *ruletest.Host {
			return inHost(200*mib, 0.4)().Manifest(func(m *recording.Manifest) { m.Host.Container = true })
		}, Want: rule.Certain, Kind: host, Subject: "db1", Low: 0.39, High: 0.41, Says: "again and again: java (33) holds 7 GiB"},
		{Name: "the whole host, by programs outside this container", Host: func() *ruletest.Host {
			return ruletest.New(2, 5).VMStat(ruletest.VMStat{Refaults: 5000}).Memory(8*gib, 200*mib, 0).Pressure("memory", 0.4, 0).
				Process(ruletest.Process{PID: 34, Comm: "nginx", Anon: 40 * mib}).Manifest(func(m *recording.Manifest) { m.Host.Container = true })
		}, Want: rule.Certain, Kind: host, Subject: "db1", Low: 0.39, High: 0.41, Says: "again and again; programs of this container hold 40 MiB of 7.8 GiB in use"},
		{Name: "files in a host take turns in a large cache", Host: inHost(6*gib, 0.4)},
		{Name: "the host has a quick disk", Host: inHost(200*mib, 0.001)},
	})
	ruletest.New(2, 0).VMStat(ruletest.VMStat{}).Abstains(t, reclaim)
}

func TestReclaimMeansTheDeepestGroup(t *testing.T) {
	q := squeezed{waits: 0.9, read: 6.3 * mib, pressure: 0.3, host: 0.3, refaults: 1600, job: 58 * mib}
	h := q.on().Cgroup(ruletest.Cgroup{Path: "/shop", Memory: 100 * mib, MemoryMax: 100 * mib, EventsMax: 10, Refaults: 1600})
	found := h.Detect(t, reclaim)
	if len(found) != 1 || found[0].Subject.Name != "/shop/web" {
		t.Errorf("found %v, want /shop/web alone", found)
	}
}

func TestReclaimNamesWhoSuffers(t *testing.T) {
	q := squeezed{waits: 0.9, read: 6.3 * mib, pressure: -1, refaults: 1600, job: 58 * mib}
	h := q.on()
	for device, bytes := range map[string]float64{"vdb": 6.3 * mib, "vdc": 60 * mib} {
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: device, Reads: uint64(100 * s), ReadBytes: uint64(bytes * s)}
		})
	}
	h.Process(ruletest.Process{PID: 12, Comm: "cruncher", CPU: 0.9, MemCgroup: "/shop/web"})
	h.Process(ruletest.Process{PID: 13, Comm: "stranger", MemCgroup: "/other"})
	f, v := h.Detect(t, reclaim)[0], h.View()
	affects := func(s view.Entity) bool { return slices.ContainsFunc(f.Affects, s.Same) }
	for _, s := range []struct {
		subject view.Entity
		want    bool
		why     string
	}{
		{v.ProcessEntity(10, ""), true, "nginx waits"},
		{v.ProcessEntity(12, ""), false, "cruncher is busy with its own work"},
		{v.ProcessEntity(13, ""), false, "stranger lives elsewhere"},
		{view.DeviceEntity("vdb"), true, "all it reads is read again"},
		{view.DeviceEntity("vdc"), false, "a tenth of what it reads is read again"},
	} {
		if affects(s.subject) != s.want {
			t.Errorf("affects %v is %t, want %t: %s", s.subject, !s.want, s.want, s.why)
		}
	}
}

// Victims are those that were seen to wait for what is read again, not who holds the memory.
func TestReclaimVictims(t *testing.T) {
	usual := squeezed{waits: 0.9, read: 6.3 * mib, pressure: -1, host: 0.02, refaults: 1600, job: 58 * mib}
	with := func(change func(*squeezed)) squeezed {
		q := usual
		change(&q)
		return q
	}
	for name, c := range map[string]struct {
		place squeezed
		other ruletest.Process
		want  string // its beginning
	}{
		"a web server beside a batch job":      {place: usual, want: "nginx (10) waits for files that are read again 893 ms per second"},
		"nobody was seen waiting for a disk":   {place: with(func(q *squeezed) { q.waits, q.pressure = 0, 0.3 })},
		"it hardly waits":                      {place: with(func(q *squeezed) { q.waits, q.pressure = 0.04, 0.3 })},
		"at most possible":                     {place: with(func(q *squeezed) { q.job = 20 * mib })},
		"who holds the memory waits, too":      {place: usual, other: ruletest.Process{PID: 14, Comm: "redis-server", Anon: 70 * mib, BlockDelay: 0.5, ReadBytes: 3 * mib}, want: "nginx (10) waits"},
		"who holds the memory waits alone":     {place: with(func(q *squeezed) { q.waits, q.read, q.pressure = 0, 0, 0.3 }), other: ruletest.Process{PID: 14, Comm: "redis-server", Anon: 70 * mib, BlockDelay: 0.5, ReadBytes: 6.3 * mib}},
		"another one reads as much for itself": {place: with(func(q *squeezed) { q.pressure = 0.3 }), other: ruletest.Process{PID: 12, Comm: "importer", BlockDelay: 0.9, ReadBytes: 20 * mib}},
		"another one waits for its writes":     {place: usual, other: ruletest.Process{PID: 12, Comm: "journal", BlockDelay: 0.8, ReadBytes: 4096, WriteBytes: 5 * mib}, want: "nginx (10) waits"},
	} {
		t.Run(name, func(t *testing.T) {
			h := c.place.on()
			if c.other.PID != 0 {
				c.other.MemCgroup = "/shop/web"
				h.Process(c.other)
			}
			found := h.Detect(t, reclaim)
			if len(found) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(found), found)
			}
			ruletest.Checked(t, found[0])
			if victims := said(found[0]); !strings.HasPrefix(victims, c.want) || (c.want == "") != (victims == "") || strings.Contains(victims, ", ") {
				t.Errorf("victims %q, want %q", victims, c.want)
			}
		})
	}
}

// said lists the victims of a finding.
func said(f rule.Finding) string {
	var list []string
	for i := range f.Victims {
		list = append(list, f.Victims[i].Words().String())
	}
	return strings.Join(list, ", ")
}

// Which disk is busy with what is read again: of time where it is known, of bytes else.
func TestReclaimNamesTheDisk(t *testing.T) {
	const rate = 6.3 * mib
	request := func(pid int32, operation string, service float64) recording.BlockSum {
		return recording.BlockSum{Device: "vdb", PID: pid, Operation: operation, Span: time.Second, Requests: 100, Service: time.Duration(service * 1e9)}
	}
	miss := func(pid int32, device string, pages int64) recording.CacheSum {
		return recording.CacheSum{PID: pid, Device: device, Span: time.Second, Read: pages, Added: pages}
	}
	for name, c := range map[string]struct {
		reads float64 // bytes a second of the disk
		block []recording.BlockSum
		cache []recording.CacheSum
		want  bool
	}{
		"nothing traced":                      {reads: rate, want: true},
		"a stranger reads more bytes":         {reads: 10 * rate},
		"but takes little of its time":        {reads: 10 * rate, block: []recording.BlockSum{request(10, "read", 0.8), request(13, "read", 0.1)}, want: true},
		"and most of its time":                {reads: rate, block: []recording.BlockSum{request(10, "read", 0.3), request(13, "read", 0.6)}},
		"it writes":                           {reads: rate, block: []recording.BlockSum{request(10, "read", 0.3), request(10, "write", 0.6)}},
		"the kernel reads for somebody":       {reads: rate, block: []recording.BlockSum{request(10, "read", 0.5), request(2, "read", 0.4)}, want: true},
		"the kernel reads most of it":         {reads: rate, block: []recording.BlockSum{request(13, "read", 0.1), request(2, "read", 0.6)}, want: true},
		"only the kernel reads":               {reads: rate, block: []recording.BlockSum{request(2, "read", 0.6)}, want: true},
		"requests of another disk are traced": {reads: rate, block: []recording.BlockSum{{Device: "vdz", PID: 13, Operation: "read", Span: time.Second, Service: time.Second}}, want: true},
		"the members miss pages of it":        {reads: rate, cache: []recording.CacheSum{miss(10, "254:16", 1600)}, want: true},
		"they miss pages of another disk":     {reads: rate, cache: []recording.CacheSum{miss(10, "254:32", 1600)}},
		"a stranger misses its pages":         {reads: rate, cache: []recording.CacheSum{miss(13, "254:16", 1600)}},
		"the disk of their pages is unknown":  {reads: rate, cache: []recording.CacheSum{miss(10, "0:45", 1600)}, want: true},
		"the process is not known":            {reads: rate, cache: []recording.CacheSum{miss(0, "", 1600)}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := squeezed{waits: 0.9, read: rate, pressure: -1, refaults: 1600, job: 58 * mib}.on()
			h.Process(ruletest.Process{PID: 13, Comm: "stranger", MemCgroup: "/other"})
			h.Process(ruletest.Process{PID: 2, Comm: "kcryptd", Kernel: true})
			for minor, device := range map[int32]string{16: "vdb", 32: "vdc"} {
				ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
					row := recording.DiskSample{At: at, Device: device, Major: 254, Minor: minor}
					if device == "vdb" {
						row.Reads, row.ReadBytes = uint64(100*s), uint64(c.reads*s)
					}
					return row
				})
			}
			for i, row := range c.block {
				ruletest.Every(h, func(at time.Time, _ float64) recording.BlockSum { row.At = at.Add(time.Duration(i)); return row })
			}
			for _, row := range c.cache {
				ruletest.Every(h, func(at time.Time, _ float64) recording.CacheSum { row.At = at; return row })
			}
			f := h.Detect(t, reclaim)[0]
			if got := slices.ContainsFunc(f.Affects, view.DeviceEntity("vdb").Same); got != c.want {
				t.Errorf("affects the disk: %t, want %t", got, c.want)
			}
		})
	}
}
