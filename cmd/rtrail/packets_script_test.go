package main

import (
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"rtrail/internal/packet/generate"
	"rtrail/internal/packet/pcap"
)

// TestPacketViews runs what users type to look at packets: testdata/packets_*.txtar.
func TestPacketViews(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TZ", "UTC")
			return os.CopyFS(e.WorkDir+"/pairs", os.DirFS("testdata/pairs"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "closed": closed, "truncate": truncate, "truth": writeTruth, "fifo": fifo, "readlink": isLink, "link": setLink, "arp": writeARP,
		},
	})
}

// link FILE TYPE gives a pcap file, little-endian, another link type.
func setLink(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.ParseUint(args[1], 10, 16)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte{byte(n), byte(n >> 8), 0, 0}, 20)
	ts.Check(err)
	ts.Check(f.Close())
}

// arp FILE writes a capture of nothing but ARP.
func writeARP(ts *testscript.TestScript, neg bool, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	w := pcap.NewWriter(f, pcap.PCAP, func() []pcap.Interface { return []pcap.Interface{{Link: pcap.LinkEthernet}} })
	request := make([]byte, 42)
	request[12], request[13] = 0x08, 0x06
	for i := range 3 {
		ts.Check(w.Write(&pcap.Packet{Time: int64(1+i) * int64(time.Second), Data: request, Wire: uint32(len(request)), Link: pcap.LinkEthernet}))
	}
	ts.Check(w.Close(pcap.Loss{}))
	ts.Check(f.Close())
}

// truth NAME FILE writes a capture of which everything is known.
func writeTruth(ts *testscript.TestScript, neg bool, args []string) {
	for _, t := range generate.Truths() {
		if t.Name == args[0] {
			f, err := os.Create(ts.MkAbs(args[1]))
			ts.Check(err)
			ts.Check(t.Write(f))
			ts.Check(f.Close())
			return
		}
	}
	ts.Fatalf("no capture %q", args[0])
}

// fifo exec COMMAND... runs it with the name of a FIFO added, and puts what came
// through into fifo.out.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	path := ts.MkAbs("a.fifo")
	ts.Check(unix.Mkfifo(path, 0o600))
	defer os.Remove(path)
	// Open for both: the reader must not wait for a writer that never comes.
	r, err := os.OpenFile(path, os.O_RDWR, 0)
	ts.Check(err)
	out, err := os.Create(ts.MkAbs("fifo.out"))
	ts.Check(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(out, r)
	}()
	err = ts.Exec(args[1], append(args[2:], path)...)
	info, gone := os.Lstat(path)
	r.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	<-done
	ts.Check(out.Close())
	ts.Check(r.Close())
	ts.Check(err)
	if gone != nil || info.Mode()&os.ModeNamedPipe == 0 {
		ts.Fatalf("the FIFO is gone")
	}
}

// readlink FILE wants a symbolic link.
func isLink(ts *testscript.TestScript, neg bool, args []string) {
	_, err := os.Readlink(ts.MkAbs(args[0]))
	ts.Check(err)
}
