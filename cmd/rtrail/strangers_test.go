package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// hostile is what a terminal obeys or hides: it clears the screen, sets the title,
// colours, goes back, reverses the direction of writing, cannot be seen.
const hostile = "\x1b[2J\x1b]0;t\x07\x1b[31m\r\u202e\u2066\u200b\u0085\u2028\x7f"

// rtrail runs this test's binary as the program, and gives what it printed.
func rtrail(t *testing.T, args ...string) (out, errs string) {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Args[0] = "rtrail"
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String()
}

// shown fails the test when text holds anything that a terminal must not get.
func shown(t *testing.T, of, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		plain := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "")
		if strings.ContainsFunc(plain, escape.Hidden) || !utf8.ValidString(plain) {
			t.Errorf("%s: %q", of, line)
		}
	}
}

// busyHost has something of most kinds, and some faults.
func busyHost() *ruletest.Host {
	h := ruletest.New(2, 10).Memory(8<<30, 1<<20, 0).Pressure("cpu", 0.9, 0.1).AllCPUs(ruletest.CPU{User: 1})
	h.Process(ruletest.Process{PID: 10, Comm: "busy", Cmdline: "busy --loop", CPU: 1.9, RunDelay: 5, MemCgroup: "/app"})
	h.Cgroup(ruletest.Cgroup{Path: "/app", Memory: 48 << 20, MemoryMax: 48 << 20, EventsMax: 70_000, MemoryStall: 0.4, OOMKills: 0.1})
	h.Log(9, "Memory cgroup out of memory: Killed process 10 (busy) total-vm:129432kB, anon-rss:47744kB, file-rss:1892kB, shmem-rss:0kB, UID:0 pgtables:220kB oom_score_adj:0")
	h.Swap("/swap", 1<<30, 1<<29, 1<<20)
	ruletest.Every(h, func(at time.Time, _ float64) recording.MountSample {
		return recording.MountSample{At: at, MountPoint: "/data", Device: "/dev/vda", FSType: "ext4", Size: 1 << 30, Inodes: 100, InodesFree: 50}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "vda", Reads: uint64(400 * s), ReadBytes: uint64(s * 1e8), ReadTime: time.Duration(5 * s * 1e9), Busy: time.Duration(s * 0.99e9), WeightedQueue: time.Duration(5 * s * 1e9), InFlight: 5}
	})
	ruletest.Every(h, func(at time.Time, _ float64) recording.MySQLServer {
		return recording.MySQLServer{At: at, Server: "db", State: recording.ServerUnreachable, Error: "connect: connection refused"}
	})
	ruletest.Every(h, func(at time.Time, _ float64) recording.ProbeRun {
		return recording.ProbeRun{At: at, Probe: "host", Error: "reading failed"}
	})
	return ruletest.Add(h, recording.UnseenNote{At: ruletest.Start, Probe: "host", What: "files", Why: "permission denied", How: "run as root", Count: 1})
}

// names are columns that hold what others chose. In the other ones are words of
// the kernel and of rtrail, without which rules see nothing.
var names = map[string]bool{"comm": true, "cmdline": true, "path": true, "cgroup": true, "mem_cgroup": true, "io_cgroup": true, "mount_point": true, "device": true, "error": true,
	"server": true, "probe": true, "what": true, "why": true, "how": true, "text": true}

