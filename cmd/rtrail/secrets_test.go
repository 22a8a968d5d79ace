package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlconn/mysqltest"
	"rtrail/internal/packet/bothsides"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe"
	"rtrail/internal/probe/capture"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/probe/process"
	"rtrail/internal/recording"
	"rtrail/internal/redact/redacttest"
	"rtrail/internal/session"
	"rtrail/internal/stack"
)

// A secret that stands where probes read, in every form in which secrets are
// written, reaches no column of any table, and nothing that any verb prints or
// writes.
func TestSecretsReachNoColumn(t *testing.T) {
	free := freeColumns(t)
	var samples []*recording.Writer
	for _, feed := range []func(*testing.T) *recording.Writer{feedProcesses, feedMounts, feedPackets, feedPair, feedStacks} {
		samples = append(samples, feed(t))
	}
	samples = append(samples, feedMySQL(t, "5.7.44", "8.0.43", "10.11.6-MariaDB")...)
	samples = append(samples, feedDenied(t))
	all := recording.New(recording.Manifest{})
	for _, w := range samples {
		if err := all.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	fed := map[string]bool{}
	w, err := all.Rewrite(func(table recording.Table, column, text string) string {
		fed[string(table)+"."+column] = fed[string(table)+"."+column] || text != ""
		if strings.Contains(text, redacttest.Marker) {
			t.Errorf("%s.%s: %s", table, column, text)
		}
		return text
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := onDisk(t, recording.Manifest{Started: time.Now().Add(-time.Minute)}, w)
	for _, column := range free {
		if !fed[column] {
			t.Errorf("%s is empty: the test feeds it nothing, and proves nothing", column)
		}
	}
	for _, p := range everyPrinter(t, dir) {
		withoutSecret(t, p)
	}
}

// withoutSecret fails the test where a run shows the secret.
func withoutSecret(t *testing.T, p printed) {
	t.Helper()
	if p.code != exitOK {
		t.Errorf("%s: exit %d\n%s", p.of, p.code, p.errs)
	}
	for line := range strings.Lines(p.out + p.errs) {
		if strings.Contains(line, redacttest.Marker) {
			t.Errorf("%s prints it: %s", p.of, line)
		}
	}
}

// sampled is one sample of a probe.
func sampled(t *testing.T, p probe.Probe) *recording.Writer {
	t.Helper()
	w := recording.NewWriter(time.Now())
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	return w
}

// feedProcesses has a process for every form of a command line.
func feedProcesses(t *testing.T) *recording.Writer {
	root := t.TempDir()
	const recorded = "../../internal/probe/process/testdata/host/proc/1"
	stat, err := os.ReadFile(recorded + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(recorded + "/status")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "proc/stat"), "btime 1700000000\n")
	_, rest, _ := strings.Cut(string(stat), " ")
	for i, line := range redacttest.CommandLines {
		for n, args := range []string{line, "sudo|-n|" + line, "sh|-c|" + strings.ReplaceAll(line, "|", " ")} {
			if n == 2 && strings.ContainsAny(line, " '\"\\&;<(\n*?") {
				continue // a shell would want quotes
			}
			dir := filepath.Join(root, "proc", fmt.Sprint(10*(i+1)+n))
			write(t, filepath.Join(dir, "stat"), fmt.Sprintf("%d %s", 10*(i+1)+n, rest))
			write(t, filepath.Join(dir, "status"), string(status))
			write(t, filepath.Join(dir, "cmdline"), strings.ReplaceAll(args, "|", "\x00")+"\x00")
			write(t, filepath.Join(dir, "environ"), "DB_PASSWORD="+redacttest.Marker+"\x00")
		}
	}
	people := census.New(root)
	defer people.Close()
	p := process.New(people)
	defer p.Close()
	w := sampled(t, p)
	return w
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// feedMounts mounts shares whose passwords stand in their sources and options.
func feedMounts(t *testing.T) *recording.Writer {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../internal/probe/host/testdata/linux-6.18")); err != nil {
		t.Fatal(err)
	}
	const options = " rw,username=joe,password=h0rse,pass=h0rse,user=joe%h0rse"
	lines := "1 0 8:1 / / rw - ext4 /dev/vda1 rw\n"
	for i, source := range []string{`https://joe:h0rse@dav.example/x`, `//joe:h0rse@nas/share`, `:s3,access_key_id=a,secret_access_key=h0rse:bucket`, `s3fs#b?token=h0rse`, `//nas/x\040password=h0rse`} {
		lines += fmt.Sprintf("%d 1 0:%d / /m%d rw - fuse %s%s\n", i+2, 50+i, i, source, options)
	}
	write(t, filepath.Join(root, "proc/self/mountinfo"), lines)
	for i := range 5 {
		if err := os.Mkdir(filepath.Join(root, fmt.Sprintf("m%d", i)), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return sampled(t, host.New(host.FS{Root: root}))
}

// feedPackets captures requests with secrets in them, and answers that quote them.
func feedPackets(t *testing.T) *recording.Writer {
	src, err := pcap.Open(t.Context(), []string{secretConversations(t)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	result, err := capture.Read(t.Context(), src, capture.Options{Engine: engine.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	w := recording.NewWriter(time.Now())
	result.Write(w)
	return w
}

// feedPair takes one capture for those of both sides.
func feedPair(t *testing.T) *recording.Writer {
	var how capture.PairOptions
	for i := range how.Sides {
		packets := session.Packets{Files: []string{secretConversations(t)}}
		how.Sides[i] = bothsides.Capture{Files: packets.Files, Open: packets.Open}
	}
	p, err := capture.ReadPair(t.Context(), how)
	if err != nil {
		t.Fatal(err)
	}
	w := recording.NewWriter(time.Now())
	p.Write(w)
	return w
}

func secretConversations(t *testing.T) string {
	greeting := mysqlPacket(0, "\x0a8.0.36\x00\x07\x00\x00\x00abcdefgh\x00\xff\xf7\x21\x02\x00\xff\x8f\x15"+strings.Repeat("\x00", 10)+"ijklmnopqrst\x00caching_sha2_password\x00")
	login := mysqlPacket(1, "\x8d\xa6\x0f\x00\x00\x00\x00\x01\x21"+strings.Repeat("\x00", 23)+"app\x00\x00")
	said := map[uint16][]string{3306: {"", greeting, login, mysqlPacket(2, "\x00\x00\x00\x02\x00\x00\x00")},
		5432: {"\x00\x00\x00\x12\x00\x03\x00\x00user\x00app\x00\x00", "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05I"}}
	for i, s := range redacttest.Statements {
		failed := redacttest.Messages[i%len(redacttest.Messages)]
		said[3306] = append(said[3306], mysqlPacket(0, "\x03"+s), mysqlPacket(1, "\xff\x26\x04#23000"+failed))
		said[3306] = append(said[3306], mysqlPacket(0, "\x16"+s), mysqlPacket(1, "\xff\x28\x04#42000"+failed))
		if strings.Contains(s, "#") || strings.Contains(s, "/*!") {
			continue // comments in MySQL only
		}
		said[5432] = append(said[5432], pgMessage('Q', strings.ReplaceAll(s, `"`, "'")+"\x00"),
			pgMessage('E', "SERROR\x00C22P02\x00Minvalid input syntax for type integer: \"h0rse\"\x00DKey (a)=(h0rse) already exists.\x00WCOPY t, line 1: \"h0rse\"\x00\x00")+"Z\x00\x00\x00\x05I")
	}
	for i, text := range redacttest.Texts() {
		path := "/api?q=" + strings.NewReplacer(" ", "+", "\n", "+", "\"", "%22").Replace(text)
		said[80] = append(said[80], "GET "+path+" HTTP/1.1\r\nHost: joe:h0rse@x\r\nAuthorization: Basic h0rse\r\nCookie: sid=h0rse\r\nX-Api-Key: h0rse\r\nReferer: http://x/?token=h0rse\r\nContent-Length: 5\r\n\r\nh0rse",
			fmt.Sprintf("HTTP/1.1 50%d %s\r\nSet-Cookie: sid=h0rse\r\nLocation: /?token=h0rse\r\nContent-Length: 5\r\n\r\nh0rse", i%5, text))
	}
	for _, path := range []string{"/reset/h0rse0123456789abcdef0123", "/u/joe:h0rse@x/y", "/;jsessionid=h0rse", "/a#h0rse", "http://joe:h0rse@x/y?h0rse"} {
		said[80] = append(said[80], "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 403 no h0rse for you\r\nContent-Length: 0\r\n\r\n")
	}
	for _, command := range []string{"AUTH h0rse", "AUTH joe h0rse", "HELLO 3 AUTH joe h0rse", "CONFIG SET requirepass h0rse", "ACL SETUSER joe >h0rse", "SET k h0rse",
		"EVAL return'h0rse' 0", "MIGRATE h 1 k 0 5 AUTH h0rse", "h0rse", "SETEX session:h0rse0123456789abcdef0123 5 x"} {
		words := strings.Fields(command)
		request := fmt.Sprintf("*%d\r\n", len(words))
		for _, w := range words {
			request += fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)
		}
		said[6379] = append(said[6379], request, "-ERR unknown command 'x', with args beginning with: 'h0rse' and h0rse\r\n")
	}
	// The last ones are never answered.
	said[3306] = append(said[3306], mysqlPacket(0, "\x03select 'h0rse'"))
	said[6379] = append(said[6379], "*2\r\n$4\r\nAUTH\r\n$5\r\nh0rse\r\n")
	return conversations(t, said)
}

// feedStacks reads a dump whose threads are named after what they serve.
func feedStacks(t *testing.T) *recording.Writer {
	dir := t.TempDir()
	gdb, java := filepath.Join(dir, "gdb.txt"), filepath.Join(dir, "java.txt")
	dump, threads := "", "2026-01-31 03:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.9+9 mixed mode):\n\n"
	for i, text := range redacttest.Texts() {
		if strings.Contains(text, "\n") {
			continue
		}
		dump += fmt.Sprintf("Thread %d (Thread 0x7f00 (LWP %d) \"%s\"):\n#0  0x01 in __lll_lock_wait (futex=0x5f0, text=0x1 \"select \\\"h0rse\") at lll.c:5\n"+
			"#1  0x02 in parse%d (query=0x7f \"%s at h0rse:5\") at /src/parse.cc:5\n\n", i+1, i+8, text, i, strings.ReplaceAll(redacttest.Statements[i%len(redacttest.Statements)], `"`, `\"`))
		threads += fmt.Sprintf("\"%s\" #%d prio=5 os_prio=0 cpu=1.00ms elapsed=1.00s tid=0x00007f nid=0x%x waiting for monitor entry  [0x00007f]\n"+
			"   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat a.B.c%d(B.java:5)\n\t- waiting to lock <0x%08x> (a java.lang.Object)\n\t- locked <0x%08x> (a java.lang.Object)\n\n", text, i+12, i+8, i, 0x1000+i, 0x1001+i)
	}
	perf := "password=h0rse 7/8 25039.212225:   10101010 cpu-clock:pppH: \n\t          290c7a main+0x5 (/bin/app)\n\n"
	write(t, gdb, dump)
	write(t, java, threads)
	write(t, filepath.Join(dir, "perf.txt"), perf)
	w := recording.NewWriter(time.Now())
	for _, file := range []string{gdb, java, filepath.Join(dir, "perf.txt")} {
		p, err := stack.Read(t.Context(), []string{file}, nil, stack.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Write(w)
		for _, args := range [][]string{{"stacks", file}, {"stacks", file, "-v"}, {"stacks", file, "--json"}, {"stacks", file, "--collapsed"}, {"stacks", file, "--pmp"}, {"diagnose", file}} {
			withoutSecret(t, runHere(args...))
		}
	}
	return w
}

// feedMySQL looks at servers whose clients send secrets.
func feedMySQL(t *testing.T, versions ...string) (samples []*recording.Writer) {
	var probes []*mysql.Probe
	for _, version := range versions {
		probes = append(probes, asking(t, secretServer(t, version).start(t)))
	}
	for look := range 3 {
		if look > 0 {
			time.Sleep(1100 * time.Millisecond) // what is read once a second is due
		}
		for _, p := range probes {
			if look == 2 {
				p.Closing()
			}
			samples = append(samples, sampled(t, p))
		}
	}
	return samples
}

func secretServer(t *testing.T, version string) *talkingServer {
	s := &talkingServer{version: version, waits: version > "8", rows: len(redacttest.Statements), innodb: statusWith(t, redacttest.Statements[0]),
		name: func(column string, row int) string { return fmt.Sprintf("%s%d", column, row) },
		text: func(column string, row int) string {
			switch column {
			case "Last_IO_Error":
				return redacttest.Connecting
			case "error", "Last_SQL_Error":
				return redacttest.Messages[row%len(redacttest.Messages)]
			case "lock":
				return redacttest.Marker
			}
			return redacttest.Statements[row%len(redacttest.Statements)]
		}}
	for _, name := range []string{"report_password", "wsrep_sst_auth", "init_connect", "proxy_user", "s3_secret_key", "ssl_passphrase", "authentication_ldap_simple_bind_root_pwd", "hashicorp_key_management_token"} {
		s.variables = append(s.variables, []string{name, redacttest.Marker})
	}
	for i, text := range redacttest.Texts() {
		s.variables = append(s.variables, []string{fmt.Sprintf("plugin_%d", i), text})
	}
	return s
}

// asking is the probe for a server.
func asking(t *testing.T, address string) *mysql.Probe {
	t.Helper()
	target, err := mysqlconn.Parse("monitor@"+address, &mysqlconn.OptionFiles{}, mysqlconn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := mysql.New([]mysqlconn.Target{target}, nil, mysql.Options{Deep: true, Explain: true})
	t.Cleanup(func() { p.Close() })
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// feedDenied is refused with an error that quotes something.
func feedDenied(t *testing.T) *recording.Writer {
	return sampled(t, asking(t, serving(t, mysqltest.Server{Login: []string{mysqltest.Error(1045, redacttest.Messages[0])}}.Serve)))
}
