package verdict

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

// waiting is a web server that waits for an application, which waits for a
// database, all on one host; an idle client has its answer, and a logger wants none.
func waiting() *ruletest.Host {
	h := ruletest.New(2, 10)
	names := []string{"client", "nginx", "app", "mysqld", "idle", "logger"}
	for i, name := range names {
		h.Process(ruletest.Process{PID: int32(i + 1), Comm: name})
	}
	at := func(s float64) time.Time { return ruletest.Start.Add(time.Duration(s * 1e9)) }
	listen := func(inode uint64, pid int32, port uint16) {
		ruletest.Add(h, recording.SocketOwner{At: at(0), Inode: inode, PID: pid})
		for s := 0.0; s <= 10; s++ {
			ruletest.Add(h, recording.ListenerSample{At: at(s), Local: "0.0.0.0", Port: port, Inode: inode, Backlog: 100})
		}
	}
	connect := func(inode uint64, pid int32, from, to uint16, sent, received time.Duration, change func(s float64, row *recording.TCPSample)) {
		ruletest.Add(h, recording.SocketOwner{At: at(0), Inode: inode, PID: pid})
		for s := 0.0; s <= 10; s++ {
			row := recording.TCPSample{At: at(s), Local: "127.0.0.1", LocalPort: from, Remote: "127.0.0.1", RemotePort: to, State: recording.TCPEstablished, Inode: inode,
				Info: true, BytesSent: 100, LastSend: at(0).Add(-sent), LastReceive: at(0).Add(-received)}
			if change != nil {
				change(s, &row)
			}
			ruletest.Add(h, row)
		}
	}
	listen(1, 2, 80)
	listen(2, 3, 8000)
	listen(3, 4, 3306)
	connect(11, 1, 50001, 80, time.Second, time.Minute, nil)
	connect(12, 2, 50002, 8000, time.Second, time.Minute, nil)
	answered := func(s float64, row *recording.TCPSample) { row.BytesReceived = uint64(min(s, 1)) }
	connect(13, 3, 50003, 3306, time.Second, time.Minute, answered)
	connect(14, 5, 50004, 3306, time.Minute, time.Second, nil)
	sends := func(s float64, row *recording.TCPSample) { row.BytesSent += uint64(s) }
	connect(15, 6, 50005, 8000, time.Second, time.Minute, sends)
	for pid, waited := range map[int32]time.Duration{7: 9 * time.Second, 8: time.Second, 9: 9 * time.Second} {
		h.Process(ruletest.Process{PID: pid, Comm: "batch"})
		ruletest.Add(h, recording.SyncSum{At: at(9), PID: pid, Process: "batch", Call: "fdatasync", Path: "/srv/journal", Device: "7:3", Span: 10 * time.Second, Calls: 30, Time: waited, Longest: time.Second})
	}
	h.Process(ruletest.Process{PID: 10, Comm: "batch"})
	for s := 0.0; s <= 10; s++ {
		ruletest.Add(h, recording.ThreadSample{At: at(s), PID: 10, TID: 10, Comm: "batch", State: "D", WaitChannel: "folio_wait_bit_common", SyscallName: "read", Slices: 1})
	}
	ruletest.Add(h, recording.MountSample{At: at(0), MountPoint: "/srv", Device: "/dev/loop3", FSType: "ext4", Major: 7, Minor: 3})
	ruletest.Add(h, recording.DiskSample{At: at(0), Device: "loop3", Major: 7, Minor: 3}, recording.DiskSample{At: at(9), Device: "loop3", Major: 7, Minor: 3})
	return h
}