// written is a recording on disk of a host with texts changed.
func written(t *testing.T, h *ruletest.Host, change func(recording.Table, string, string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rec")
	m := h.Rec.Manifest()
	m.Host.Name, m.Host.Kernel, m.Host.OS, m.Tool = "db1"+hostile, "6.1"+hostile, "Linux"+hostile, "rtrail"+hostile
	m.Probes = []recording.ProbeInfo{{Name: "host" + hostile, Missing: "why" + hostile, Remedy: "how" + hostile}, {Name: "other" + hostile}}
	m.Notes = []string{"note" + hostile + "\nrtrail: forged line"}
	d, err := recording.Create(dir, m, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := h.Rec.Rewrite(change, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(w); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Nothing that others named reaches the terminal as they wrote it, by any verb, in
// any form of output, in answers and in errors.
func TestHostileNamesAreShown(t *testing.T) {
	some := written(t, busyHost(), func(_ recording.Table, column, text string) string {
		if names[column] && text != "" {
			return text + hostile
		}
		return text
	})
	every := written(t, busyHost(), func(_ recording.Table, _, text string) string { return text + hostile })
	stacks := filepath.Join(t.TempDir(), "dump"+hostile+".txt")
	dump := fmt.Sprintf("Thread 1 (Thread 0x7f (LWP 7) \"name%s\"):\n#0  0x01 in wait%s () from /lib/x\n#1  0x02 in main%s ()\n", hostile, hostile, hostile)
	collapsed := filepath.Join(t.TempDir(), "stacks.collapsed")
	capture := conversations(t, map[uint16][]string{80: {"GET /a" + hostile + " HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 500 a" + hostile + "\r\nContent-Length: 0\r\n\r\n"},
		6379: {"*2\r\n$3\r\nGET\r\n$40\r\n" + (hostile + strings.Repeat("x", 40))[:40] + "\r\n", "-ERR a" + hostile + "\r\n"}})
	for name, text := range map[string]string{stacks: dump, collapsed: "main" + hostile + ";wait" + hostile + " 7\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	html := filepath.Join(t.TempDir(), "page.html")
	then := "@" + ruletest.Start.Format(time.RFC3339)
	evil := func(_ recording.Table, _, text string) string { return text + hostile }
	first := written(t, busyHost().System(ruletest.System{ContextSwitches: 1e4}), evil)
	second := written(t, busyHost().System(ruletest.System{ContextSwitches: 1e3}).Process(ruletest.Process{PID: 77, Comm: "batch", CPU: 1}), evil)
	runs := [][]string{
		{"replay", some}, {"replay", every}, {"replay", every, "--json"}, {"timeline", some}, {"timeline", every}, {"timeline", every, "--json"}, {"timeline", every, "--markdown"}, {"diff", some + then, every + then},
		{"diff", first + then, second + then, "--for", "6s"}, {"diff", second + then, first + then, "--for", "6s", "--json"}, {"diff", second + then, first + then, "--for", "6s", "--markdown"}, {"diagnose", some}, {"diagnose", some, "-v"}, {"diagnose", some, "--json"}, {"diagnose", some, "--markdown"},
		{"diagnose", every, "-v"}, {"diagnose", every, "--json"},
		{"stacks", stacks}, {"stacks", collapsed}, {"stacks", collapsed, "--json"}, {"stacks", collapsed, "--pmp"}, {"stacks", collapsed, "--collapsed"}, {"stacks", collapsed, "--html", html},
		{"packets", capture}, {"packets", capture, "--transactions"}, {"packets", capture, "--transactions", "--json"}, {"packets", capture, "--json"}, {"packets", capture, "--markdown"},
		{"packets", capture, "--by", "statement"}, {"packets", capture, "--html", html}, {"diagnose", capture, "-v"}, {"diagnose", capture, "--json"}, {"packets", capture, "--connection", "1"},
		{"nosuch" + hostile}, {"diagnose", "nosuch" + hostile}, {"replay", "nosuch" + hostile}, {"packets", "nosuch" + hostile}, {"packets", stacks}, {"packets", "--nosuch" + hostile},
		{"packets", capture, "--filter", "x" + hostile}, {"explain", "nosuch" + hostile}, {"pack", "nosuch" + hostile}, {"mysql", "nosuch" + hostile + ":1", "--for", "1s"},
		{"lab", "run", "nosuch" + hostile}, {"record", "--for", hostile}, {"help", "nosuch" + hostile}, {"diagnose", some, "--at", hostile},
	}
	seen := false
	for _, args := range runs {
		out, errs := rtrail(t, args...)
		of := escape.Text(strings.Join(args, " "))
		shown(t, of, out)
		shown(t, of+", standard error", errs)
		seen = seen || strings.Contains(out, `\u202e`)
		if strings.Contains(out, "\nrtrail: forged line") {
			t.Errorf("%s: a note forges a line: %s", of, out)
		}
		if data, err := os.ReadFile(html); err == nil {
			shown(t, of+", the page", strings.ReplaceAll(string(data), "\r\n", "\n"))
		}
	}
	if !seen {
		t.Error("no output holds a hostile name: the test shows nothing")
	}
}

// secret is in requests and answers of all protocols below.
const secret = "h0rseb4ttery"

// Literals of statements, keys, paths and errors are in no output, file or
// recording that is made of a capture.
func TestLiteralsOfCapturesAreNowhere(t *testing.T) {
	greeting := mysqlPacket(0, "\x0a8.0.36\x00\x07\x00\x00\x00abcdefgh\x00\xff\xf7\x21\x02\x00\xff\x8f\x15"+strings.Repeat("\x00", 10)+"ijklmnopqrst\x00caching_sha2_password\x00")
	login := mysqlPacket(1, "\x8d\xa6\x0f\x00\x00\x00\x00\x01\x21"+strings.Repeat("\x00", 23)+"app\x00\x00")
	capture := conversations(t, map[uint16][]string{
		80: {"POST /reset/Aa123" + secret + "?token=" + secret + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret + "\r\nContent-Length: 0\r\n\r\n",
			"HTTP/1.1 500 No user " + secret + "\r\nContent-Length: 0\r\n\r\n"},
		6379: {"*2\r\n$4\r\nAUTH\r\n$12\r\n" + secret + "\r\n", "-WRONGPASS invalid " + secret + "\r\n",
			"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$12\r\n" + secret + "\r\n", "-ERR no '" + secret + "' and " + secret + "\r\n"},
		3306: {"", greeting, login, mysqlPacket(2, "\x00\x00\x00\x02\x00\x00\x00"),
			mysqlPacket(0, "\x03insert into users values ('"+secret+"')"), mysqlPacket(1, "\xff\x26\x04#23000Duplicate entry '"+secret+"' for key 'users.email'"),
			mysqlPacket(0, "\x03selct '"+secret+"'"), mysqlPacket(1, "\xff\x28\x04#42000You have an error in your SQL syntax near 'selct '"+secret+"'' at line 1")},
		5432: {"\x00\x00\x00\x12\x00\x03\x00\x00user\x00app\x00\x00", "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I",
			pgMessage('Q', "select '"+secret+"'::int\x00"), pgMessage('E', "SERROR\x00C22P02\x00Minvalid input syntax for type integer: \""+secret+"\"\x00\x00") + "Z\x00\x00\x00\x05I"},
	})
	dir := t.TempDir()
	for _, args := range [][]string{{}, {"--transactions"}, {"--transactions", "--json"}, {"--json"}, {"--by", "statement"}, {"--by", "connection"}, {"--histogram"},
		{"--parquet", filepath.Join(dir, "tables")}, {"--html", filepath.Join(dir, "page.html")}, {"--connection", "1"}, {"--connection", "2"}, {"--connection", "3"}, {"--connection", "4"}} {
		out, errs := rtrail(t, append([]string{"packets", capture}, args...)...)
		if strings.Contains(out+errs, secret) {
			t.Errorf("packets %v: %s%s", args, out, errs)
		}
		if len(args) > 1 && args[1] == "--json" {
			for _, want := range []string{"Duplicate entry '?' for key 'users.email'", "near '?' at line 1", "invalid input syntax for type integer", `"proto":"redis"`, `"500"`} {
				if !strings.Contains(out, want) {
					t.Errorf("no %s in %s%s", want, out, errs)
				}
			}
		}
	}
	for _, args := range [][]string{{}, {"-v"}, {"--json"}, {"--markdown"}} {
		if out, errs := rtrail(t, append([]string{"diagnose", capture}, args...)...); strings.Contains(out+errs, secret) {
			t.Errorf("diagnose %v: %s%s", args, out, errs)
		}
	}
	files := 0
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		files++
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s has the secret, or %v", path, err)
		}
		return nil
	})
	if files < 3 {
		t.Errorf("only %d files", files)
	}
}

func mysqlPacket(sequence byte, payload string) string {
	n := len(payload)
	return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), sequence}) + payload
}

