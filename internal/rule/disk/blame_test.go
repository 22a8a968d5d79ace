package disk

import (
	"strings"
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

func TestCulpritAndVictims(t *testing.T) {
	busy := device{name: "vda", writes: 200, size: 512 << 10, await: 0.2, busy: 1, queue: 40}
	copying := func(h *ruletest.Host) {
		h.Process(ruletest.Process{PID: 7, Comm: "cp", WriteBytes: 100 << 20})
		blocked(h, 7, 7, "balance_dirty_pages", 0.9)
	}
	database := func(h *ruletest.Host) {
		h.Process(ruletest.Process{PID: 8, Comm: "mariadbd", WriteBytes: 40 << 10})
		blocked(h, 8, 81, "jbd2_log_wait_commit", 0.9)
	}
	for _, tt := range []struct {
		name             string
		build            func(*ruletest.Host)
		culprit, victims string
	}{
		{"a writer and one that waits", func(h *ruletest.Host) { disks(h, busy); copying(h); database(h) }, "cp", "mariadbd (8) waits for the disk 909 ms per second"},
		{"who waits most comes first", func(h *ruletest.Host) {
			disks(h, busy)
			copying(h)
			h.Process(ruletest.Process{PID: 9, Comm: "cron", ReadBytes: 4 << 10, BlockDelay: 0.2})
			database(h)
		}, "cp", "mariadbd (8) waits for the disk 909 ms per second, cron (9) waits for the disk 200 ms per second"},
		{"only the writer itself waits", func(h *ruletest.Host) { disks(h, throttledLoop); readers(h) }, "", ""},
		{"a wait that is hardly felt", func(h *ruletest.Host) {
			disks(h, throttledLoop)
			readers(h)
			h.Process(ruletest.Process{PID: 8, Comm: "cron", ReadBytes: 400, BlockDelay: 0.03})
		}, "", ""},
		{"two that move as much, and a third", func(h *ruletest.Host) {
			disks(h, busy)
			for pid := int32(20); pid < 23; pid++ {
				h.Process(ruletest.Process{PID: pid, Comm: "copy", WriteBytes: 30 << 20})
			}
			database(h)
		}, "", ""},
		{"two loaded disks, and nobody knows which one it waits for", func(h *ruletest.Host) {
			disks(h, busy)
			other := busy
			other.name = "vdb"
			disks(h, other)
			copying(h)
			database(h)
		}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			for _, f := range h.Detect(t, saturated) {
				ruletest.Checked(t, f)
				culprit, victims := "", []string{}
				if f.Culprit != nil {
					culprit = f.Culprit.Name
				}
				for i := range f.Victims {
					victims = append(victims, f.Victims[i].Words().String())
				}
				if got := strings.Join(victims, ", "); culprit != tt.culprit || got != tt.victims {
					t.Errorf("culprit %q, victims %q; want %q, %q", culprit, got, tt.culprit, tt.victims)
				}
			}
		})
	}
}

// Who moves little of what a disk does is not its load: that is made in other containers, or by
// threads of the kernel.
func TestSaturatedNamesNoSmallIssuer(t *testing.T) {
	const mib = 1 << 20
	busy := device{name: "vda", reads: 400, size: 256 << 10, await: 0.05, busy: 1, queue: 20}
	written := device{name: "vda", writes: 400, size: 256 << 10, await: 0.05, busy: 1, queue: 20}
	app := func(pid int32, bytes float64) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: pid, Comm: "app", ReadBytes: bytes})
			for tid := pid * 10; tid < pid*10+4; tid++ {
				blocked(h, pid, tid, "folio_wait_bit_common", 0.9)
			}
		}
	}
	mail := func(bytes float64) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			h.Process(ruletest.Process{PID: 7, Comm: "app", WriteBytes: bytes})
			for tid := int32(70); tid < 76; tid++ {
				blocked(h, 7, tid, "jbd2_log_wait_commit", 0.9)
			}
		}
	}
	inside := func(h *ruletest.Host) {
		h.Manifest(func(m *recording.Manifest) { m.Host.Container = true })
	}
	const nobody, part, most = "requests queue; nothing tells which programs issue them", "requests queue, app (7) issues a part of them", "requests queue, app (7) issues most of them"
	for _, tt := range []struct {
		name    string
		disk    device
		build   []func(*ruletest.Host)
		says    string // the end of the headline
		culprit string
	}{
		{"a container on a disk that others fill", busy, []func(*ruletest.Host){inside, app(7, mib), app(8, 100<<10)}, nobody, ""},
		{"a container that does a quarter of it", busy, []func(*ruletest.Host){inside, app(7, 25*mib), app(8, 100<<10)}, nobody, ""},
		{"a container that does most of it", busy, []func(*ruletest.Host){inside, app(7, 60*mib), app(8, 100<<10)}, most, "app"},
		{"a host on a disk that others fill", busy, []func(*ruletest.Host){app(7, mib), app(8, 100<<10)}, nobody, ""},
		{"nobody is seen who moves anything", busy, []func(*ruletest.Host){app(7, 0)}, nobody, ""},
		{"a quarter of what the disk does", busy, []func(*ruletest.Host){app(7, 25*mib), app(8, 100<<10)}, part, "app"},
		{"most of what the disk does", busy, []func(*ruletest.Host){app(7, 60*mib), app(8, 100<<10)}, most, "app"},
		{"many small ones", busy, []func(*ruletest.Host){app(7, 15*mib), app(8, 15*mib), app(9, 15*mib), app(10, 15*mib)}, "requests queue; many programs issue them, each a small part", ""},
		{"small files that are synced", written, []func(*ruletest.Host){mail(10 * mib), app(8, 100<<10)}, part, "app"},
		{"the same in a container", written, []func(*ruletest.Host){inside, mail(10 * mib), app(8, 100<<10)}, nobody, ""},
		{"the same at a disk that others read", busy, []func(*ruletest.Host){mail(10 * mib), app(8, 100<<10)}, nobody, ""},
		{"a few files that are synced at a disk that others write", written, []func(*ruletest.Host){mail(mib), app(8, 100<<10)}, nobody, ""},
		{"another one waits most", written, []func(*ruletest.Host){mail(10 * mib), app(8, 100<<10), func(h *ruletest.Host) {
			for tid := int32(90); tid < 96; tid++ {
				blocked(h, 8, tid, "folio_wait_bit_common", 0.9)
			}
		}}, nobody, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			disks(h, tt.disk)
			for _, build := range tt.build {
				build(h)
			}
			found := ruletest.Judge(t, h, saturated, rule.Certain)
			if len(found) != 1 || !strings.HasSuffix(found[0].Headline.String(), tt.says) {
				t.Fatalf("want %q: %+v", tt.says, found)
			}
			culprit := ""
			if found[0].Culprit != nil {
				culprit = found[0].Culprit.Name
			}
			slow := false
			for _, x := range found[0].Fixes {
				slow = slow || strings.HasPrefix(x.Text.String(), "slow app")
			}
			if culprit != tt.culprit || slow != (tt.culprit != "") {
				t.Errorf("culprit %q, want %q; advice to slow it down: %v", culprit, tt.culprit, slow)
			}
		})
	}
}
