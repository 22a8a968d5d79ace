package socket

import (
	"bytes"
	"encoding/binary"
	"flag"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/kernel"
)

var record = flag.Bool("record", false, "record testdata/*.diag from the sockets of this network namespace")

// TestRecord writes the messages of this namespace to testdata: each with its
// length before it.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("only with -record")
	}
	c, err := openDiag(make([]byte, dumpBuffer))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, d := range []struct {
		file               string
		protocol           uint8
		extensions, states uint32
	}{
		{"tcp", unix.IPPROTO_TCP, withAll, connected},
		{"listen", unix.IPPROTO_TCP, withMemory, listening},
		{"udp", unix.IPPROTO_UDP, withMemory, anyState},
	} {
		var out bytes.Buffer
		for _, family := range []uint8{unix.AF_INET, unix.AF_INET6} {
			err := c.dump(family, d.protocol, uint8(d.extensions), d.states, func(b []byte) error {
				out.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
				out.Write(b)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile("testdata/"+d.file+".diag", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// messages reads a recorded file.
func messages(t testing.TB, file string) [][]byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file + ".diag")
	if err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for len(b) >= 4 {
		n := binary.LittleEndian.Uint32(b)
		list = append(list, b[4:4+n])
		b = b[4+n:]
	}
	return list
}

// TestRecordRows writes the rows of the sockets that makeSockets opens, as the
// program reads them, to testdata.
func TestRecordRows(t *testing.T) {
	if !*record {
		t.Skip("only with -record")
	}
	p, own := live(t)
	ports := map[uint16]bool{}
	for server := range makeSockets(t) {
		ports[server.port] = true
	}
	var out []byte
	visit := func(rows []kernel.SocketRow, c kernel.SocketClock) bool {
		for i := range rows {
			if ports[rows[i].LocalPort] || ports[binary.BigEndian.Uint16(rows[i].RemotePort[:])] {
				out = append(out, unsafe.Slice((*byte)(unsafe.Pointer(&rows[i])), rowSize)...)
			}
		}
		t.Logf("clock %+v", c)
		return true
	}
	if _, err := p.walker.Connections(own.table, visit); err != nil {
		t.Fatal(err)
	}
	if _, err := p.walker.Listeners(own.table, visit); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/sockets.rows", out, 0o644); err != nil {
		t.Fatal(err)
	}
}
