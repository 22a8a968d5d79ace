package memory

import (
	"math"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const mib, gib = 1 << 20, 1 << 30

func TestSwapping(t *testing.T) {
	hog := ruletest.Process{PID: 9, Comm: "java", CPU: 0.5, RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900, MemCgroup: "/app"}
	victim := ruletest.Process{PID: 10, Comm: "mysqld", CPU: 0.1, RSS: 300 * mib, Anon: 290 * mib, Major: 40}
	thrash := ruletest.VMStat{SwapIn: 5000, SwapOut: 5200, MajorFaults: 1000, Faults: 20000}
	host := func(m ruletest.VMStat, stalled float64) *ruletest.Host {
		h := ruletest.New(2, 10).VMStat(m).Memory(2*gib, 50*mib, 0).Swap("/dev/zram0", 2*gib, gib, 0).Process(hog).Process(victim)
		if stalled >= 0 {
			h.Pressure("memory", stalled, stalled/2)
		}
		return h
	}
	contained := func(processes ...ruletest.Process) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10).VMStat(thrash).Memory(2*gib, 50*mib, 0).Swap("/dev/zram0", 2*gib, gib, 0).Pressure("memory", 0.4, 0.2)
			for _, p := range processes {
				h.Process(p)
			}
			return h.Manifest(func(m *recording.Manifest) { m.Host.Container = true })
		}
	}
	small := ruletest.Process{PID: 12, Comm: "nginx", Anon: 40 * mib, MemCgroup: "/web"}
	ruletest.Check(t, swapping, []ruletest.Situation{
		{Name: "others than this container take the memory of the host", Host: contained(small),
			Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41, Says: "19.5 MiB/s come back; programs of this container hold 40 MiB of 2.95 GiB in use"},
		{Name: "others than this container take it, and much of it is shared", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).VMStat(thrash).Swap("/dev/zram0", 2*gib, gib, 0).Process(small).Pressure("memory", 0.4, 0.2)
			ruletest.Every(h, func(at time.Time, _ float64) recording.MemorySample {
				return recording.MemorySample{At: at, Total: 2 * gib, Free: 25 * mib, Available: 50 * mib, Cached: gib, Anon: gib / 2, Shmem: gib, HugeTotal: recording.Unknown}
			})
			return h.Manifest(func(m *recording.Manifest) { m.Host.Container = true })
		}, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41, Says: "19.5 MiB/s come back; programs of this container hold 40 MiB of 1.95 GiB in use besides shared memory and huge pages"},
		{Name: "a program of this container holds most of it", Host: contained(small, hog, victim),
			Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.39, High: 0.41, Says: "the host is short of memory"},
		{Name: "the group of this container is short", Host: func() *ruletest.Host {
			return contained(small)().Cgroup(ruletest.Cgroup{Path: "/web", Memory: 45 * mib, MemoryMax: 48 * mib, SwapUsed: mib, EventsMax: 50})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "nginx", Low: 0.39, High: 0.41, Says: "/web, limited to 48 MiB, is short of memory"},
		{Name: "working set does not fit", Host: func() *ruletest.Host { return host(thrash, 0.4) },
			Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.39, High: 0.41, Says: "the host is short of memory: 20.3 MiB/s go to swap"},
		{Name: "in its group only", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: 600 * mib, EventsMax: 50})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "/app, limited to 1 GiB, is short of memory"},
		{Name: "in its group, until its process ended in the window", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: 600 * mib, EventsMax: 50,
				Change: func(s float64, r *recording.CgroupSample) {
					if s >= 6 {
						r.Memory, r.Anon, r.SwapUsed = 100*mib, 90*mib, 0
					}
				}})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "/app, limited to 1 GiB, is short of memory"},
		{Name: "in its group, slowed down at memory.high", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: 2 * gib, SwapUsed: 600 * mib,
				Change: func(s float64, r *recording.CgroupSample) { r.MemoryHigh, r.EventsHigh = gib, int64(50*s) }})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "/app, limited to 1 GiB, is short of memory"},
		{Name: "a group with cold memory in swap that memory.high does not slow down", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: 2 * gib, SwapUsed: 600 * mib,
				Change: func(_ float64, r *recording.CgroupSample) { r.MemoryHigh = gib }})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "the host is short"},
		{Name: "a group full of file cache is not the one that is short", Host: func() *ruletest.Host {
			h := host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/copy", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: mib,
				Change: func(_ float64, r *recording.CgroupSample) { r.Anon = 10 * mib }})
			return h.Process(ruletest.Process{Comm: "cp", Anon: mib, MemCgroup: "/copy"})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "the host is short"},
		{Name: "a limited group with cold pages in swap that never hits its limit", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: mib})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "the host is short"},
		{Name: "a limited group with pages in swap, hits of its limit are not told", Host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: mib,
				Change: func(_ float64, r *recording.CgroupSample) {
					r.EventsMax, r.MemswFailures = recording.Unknown, recording.Unknown
				}})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.19, High: 0.21, Says: "/app, limited to 1 GiB, is short of memory"},
		{Name: "coming home after a shortage", Host: func() *ruletest.Host {
			return host(ruletest.VMStat{SwapIn: 800, MajorFaults: 300}, 0.02)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "java", Low: 0.01, High: 0.1},
		{Name: "cold memory lies in swap", Host: func() *ruletest.Host { return host(ruletest.VMStat{SwapIn: 1}, 0) }},
		{Name: "a trickle of cold pages out", Host: func() *ruletest.Host { return host(ruletest.VMStat{SwapOut: 40}, 0) }},
		{Name: "few pages of a slow disk, for which a program waits", Host: func() *ruletest.Host {
			return host(ruletest.VMStat{SwapIn: 60, SwapOut: 80}, 0.4).Process(ruletest.Process{PID: 11, Comm: "redis-server", Anon: 20 * mib, SwapDelay: 0.4})
		}, Want: rule.Certain, Kind: view.KindProcess, Subject: "java", Low: 0.39, High: 0.41},
		{Name: "few pages, and programs wait for something else", Host: func() *ruletest.Host { return host(ruletest.VMStat{SwapIn: 60, SwapOut: 80}, 0.4) }},
		{Name: "compressed swap that nobody feels", Host: func() *ruletest.Host { return host(ruletest.VMStat{SwapIn: 200, SwapOut: 200}, 0.002) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "java", Low: 0.001, High: 0.01},
	})
}

