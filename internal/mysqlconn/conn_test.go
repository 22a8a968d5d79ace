package mysqlconn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// listen takes connections and does something with each.
func listen(t *testing.T, do func(net.Conn)) Target {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go do(c)
		}
	}()
	return Target{Network: "tcp", Address: l.Addr().String(), Name: l.Addr().String(), User: "u", Password: "hunter2", TLS: TLSOff}
}

func connect(t *testing.T, target Target, limit time.Duration) (kind Kind, code int, text string, dialed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var p Progress
	began := time.Now()
	c, err := target.Connect(ctx, &p)
	if err == nil {
		c.Close()
		t.Fatal("it connected")
	}
	if took := time.Since(began); took > limit+500*time.Millisecond {
		t.Errorf("it took %v with a limit of %v", took, limit)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the password shows: %v", err)
	}
	kind, code = Classify(err)
	return kind, code, Text(err), p.Dialed()
}

func TestServerThatNeverAnswers(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	target := listen(t, func(c net.Conn) { <-hold; c.Close() })
	kind, _, _, dialed := connect(t, target, 100*time.Millisecond)
	if kind != Timeout || !dialed {
		t.Errorf("kind %v, dialed %v", kind, dialed)
	}
}

func TestNobodyListens(t *testing.T) {
	target := listen(t, func(net.Conn) {})
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free again
	if err != nil {
		t.Fatal(err)
	}
	target.Address = l.Addr().String()
	l.Close()
	kind, _, text, dialed := connect(t, target, time.Second)
	if kind != Unreachable || dialed || !strings.Contains(text, "refused") {
		t.Errorf("kind %v, dialed %v, %s", kind, dialed, text)
	}
	target.Network, target.Address = "unix", "/nowhere/m.sock"
	if kind, _, text, _ := connect(t, target, time.Second); kind != Unreachable || !strings.Contains(text, "no such file") {
		t.Errorf("a missing socket: kind %v, %s", kind, text)
	}
}

func TestGarbage(t *testing.T) {
	target := listen(t, func(c net.Conn) { fmt.Fprint(c, "\x15\x00\x00\x00SSH-2.0-OpenSSH_9.2p1\r\n"); c.Close() })
	kind, _, text, _ := connect(t, target, time.Second)
	if kind == Denied || kind == Timeout || text == "" {
		t.Errorf("kind %v, %q", kind, text)
	}
	target = listen(t, func(c net.Conn) { c.Close() })
	if kind, _, _, _ := connect(t, target, time.Second); kind != Gone {
		t.Errorf("closed at once: kind %v", kind)
	}
}

func TestServerIsFull(t *testing.T) {
	target := listen(t, func(c net.Conn) {
		message := "\xff\x10\x04#08004Too many connections"
		fmt.Fprintf(c, "%c\x00\x00\x00%s", len(message), message)
		c.Close()
	})
	kind, code, text, _ := connect(t, target, time.Second)
	if kind != Full || code != 1040 || text != "Too many connections" {
		t.Errorf("kind %v, code %d, %q", kind, code, text)
	}
}

func TestClassify(t *testing.T) {
	for number, want := range map[uint16]Kind{1045: Denied, 1203: Full, 1227: Privilege, 1969: Interrupted, 1146: Unknown, 1053: Gone, 9999: Other} {
		kind, code := Classify(fmt.Errorf("asking: %w", &mysql.MySQLError{Number: number, Message: "x"}))
		if kind != want || code != int(number) {
			t.Errorf("%d: %v, %d", number, kind, code)
		}
	}
	if kind, _ := Classify(errors.New("x")); kind != Other {
		t.Errorf("any error: %v", kind)
	}
	if kind, _ := Classify(context.DeadlineExceeded); kind != Timeout {
		t.Errorf("a deadline: %v", kind)
	}
}

func TestRow(t *testing.T) {
	r := NewResult([]string{"n", "Text", "f"})
	r.Add([]string{"12", "", "1.5"}, func(i int) bool { return i == 1 })
	r.Add([]string{"18446744073709551615", "x", "nan"}, nil)
	r.Add([]string{"12.000", "-3"}, nil)
	a, b, c := r.Row(0), r.Row(1), r.Row(2)
	if a.Int("N") != 12 || !a.Null("text") || a.Text("text") != "" || a.Int("text") != -1 || a.Int("gone") != -1 || !a.Null("gone") {
		t.Error("the first row is read wrong")
	}
	if f, ok := a.Float("f"); !ok || f != 1.5 {
		t.Errorf("a float: %v %v", f, ok)
	}
	if b.Int("n") != 1<<63-1 || b.Int("f") != -1 {
		t.Errorf("numbers out of range: %d %d", b.Int("n"), b.Int("f"))
	}
	if c.Int("n") != 12 || c.Int("text") != -3 || !c.Null("f") {
		t.Error("the third row is read wrong")
	}
}
