package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestProbeDNS runs rtrail with --probe-dns beside name servers that answer or do not:
// testdata/dns/*.txtar.
func TestProbeDNS(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("gives rtrail a resolv.conf of its own and listens at port 53: needs root, and seconds")
	}
	for _, program := range []string{"unshare", "mount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("no ", program)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/dns",
		Setup: func(e *testscript.Env) error {
			e.Values[resolversKey{}] = resolvers{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"resolver": startResolver, "asks": withResolvers, "queries": queries, "fits": fits},
	})
}

// resolver is a name server that counts what it is asked.
type resolver struct {
	conn    net.PacketConn
	how     string
	asked   atomic.Int64
	strange atomic.Int64 // queries for anything but the name servers of the root
}

// resolvers of a script, by address.
type resolvers map[string]*resolver

// startResolver has a name server at port 53 of an address: resolver ADDRESS answers, slow,
// second (the first query gets no answer) or silent. It is added to the resolv.conf of the
// script.
func startResolver(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: resolver ADDRESS answers|slow|second|silent|none")
	}
	conf, err := os.OpenFile(ts.MkAbs("resolv.conf"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	ts.Check(err)
	_, err = conf.WriteString("nameserver " + args[0] + "\n")
	ts.Check(err)
	ts.Check(conf.Close())
	if args[1] == "none" {
		return
	}
	conn, err := net.ListenPacket("udp", net.JoinHostPort(args[0], "53"))
	ts.Check(err)
	ts.Defer(func() { conn.Close() })
	r := &resolver{conn: conn, how: args[1]}
	ts.Value(resolversKey{}).(resolvers)[args[0]] = r
	go r.serve()
}

type resolversKey struct{}

func (r *resolver) serve() {
	// RFC 1035, section 4: after the identifier recursion is desired, one question: the
	// root, NS, IN.
	question := []byte{1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1}
	query := make([]byte, 512)
	for {
		n, from, err := r.conn.ReadFrom(query)
		if err != nil {
			return
		}
		if n < 2 || !bytes.Equal(query[2:n], question) {
			r.strange.Add(1)
		}
		asked := r.asked.Add(1)
		switch {
		case r.how == "silent", r.how == "second" && asked == 1:
			continue
		case r.how == "slow":
			time.Sleep(time.Second)
		}
		// An answer without records, as good as any: QR, RD and RA.
		_, _ = r.conn.WriteTo(append([]byte{query[0], query[1], 0x81, 0x80}, query[4:n]...), from)
	}
}

// queries ADDRESS N wants a name server to have been asked so often since the last time.
func queries(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: queries ADDRESS N")
	}
	r := ts.Value(resolversKey{}).(resolvers)[args[0]]
	if r == nil {
		ts.Fatalf("no resolver %s", args[0])
	}
	want, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	if got := r.asked.Swap(0); got != want || r.strange.Load() > 0 {
		ts.Fatalf("%s got %d queries, of which %d ask for something else; want %d", args[0], got, r.strange.Load(), want)
	}
}

// asks CODE ARGS... is exits with the resolv.conf of the script in place of the host's.
func withResolvers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: asks CODE ARGS...")
	}
	cmd := command(ts, args[1:])
	unshare, err := exec.LookPath("unshare")
	ts.Check(err)
	cmd.Args = append([]string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, filepath.Join(cmd.Dir, "resolv.conf"), cmd.Path}, args[1:]...)
	cmd.Path = unshare
	finish(ts, cmd, args[0])
}
