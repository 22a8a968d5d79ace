package load

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlconn/mysqltest"
)

// server is a MySQL server that knows one row.
type server struct {
	net.Listener
	asked  atomic.Int64
	answer func(n int64) []string // the packets of the n-th answer to a request; nil: a row
}

const row = "a row of which nobody reads anything"

func serve(t *testing.T, answer func(n int64) []string) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Listener: l, answer: answer}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.talk(c)
		}
	}()
	return s
}

func (s *server) talk(c net.Conn) {
	defer c.Close()
	write := func(first byte, packets ...string) {
		all := ""
		for i, p := range packets {
			all += mysqltest.Packet(first+byte(i), p)
		}
		_, _ = io.WriteString(c, all)
	}
	read := func() []byte {
		var header [4]byte
		if _, err := io.ReadFull(c, header[:]); err != nil {
			return nil
		}
		b := make([]byte, int(header[0])|int(header[1])<<8|int(header[2])<<16)
		if _, err := io.ReadFull(c, b); err != nil {
			return nil
		}
		return b
	}
	_, _ = io.WriteString(c, mysqltest.Greeting("mysql_native_password", 0))
	if read() == nil {
		return
	}
	write(2, mysqltest.OK)
	for {
		b := read()
		switch {
		case len(b) == 0:
			return
		case b[0] == comQuery && strings.HasPrefix(string(b[1:]), "USE"):
			write(1, mysqltest.OK)
		case b[0] == comPrepare:
			head := binary.LittleEndian.AppendUint32([]byte{0}, 7)
			write(1, string(append(head, 1, 0, 1, 0, 0, 0, 0)), mysqltest.Column("?"), mysqltest.End, mysqltest.Column("c"), mysqltest.End)
		default:
			n := s.asked.Add(1)
			if s.answer != nil {
				packets := s.answer(n)
				if packets != nil && len(packets) == 0 {
					return // it goes away
				}
				if packets != nil {
					write(1, packets...)
					continue
				}
			}
			write(1, "\x01", mysqltest.Column("c"), mysqltest.End, "\x00\x00"+mysqltest.Text(row), mysqltest.End)
		}
	}
}

func (s *server) load(seconds int, text bool) *OpenMySQL {
	return &OpenMySQL{Scenario: "point_select", Server: mysqlconn.Target{Network: "tcp", Address: s.Addr().String(), User: "sb"}, Database: "sbtest", Tables: 2, Rows: 100, Text: text, Connections: 4, Seconds: seconds}
}

func quiet() Telling { return Telling{Measures: func() {}, Output: func(string) {}} }

func TestOpenMySQL(t *testing.T) {
	for _, text := range []bool{false, true} {
		s := serve(t, nil)
		o, err := s.load(2, text).Run(t.Context(), Level{Rate: 200}, patient, quiet())
		if err != nil {
			t.Fatal(err)
		}
		if asked := s.asked.Load(); asked < 300 || asked > 400 || o.Load.Errors != 0 || o.Load.TPS > 200 || o.Load.P50 <= 0 || o.Alone.P50 > o.Load.P50 || o.Generator.CPUs <= 0 {
			t.Errorf("text %v: %d requests, %+v", text, asked, o)
		}
	}
}

// A server that stops for a second makes all requests wait that were to begin meanwhile, also
// those for which there was no connection. A loop that waits for its answers would tell of four.
func TestAStallCountsForAllThatWereToBegin(t *testing.T) {
	var stalled atomic.Bool
	s := serve(t, func(n int64) []string {
		if n >= 100 && stalled.CompareAndSwap(false, true) {
			time.Sleep(time.Second)
		}
		return nil
	})
	m := s.load(5, false)
	m.Connections = 1
	o, err := m.Run(t.Context(), Level{Rate: 100}, patient, quiet())
	if err != nil {
		t.Fatal(err)
	}
	// A fifth of the requests were to begin while the server stood still, evenly: a hundredth
	// of all waited for at least 0.9 s.
	if o.Load.P99 < 900 || o.Load.Max < 990 {
		t.Errorf("p99 %v ms, max %v ms", o.Load.P99, o.Load.Max)
	}
	if o.Alone.P95 > o.Load.P99/2 {
		t.Errorf("alone p95 %v ms", o.Alone.P95)
	}
}

func TestServersThatFail(t *testing.T) {
	for name, tt := range map[string]struct {
		packets []string
		want    string
	}{
		"error":             {[]string{mysqltest.Error(1146, "no such table")}, "400 requests failed, most with: error 1146"},
		"nonsense":          {[]string{"\xfb/etc/passwd"}, errProtocol.Error()},
		"two answers":       {[]string{mysqltest.OK, mysqltest.OK}, errProtocol.Error()},
		"too many columns":  {[]string{"\xfc\xff\xff"}, errProtocol.Error()},
		"an empty packet":   {[]string{""}, errProtocol.Error()},
		"no end of columns": {[]string{"\x01", mysqltest.Column("c"), "\x00"}, errProtocol.Error()},
	} {
		s := serve(t, func(int64) []string { return tt.packets })
		o, err := s.load(2, true).Run(t.Context(), Level{Rate: 200}, patient, quiet())
		if name == "error" {
			if err != nil || len(o.Invalid) == 0 || !strings.Contains(strings.Join(o.Invalid, "\n"), tt.want) {
				t.Errorf("%s: %v %v", name, err, o.Invalid)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || !o.Gone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A server that closes its connections ends the load.
func TestServerVanishesMeanwhile(t *testing.T) {
	s := serve(t, func(n int64) []string {
		if n == 20 {
			return []string{}
		}
		return nil
	})
	o, err := s.load(60, false).Run(t.Context(), Level{Rate: 100}, patient, quiet())
	if !errors.Is(err, errClosed) || !o.Gone {
		t.Error(err)
	}
}

func TestAnswersInPieces(t *testing.T) {
	var all []byte
	for i, p := range []string{"\x01", mysqltest.Column("c"), mysqltest.End, "\x00\x00" + mysqltest.Text(row), "\x00\x00" + mysqltest.Text(row), mysqltest.End} {
		all = append(all, mysqltest.Packet(byte(i+1), p)...)
	}
	for size := 1; size < len(all); size++ {
		var a answer
		a.begin(false)
		for at := 0; at < len(all); at += size {
			ended, err := a.read(all[at:min(at+size, len(all))])
			if last := at+size >= len(all); err != nil || ended != last {
				t.Fatalf("pieces of %d bytes, at %d of %d: %v %v", size, at, len(all), ended, err)
			}
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x01\x00"), true)
	f.Fuzz(func(t *testing.T, b []byte, prepared bool) {
		var a, pieces answer
		a.begin(prepared)
		pieces.begin(prepared)
		ended, err := a.read(b)
		for i := range b {
			if e, failed := pieces.read(b[i : i+1]); e || failed != nil {
				if e && !ended && !errors.Is(err, errProtocol) || failed != nil && err == nil {
					t.Errorf("%v %v in pieces, %v %v whole", e, failed, ended, err)
				}
				return
			}
		}
		if ended {
			t.Error("ended as a whole, and not in pieces")
		}
	})
}

func TestUnservedCountWithTheirWait(t *testing.T) {
	s := newSchedule(1e6, 2*time.Second)
	s.unserved(3 * time.Second)
	var o Outcome
	s.sum(&o, 0)
	if o.Load.P50 < 1990 || o.Load.P50 > 2010 || o.Load.TPS != 0 || !strings.Contains(strings.Join(o.Notes, ""), "2000000 requests had no answer") {
		t.Errorf("%+v", o)
	}
}