func TestWhoWaitsForWhom(t *testing.T) {
	about := func(pid int32, sure rule.Confidence, behind ...rule.Behind) func(*view.View) []Finding {
		return func(v *view.View) []Finding {
			return []Finding{{Finding: rule.Finding{Subject: v.ProcessEntity(pid, ""), Confidence: sure, Behind: behind}}}
		}
	}
	batch := rule.Behind{For: "row lock", Who: view.Entity{Kind: view.KindConnection, Name: "connection 4"}, Words: "connection 4, which sleeps"}
	told := batch
	told.Ahead = []rule.Ahead{{Who: view.Entity{Kind: view.KindConnection, Name: "connection 5"}, Words: "connection 5 (app@10.0.0.8)"}}
	for name, c := range map[string]struct {
		found func(*view.View) []Finding
		want  string
	}{
		"from connections of other hosts":          {about(5, rule.Certain, told), "connection 5 (app@10.0.0.8) > idle (5) > connection 4, which sleeps"},
		"programs of this host go before them":     {about(4, rule.Certain, told), "client (1) > nginx (2) > app (3) > mysqld (4) > connection 4, which sleeps"},
		"up to whom nobody waits for":              {about(4, rule.Likely), "client (1) > nginx (2) > app (3) > mysqld (4)"},
		"and on to who holds the lock":             {about(4, rule.Certain, batch), "client (1) > nginx (2) > app (3) > mysqld (4) > connection 4, which sleeps"},
		"and on to the disk of who holds it":       {about(4, rule.Certain, rule.Behind{For: "row lock", Who: view.Entity{Kind: view.KindProcess, Name: "batch", PID: 7}, Words: "connection 5 of batch (7)", Whole: true}), "client (1) > nginx (2) > app (3) > mysqld (4) > connection 5 of batch (7) > disk loop3"},
		"and to the disk of the subject":           {about(7, rule.Likely), "batch (7) > disk loop3"},
		"not to one that it hardly waits for":      {about(8, rule.Likely), ""},
		"and on to who does not reply":             {about(3, rule.Likely), "client (1) > nginx (2) > app (3) > mysqld on :3306"},
		"nobody waits for the idle":                {about(5, rule.Likely), ""},
		"who never answered is not pointed at":     {about(2, rule.Likely), "client (1) > nginx (2)"},
		"who sends without answers waits for none": {about(6, rule.Likely), ""},
		"possible ones have no chain":              {about(4, rule.Possible), ""},
	} {
		var got []string
		v := waiting().View()
		for _, chain := range chainsOf(v, c.found(v)) {
			var words []string
			for _, l := range chain {
				words = append(words, l.Words)
			}
			got = append(got, strings.Join(words, " > "))
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	for _, w := range waiting().View().Waits() {
		if w.Mean < 0.99 || w.Mean > 1.01 || w.Longest < 11*time.Second || w.Processes != 1 {
			t.Errorf("%+v, want one request at a time, for 11 s", w)
		}
	}
}

// Who holds a lock while it waits for a disk is held up by what is wrong there; who may
// be another thread than the one that waits, or waits little, is not.
func TestHeldUp(t *testing.T) {
	disk := view.DeviceEntity("loop3")
	batch := func(pid int32) rule.Behind {
		return rule.Behind{For: "row lock", Who: view.Entity{Kind: view.KindProcess, Name: "batch", PID: pid}, Words: "connection 5 of batch", Whole: true}
	}
	thread := rule.Behind{For: "lock", Who: view.Entity{Kind: view.KindThread, Name: "writer", PID: 9}, Words: "thread writer"}
	another := batch(9)
	another.Whole = false
	atDisk, reads := thread, thread
	atDisk.TID, atDisk.Call = 9, "fdatasync"
	reads.TID, reads.Call = 9, "pread64"
	for name, c := range map[string]struct {
		subject view.Entity // of what is wrong at the disk
		behind  rule.Behind
		sure    rule.Confidence
		want    string
	}{
		"by its disk":                                   {disk, batch(7), rule.Likely, "d/d(l/l)"},
		"by its own syncs":                              {view.Entity{Kind: view.KindProcess, Name: "batch", PID: 7}, batch(7), rule.Likely, "d/d(l/l)"},
		"not by another disk":                           {view.DeviceEntity("vda"), batch(7), rule.Likely, "l/l d/d"},
		"not by a mere possibility":                     {disk, batch(7), rule.Possible, "l/l d/d"},
		"not if it hardly waits for it":                 {disk, batch(8), rule.Likely, "l/l d/d"},
		"not if another thread of it may":               {disk, another, rule.Likely, "l/l d/d"},
		"not if its thread does something else":         {disk, thread, rule.Likely, "l/l d/d"},
		"but if that thread was seen to wait for disks": {disk, atDisk, rule.Likely, "d/d(l/l)"},
		"not while another one syncs":                   {disk, reads, rule.Likely, "l/l d/d"},
		"by a disk for which it is found to wait":       {view.DeviceEntity("vda"), batch(10), rule.Likely, "d/d(l/l)"},
	} {
		lock := Finding{Finding: rule.Finding{Rule: "l/l", Subject: view.Entity{Kind: view.KindProcess, Name: "mysqld", PID: 4}, Confidence: rule.Certain,
			Impact: rule.Impact{Share: 0.9}, Behind: []rule.Behind{c.behind}}}
		slow := Finding{Finding: rule.Finding{Rule: "d/d", Subject: c.subject, Confidence: c.sure, Impact: rule.Impact{Share: 0.1},
			Affects: []view.Entity{{Kind: view.KindProcess, Name: "batch", PID: 8}, {Kind: view.KindProcess, Name: "batch", PID: 10}}}}
		v := waiting().View()
		found := fold(v, []Finding{lock, slow}, []rule.Rule{{ID: "l/l"}, {ID: "d/d", HoldsUp: []string{"l/l"}}})
		if got := strings.Join(outline(found), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if chains := chainsOf(v, found); c.want == "d/d(l/l)" && (len(chains) != 1 || len(chains[0]) < 3) {
			t.Errorf("%s: one chain leads to the disk, not %+v", name, chains)
		}
	}
}

// Every link but the last one tells how much is waited and, at a disk, for which calls.
func TestLinksHaveNumbers(t *testing.T) {
	behind := rule.Behind{For: "lock", Mean: 4.4, Longest: 300 * time.Millisecond, Who: view.Entity{Kind: view.KindThread, Name: "writer", PID: 7}, Words: "its thread writer", TID: 7, Call: "fdatasync"}
	v := waiting().View()
	chains := chainsOf(v, []Finding{{Finding: rule.Finding{Subject: v.ProcessEntity(3, ""), Confidence: rule.Likely, Behind: []rule.Behind{behind}}}})
	if len(chains) != 1 || len(chains[0]) != 5 {
		t.Fatalf("%+v", chains)
	}
	for i, want := range []struct {
		mean float64
		what string
	}{{1, ""}, {1, ""}, {4.4, "lock"}, {0.9, "fdatasync of /srv/journal: 3 a second, 300 ms each"}, {0, ""}} {
		if l := chains[0][i]; math.Abs(l.Mean-want.mean) > 0.01 || l.For != want.what {
			t.Errorf("link %d: %v for %q, want %v for %q", i, l.Mean, l.For, want.mean, want.what)
		}
	}
}

// In a capture a service waits for those that it asks while it has requests to answer.
func TestWhoWaitsForWhomInPackets(t *testing.T) {
	h := ruletest.New(2, 10).PacketCapture(nil)
	h.Packets(ruletest.PacketService{Server: "10.0.0.1", Port: 80, Proto: "http", Rate: 10, RTs: []time.Duration{time.Second}})
	h.Packets(ruletest.PacketService{Server: "10.0.0.2", Port: 3306, Proto: "mysql", Rate: 10, RTs: []time.Duration{time.Second}})
	h.PacketNesting(recording.PacketNesting{Host: "10.0.0.1", Port: 80, Callee: "10.0.0.2", CalleePort: 3306, Requests: 100, Calls: 100, Covered: 50 * time.Second, CallMax: 2 * time.Second})
	v := h.View()
	slow := v.PacketServicesAt("10.0.0.2", 3306)[0]
	chains := chainsOf(v, []Finding{{Finding: rule.Finding{Subject: v.ServiceEntity(slow), Confidence: rule.Likely}}})
	if len(chains) != 1 || len(chains[0]) != 2 || chains[0][0].Words != "http 10.0.0.1:80" || chains[0][1].Words != "mysql 10.0.0.2:3306" || chains[0][0].Longest != 2*time.Second {
		t.Errorf("got %+v", chains)
	}
}