func TestSwappingWithoutPressureOrDelays(t *testing.T) {
	h := ruletest.New(4, 5).VMStat(ruletest.VMStat{SwapIn: 5000, SwapOut: 5000}).Memory(2*gib, 50*mib, 0)
	h.Process(ruletest.Process{Comm: "java", Anon: gib, Change: func(_ float64, r *recording.ProcessSample) { r.SwapDelay = recording.Unknown }})
	f := h.Detect(t, swapping)[0]
	ruletest.Checked(t, f)
	if f.Confidence != rule.Likely {
		t.Errorf("%s, want likely: nobody measured the waiting", f.Confidence)
	}
	ruletest.New(2, 0).VMStat(ruletest.VMStat{}).Abstains(t, swapping)
}

// allocating records what process 33 allocates and frees by one stack, in each of ten
// stretches of two seconds.
func allocating(h *ruletest.Host, stack string, bytes, freed int64) *ruletest.Host {
	function := "remember"
	if !strings.Contains(stack, function) {
		function, _, _ = strings.Cut(stack, ";")
	}
	for i := range 10 {
		ruletest.Add(h, recording.Allocation{At: ruletest.Start.Add(time.Duration(2*i+2) * time.Second), PID: 33, Started: ruletest.Start.Add(-time.Hour), Process: "app",
			Span: 2 * time.Second, Function: function, Module: "app", Source: "app.c:7", Stack: stack, Blocks: 10, Bytes: bytes, FreedBlocks: 9, FreedBytes: freed})
	}
	return h
}

