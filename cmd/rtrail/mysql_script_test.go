package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMySQL runs what users type to look at a server: testdata/mysql/*.txtar.
func TestMySQL(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/mysql",
		Setup: func(e *testscript.Env) error { e.Setenv("TZ", "UTC"); return nil },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "closed": closed, "mysqld": startFakeMySQL, "matches": matches,
		},
	})
}

// mysqld NAME MODE makes a server and puts its address into the variable NAME.
// It answers, or is silent, full or denying.
func startFakeMySQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mysqld NAME answers|silent|full|denied|ssh")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
	s := &fakeMySQL{mode: args[1], began: time.Now()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
}

// matches FILE TEXT... wants the texts, as they are, in a file.
func matches(ts *testscript.TestScript, neg bool, args []string) {
	text := ts.ReadFile(args[0])
	for _, word := range args[1:] {
		if strings.Contains(text, word) == neg {
			ts.Fatalf("%q in %s: want %v\n%s", word, args[0], !neg, text)
		}
	}
}

// fakeMySQL speaks as much of the protocol as rtrail needs: it greets, takes any
// password, and answers a few queries.
type fakeMySQL struct {
	mode  string
	began time.Time
	ids   atomic.Uint32
}

func (s *fakeMySQL) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	switch s.mode {
	case "silent":
		_, _ = io.Copy(io.Discard, c)
		return
	case "ssh":
		_, _ = io.WriteString(c, "SSH-2.0-lab\r\n")
		return
	case "full":
		_ = send(c, 0, failed(1040, "08004", "Too many connections"))
		return
	}
	if send(c, 0, s.greeting()) != nil {
		return
	}
	if _, _, err := receive(c); err != nil {
		return
	}
	if s.mode == "denied" {
		_ = send(c, 2, failed(1045, "28000", "Access denied for user 'u'@'127.0.0.1' (using password: YES)"))
		return
	}
	if send(c, 2, done) != nil {
		return
	}
	for {
		seq, body, err := receive(c)
		if err != nil || len(body) == 0 || body[0] == 1 { // COM_QUIT
			return
		}
		if s.answer(c, seq+1, body) != nil {
			return
		}
	}
}

var done = []byte{0, 0, 0, 2, 0, 0, 0}

func failed(code uint16, state, text string) []byte {
	return append([]byte{0xff, byte(code), byte(code >> 8), '#'}, state+text...)
}

func (s *fakeMySQL) greeting() []byte {
	var b bytes.Buffer
	b.WriteString("\x0a9.7.4\x00")
	_ = binary.Write(&b, binary.LittleEndian, s.ids.Add(1))
	b.WriteString("12345678\x00")
	b.Write([]byte{0x05, 0xa2, 45, 2, 0, 0x08, 0x00, 21}) // long password, 4.1 protocol, secure connection, plugin names
	b.Write(make([]byte, 10))
	b.WriteString("123456789012\x00mysql_native_password\x00")
	return b.Bytes()
}

func (s *fakeMySQL) answer(c net.Conn, seq byte, body []byte) error {
	query := string(body[1:])
	second := int(time.Since(s.began).Seconds() * 100)
	switch {
	case body[0] == 0x0e, strings.HasPrefix(query, "SET "): // COM_PING
		return send(c, seq, done)
	case body[0] != 3:
		return send(c, seq, failed(1047, "08S01", "Unknown command"))
	case strings.Contains(query, "VERSION()"):
		return table(c, seq, []string{"version", "comment", "id", "account", "pfs", "port"}, [][]string{{"9.7.4", "test", "1", "u@127.0.0.1", "0", "3306"}})
	case query == "SHOW GLOBAL STATUS":
		rows := [][]string{{"Uptime", fmt.Sprint(second / 100)}, {"Com_select", fmt.Sprint(50 * second)}, {"Com_insert", fmt.Sprint(10 * second)},
			{"Threads_running", "2"}, {"Threads_connected", "17"}, {"Innodb_buffer_pool_read_requests", fmt.Sprint(1000 * second)},
			{"Innodb_buffer_pool_reads", "0"}, {"Innodb_log_waits", fmt.Sprint(second)}}
		return table(c, seq, []string{"Variable_name", "Value"}, rows)
	case query == "SHOW GLOBAL VARIABLES":
		return table(c, seq, []string{"Variable_name", "Value"}, [][]string{{"max_connections", "500"}, {"innodb_log_buffer_size", "1048576"}, {"sync_binlog", "1"}})
	}
	return send(c, seq, failed(1227, "42000", "Access denied; you need (at least one of) the PROCESS privilege(s) for this operation"))
}

func table(c net.Conn, seq byte, columns []string, rows [][]string) error {
	text := func(b []byte, s string) []byte { return append(append(b, byte(len(s))), s...) }
	packets := [][]byte{{byte(len(columns))}}
	for _, name := range columns {
		b := text(text(text(text(text(text(nil, "def"), ""), ""), ""), name), name)
		packets = append(packets, append(b, 0x0c, 45, 0, 255, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0))
	}
	end := []byte{0xfe, 0, 0, 2, 0}
	packets = append(packets, end)
	for _, r := range rows {
		var b []byte
		for _, v := range r {
			b = text(b, v)
		}
		packets = append(packets, b)
	}
	for i, p := range append(packets, end) {
		if err := send(c, seq+byte(i), p); err != nil {
			return err
		}
	}
	return nil
}

func send(c net.Conn, seq byte, body []byte) error {
	n := len(body)
	_, err := c.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, body...))
	return err
}

func receive(c net.Conn) (seq byte, body []byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return 0, nil, err
	}
	body = make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err = io.ReadFull(c, body)
	return head[3], body, err
}