func pgMessage(kind byte, payload string) string {
	n := len(payload) + 4
	return string([]byte{kind, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + payload
}

// conversations is a capture of connections by the server's port: what the client
// and the server say, in turn.
func conversations(t *testing.T, said map[uint16][]string) string {
	t.Helper()
	var file bytes.Buffer
	w := pcapgo.NewWriter(&file)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	at := ruletest.Start
	for _, port := range []uint16{80, 3306, 5432, 6379} {
		if said[port] == nil {
			continue
		}
		var seq [2]uint32
		send := func(from int, syn, fin bool, text string) {
			at = at.Add(time.Millisecond)
			ip := &layers.IPv4{Version: 4, TTL: 64, Id: uint16(at.UnixMilli()), Protocol: layers.IPProtocolTCP, SrcIP: net.IP{10, 0, 0, byte(1 + from)}, DstIP: net.IP{10, 0, 0, byte(2 - from)}}
			ports := [2]layers.TCPPort{40000, layers.TCPPort(port)}
			tcp := &layers.TCP{SrcPort: ports[from], DstPort: ports[1-from], Seq: seq[from], Ack: seq[1-from], SYN: syn, FIN: fin, ACK: !syn || from == 1, PSH: text != "", Window: 65000}
			_ = tcp.SetNetworkLayerForChecksum(ip)
			b := gopacket.NewSerializeBuffer()
			eth := &layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, byte(from)}, DstMAC: net.HardwareAddr{2, 0, 0, 0, 0, byte(1 - from)}, EthernetType: layers.EthernetTypeIPv4}
			if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, eth, ip, tcp, gopacket.Payload(text)); err != nil {
				t.Fatal(err)
			}
			seq[from] += uint32(len(text))
			if syn || fin {
				seq[from]++
			}
			if err := w.WritePacket(gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(b.Bytes()), Length: len(b.Bytes())}, b.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		send(0, true, false, "")
		send(1, true, false, "")
		send(0, false, false, "")
		for i, text := range said[port] {
			if text != "" {
				send(i%2, false, false, text)
				send(1-i%2, false, false, "")
			}
		}
		send(0, false, true, "")
		send(1, false, true, "")
		send(0, false, false, "")
	}
	path := filepath.Join(t.TempDir(), "said.pcap")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