func TestLeak(t *testing.T) {
	host := func(seconds float64, p ruletest.Process, available int64) *ruletest.Host {
		p.PID, p.Comm, p.CPU = 33, "app", 0.01
		return ruletest.New(2, seconds).Memory(8*gib, available, -p.AnonGrowth).Process(p).
			Process(ruletest.Process{PID: 34, Comm: "noise", Anon: 100 * mib, Change: func(s float64, r *recording.ProcessSample) {
				r.Anon += int64(s) % 3 * 5 * mib
			}})
	}
	leaky := func(perSecond float64) ruletest.Process {
		return ruletest.Process{Anon: 50 * mib, AnonGrowth: perSecond, MemCgroup: "/app"}
	}
	ruletest.Check(t, leak, []ruletest.Situation{
		{Name: "8 KB/s beside noise", Host: func() *ruletest.Host { return host(20, leaky(8192), 6*gib) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01, Says: "app (33) takes 8 KiB more memory every second"},
		{Name: "whose allocations were followed", Host: func() *ruletest.Host {
			h := allocating(host(20, leaky(1<<20), 6*gib), "parse;main", 90*mib, 89*mib)
			return allocating(h, "malloc;remember;serve;main", 2*mib, 0)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01, Says: "remember (app.c:7) allocates it", Proof: "it was called by serve, main"},
		{Name: "whose allocations explain a tenth of it", Host: func() *ruletest.Host {
			return allocating(host(20, leaky(1<<20), 6*gib), "remember;main", mib/10, 0)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01, Says: "frees none"},
		{Name: "whose sessions live for five seconds", Host: func() *ruletest.Host {
			h := host(20, leaky(1<<20), 6*gib)
			return allocating(h, "remember;main", 100*mib, 100*mib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01, Says: "frees none"},
		{Name: "8 KB/s in five seconds are a few pages", Host: func() *ruletest.Host { return host(5, leaky(8192), 6*gib) }},
		{Name: "a program that has just begun takes what it needs", Host: func() *ruletest.Host {
			p := leaky(8192)
			p.Started = ruletest.Start.Add(-7 * time.Second)
			return host(20, p, 23*gib)
		}},
		{Name: "8 KB/s into a small limit, in five seconds", Host: func() *ruletest.Host {
			return host(5, leaky(8192), 6*gib).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 100 * mib, MemoryMax: 110 * mib})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01},
		{Name: "the first pages of a program in a small group", Host: func() *ruletest.Host {
			p := leaky(8192)
			p.Started = ruletest.Start.Add(-7 * time.Second)
			return host(5, p, 6*gib).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 100 * mib, MemoryMax: 110 * mib})
		}},
		{Name: "a server under queries on a small host", Host: func() *ruletest.Host { return host(5, leaky(118<<10), 2*gib) }},
		{Name: "8 KB/s below 4 MiB that come and go", Host: func() *ruletest.Host {
			p := leaky(8192)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if n := int(s); n == 3 || n == 4 || n == 9 || n == 16 {
					r.Anon += 4 * mib
				}
			}
			return host(20, p, 6*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0009, High: 0.01, Says: "8 KiB more"},
		{Name: "4 MiB that come and go, no leak", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if n := int(s); n == 3 || n == 4 || n == 9 || n == 16 {
					r.Anon += 4 * mib
				}
			}
			return host(20, p, 6*gib)
		}},
		{Name: "5 MB/s with room for hours", Host: func() *ruletest.Host { return host(10, leaky(5*mib), 40*gib) },
			Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.001, High: 0.01},
		{Name: "5 MB/s into a limit", Host: func() *ruletest.Host {
			return host(10, leaky(5*mib), 40*gib).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 100 * mib, MemoryMax: 400 * mib})
		}, Want: rule.Likely, Kind: view.KindProcess, Subject: "app", Low: 0.1, High: 0.3},
		{Name: "host full in a minute", Host: func() *ruletest.Host { return host(10, leaky(50*mib), 3*gib) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "app", Low: 0.1, High: 0.3},
		{Name: "a young process warms up", Host: func() *ruletest.Host {
			p := leaky(50 * mib)
			p.Started = ruletest.Start.Add(-5 * time.Second)
			return host(10, p, 3*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.01, High: 0.3},
		{Name: "a compiler that began while watched", Host: func() *ruletest.Host {
			p := leaky(21 * mib)
			p.Started = ruletest.Start.Add(time.Second)
			return host(10, p, 23*gib)
		}},
		{Name: "a program that began while watched and has no room", Host: func() *ruletest.Host {
			p := leaky(50 * mib)
			p.Started = ruletest.Start.Add(time.Second)
			return host(10, p, 3*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.01, High: 0.3},
		{Name: "a compiler that began just before", Host: func() *ruletest.Host {
			p := leaky(21 * mib)
			p.Started = ruletest.Start.Add(-2 * time.Second)
			return host(5, p, 10*gib)
		}},
		{Name: "a compiler that began while watched, and memory for eight minutes", Host: func() *ruletest.Host {
			p := leaky(21 * mib)
			p.Started = ruletest.Start.Add(time.Second / 2)
			return host(5, p, 10*gib)
		}},
		{Name: "a large compilation", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Started = ruletest.Start.Add(-20 * time.Second)
			p.Change = func(s float64, r *recording.ProcessSample) {
				r.Anon += []int64{0, 10, 40, 55, 90, 100}[min(int(s), 5)] << 20
			}
			return host(5, p, 10*gib)
		}},
		{Name: "a young service that leaks at one rate", Host: func() *ruletest.Host {
			p := leaky(5 * mib)
			p.Started = ruletest.Start.Add(-7 * time.Second)
			return host(5, p, 6*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.001, High: 0.01},
		{Name: "a service whose growth is uneven", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				r.Anon += []int64{0, 10, 40, 55, 90, 100}[min(int(s), 5)] << 20
			}
			return host(5, p, 30*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.001, High: 0.01},
		{Name: "a quarter of an hour without a pause", Host: func() *ruletest.Host { return host(900, leaky(8192), 40*gib) },
			Want: rule.Likely, Kind: view.KindProcess, Subject: "app", Low: 0.0001, High: 0.01},
		{Name: "swapped out while it grows", Host: func() *ruletest.Host {
			p := leaky(0)
			p.AnonGrowth, p.SwapGrowth = -mib, 2*mib
			return host(20, p, 40*gib)
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.0001, High: 0.01},
		{Name: "a load begins, and the server's caches fill ever more slowly", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.Anon += int64(300 * 1024 * math.Sqrt(s)) }
			return host(9, p, 23*gib)
		}},
		{Name: "a client takes memory in uneven steps", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				r.Anon += []int64{0, 8, 16, 150, 160, 168, 300, 310, 320, 372}[min(int(s), 9)] << 10
			}
			return host(9, p, 23*gib)
		}},
		{Name: "the same caches fill a small group", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.Anon += int64(300 * 1024 * math.Sqrt(s)) }
			return host(9, p, 23*gib).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 100 * mib, MemoryMax: 200 * mib})
		}, Want: rule.Possible, Kind: view.KindProcess, Subject: "app", Low: 0.001, High: 0.1},
		{Name: "one large allocation", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if s >= 4 {
					r.Anon += 500 * mib
				}
			}
			return host(10, p, 6*gib)
		}},
		{Name: "sawtooth of a garbage collector", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.Anon += int64(s) % 4 * 20 * mib }
			return host(10, p, 6*gib)
		}},
		{Name: "file pages grow, not its own", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.RSS += int64(s) * 10 * mib }
			return host(10, p, 6*gib)
		}},
		{Name: "counter moves in batches of 64 pages", Host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if s >= 7 {
					r.Anon += 64 * 4096
				}
			}
			return host(10, p, 6*gib)
		}},
	})
	host(3, leaky(8192), gib).Abstains(t, leak)
}
