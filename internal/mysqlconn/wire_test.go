package mysqlconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rtrail/internal/mysqlconn/mysqltest"
)

// serve has a fake server answer every connection.
func serve(t *testing.T, s mysqltest.Server) Target {
	t.Helper()
	return listen(t, s.Serve)
}

func ask(t *testing.T, target Target, limit time.Duration) (*Conn, *Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c, err := target.Connect(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Abort)
	r, err := c.Query(ctx, "SELECT 1")
	return c, r, err
}

// TestAnswersThatNoServerGives: each of them ends the connection, before it costs
// memory, and says why.
func TestAnswersThatNoServerGives(t *testing.T) {
	columns := func(n string) string { return mysqltest.Packet(1, n) }
	begun := mysqltest.Packets([]string{"\x01", mysqltest.Column("a"), mysqltest.End})
	for name, x := range map[string]struct{ raw, says string }{
		"2^40 columns":         {columns("\xfe\x00\x00\x00\x00\x00\x01\x00\x00"), "1099511627776 columns"},
		"2^63 columns":         {columns("\xfe\x00\x00\x00\x00\x00\x00\x00\x80"), "9223372036854775808 columns"},
		"2^32 columns":         {columns("\xfe\x00\x00\x00\x00\x01\x00\x00\x00"), "4294967296 columns"},
		"300 columns":          {columns("\xfc\x2c\x01"), "300 columns"},
		"half a number":        {columns("\xfc\x2c"), "makes no sense"},
		"no column":            {mysqltest.Packets([]string{"\xfc\x00\x00"}), "makes no sense"},
		"a file of this host":  {columns("\xfb/root/.my.cnf"), "LOAD DATA LOCAL"},
		"an empty packet":      {"\x00\x00\x00\x01", "an empty packet"},
		"a huge packet":        {"\xff\xff\xff\x01\xff", "16777215 bytes"},
		"a huge row":           {begun + "\xff\xff\xff\x04", "16777215 bytes"},
		"a huge column":        {mysqltest.Packet(1, "\x01") + "\x00\x20\x00\x02", "8192 bytes"},
		"fewer columns":        {mysqltest.Packets([]string{"\x02", mysqltest.Column("a"), mysqltest.End}), "fewer columns"},
		"more columns":         {mysqltest.Packets([]string{"\x01", mysqltest.Column("a"), mysqltest.Column("b"), mysqltest.End}), "more columns"},
		"half a column":        {mysqltest.Packets([]string{"\x01", "\x03def"}), "fewer columns"},
		"half a row":           {begun + mysqltest.Packet(4, "\x05ab") + mysqltest.Packet(5, mysqltest.End), "row that ends too early"},
		"half an OK":           {mysqltest.Packet(1, "\x00\x00"), "ends too early"},
		"an OK with a number":  {mysqltest.Packet(1, "\x00\xfe\x00\x00\x00\x00\x00"), "ends too early"},
		"half an end":          {begun + mysqltest.Packet(4, "\xfe\x00"), "makes no sense"},
		"half an error":        {mysqltest.Packet(1, "\xff\x10"), "error without a text"},
		"an error of a column": {mysqltest.Packets([]string{"\x01", mysqltest.Error(1, "x")}), "fewer columns"},
		"a second result":      {mysqltest.Packet(1, "\x00\x00\x00\x0a\x00\x00\x00"), "more results than statements"},
		"a result after rows":  {begun + mysqltest.Packet(4, "\xfe\x00\x00\x0a\x00"), "more results than statements"},
		"another number":       {mysqltest.Packet(9, mysqltest.OK), "commands out of sync"},
	} {
		t.Run(name, func(t *testing.T) {
			target := serve(t, mysqltest.Server{Raw: func(string) string { return x.raw }})
			c, r, err := ask(t, target, 5*time.Second)
			if err == nil {
				t.Fatalf("it answered: %d rows", r.Len())
			}
			if kind, _ := Classify(err); kind != NotMySQL || !strings.Contains(Text(err), x.says) {
				t.Errorf("kind %v, %s", kind, Text(err))
			}
			if _, err := c.Query(context.Background(), "SELECT 2"); err == nil {
				t.Error("the connection is still used")
			}
		})
	}
}

// TestLongAnswer: what is above the bounds is counted and not kept; the connection
// stays of use.
func TestLongAnswer(t *testing.T) {
	wide := make([]string, 200)
	for i := range wide {
		wide[i] = "c"
	}
	for name, x := range map[string]struct {
		columns []string
		row     []string
		n       int
	}{
		"long rows":   {[]string{"a"}, []string{strings.Repeat("x", 1<<20)}, 30},
		"many rows":   {[]string{"a"}, []string{""}, maxRows + 1000},
		"empty cells": {wide, make([]string, len(wide)), 5000},
	} {
		t.Run(name, func(t *testing.T) {
			rows := make([][]string, x.n)
			for i := range rows {
				rows[i] = x.row
			}
			answer := mysqltest.Result(x.columns, rows...)
			target := serve(t, mysqltest.Server{Answer: func(string) []string { return answer }})
			c, r, err := ask(t, target, 20*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			size := 0
			for i := range r.Len() {
				for j := range r.Columns {
					size += cellBytes + len(r.Row(i).At(j))
				}
			}
			if r.Len()+r.Cut != x.n || r.Len() > maxRows || size > maxResultBytes+maxCell+cellBytes*len(x.columns) {
				t.Errorf("%d rows and %d cut of %d, %d bytes", r.Len(), r.Cut, x.n, size)
			}
			if err := c.Ping(context.Background()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// endless gives rows until nobody reads them any more.
func endless(c net.Conn) {
	row := []byte(strings.Repeat(mysqltest.Packet(4, mysqltest.Row(strings.Repeat("x", 60_000))), 16))
	for {
		if _, err := c.Write(row); err != nil {
			return
		}
	}
}

// TestEndlessAnswer: an answer without an end is read up to a bound, no faster than
// agreed, and takes little memory.
func TestEndlessAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		w := newWire(client, login{})
		w.stage = atReply
		go func() {
			_, _ = io.WriteString(server, mysqltest.Packets([]string{"\x01", mysqltest.Column("a"), mysqltest.End}))
			endless(server)
		}()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		n, err := io.Copy(io.Discard, w)
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if _, ok := errors.AsType[*breach](err); !ok || n < maxAnswer-maxRow || n > maxAnswer+maxRow {
			t.Errorf("%d bytes, %v", n, err)
		}
		if rate := float64(n) / took.Seconds(); rate > 1.5*maxPerSecond {
			t.Errorf("%d bytes in %v, %.0f a second", n, took, rate)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > maxAnswer/4 {
			t.Errorf("it allocated %d bytes", used)
		}
		w.Close()
		server.Close()
	})
}

// TestManySmallRows: rows cost more than their bytes.
func TestManySmallRows(t *testing.T) {
	target := listen(t, func(c net.Conn) {
		mysqltest.Server{Raw: func(string) string {
			_, _ = io.WriteString(c, mysqltest.Packets([]string{"\x01", mysqltest.Column("a"), mysqltest.End}))
			rows := strings.Repeat(mysqltest.Packet(4, "\x00"), 10_000)
			for {
				if _, err := io.WriteString(c, rows); err != nil {
					return rows
				}
			}
		}}.Serve(c)
	})
	_, _, err := ask(t, target, 20*time.Second)
	if kind, _ := Classify(err); kind != NotMySQL && kind != Gone {
		t.Errorf("kind %v, %v", kind, err)
	}
}

// TestDrip: a server that sends a byte now and then meets the deadline, at every
// stage.
func TestDrip(t *testing.T) {
	answer := mysqltest.Packets(mysqltest.Result([]string{"a"}, []string{strings.Repeat("x", 10_000)}))
	drip := func(c net.Conn, s string) {
		for i := range len(s) {
			if _, err := io.WriteString(c, s[i:i+1]); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	const limit = 200 * time.Millisecond
	slow := listen(t, func(c net.Conn) { drip(c, mysqltest.Greeting(methodNative, 0)+strings.Repeat("x", 1000)) })
	if kind, _, text, _ := connect(t, slow, limit); kind != Timeout && kind != NotMySQL {
		t.Errorf("its greeting: kind %v, %s", kind, text)
	}
	login := listen(t, func(c net.Conn) {
		fmt.Fprint(c, mysqltest.Greeting(methodNative, 0))
		drip(c, mysqltest.Packet(2, mysqltest.Error(1, strings.Repeat("x", 1000))))
	})
	if kind, _, text, _ := connect(t, login, limit); kind != Timeout {
		t.Errorf("its login: kind %v, %s", kind, text)
	}
	handshake := listen(t, func(c net.Conn) {
		fmt.Fprint(c, mysqltest.Greeting(methodNative, mysqltest.TLS))
		_, _ = c.Read(make([]byte, 100))
		drip(c, strings.Repeat("\x16\x03\x03\x10\x00", 100))
	})
	handshake.TLS = TLSUnverified
	if kind, _, text, _ := connect(t, handshake, limit); kind != Timeout && kind != NoTLS {
		t.Errorf("its TLS: kind %v, %s", kind, text)
	}
	asked := listen(t, func(c net.Conn) {
		mysqltest.Server{Raw: func(string) string { drip(c, answer); return answer }}.Serve(c)
	})
	began := time.Now()
	_, _, err := ask(t, asked, limit)
	if kind, _ := Classify(err); kind != Timeout || time.Since(began) > limit+500*time.Millisecond {
		t.Errorf("its answer: kind %v after %v, %v", kind, time.Since(began), err)
	}
}

// TestLongErrorText: no more of it than is read on.
func TestLongErrorText(t *testing.T) {
	target := serve(t, mysqltest.Server{Answer: func(string) []string { return []string{mysqltest.Error(1064, strings.Repeat("x", 5000))} }})
	c, _, err := ask(t, target, 5*time.Second)
	if kind, code := Classify(err); kind != Unknown || code != 1064 || len(Text(err)) > maxErrorText {
		t.Errorf("kind %v, code %d, %d bytes", kind, code, len(Text(err)))
	}
	if err := c.Ping(context.Background()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// FuzzServer lets a server say anything, in every stage, over and over.
func FuzzServer(f *testing.F) {
	f.Add([]byte(mysqltest.Greeting(methodCachingSHA2, 0)), []byte(mysqltest.Packet(2, "\x01\x03")+mysqltest.Packet(3, mysqltest.OK)), []byte(mysqltest.Packets(mysqltest.Result([]string{"a", "b"}, []string{"1", mysqltest.Null}))))
	f.Add([]byte(mysqltest.Greeting(methodNative, mysqltest.TLS)), []byte(mysqltest.Packet(2, mysqltest.Switch(methodSHA256))+mysqltest.Packet(4, mysqltest.OK)), []byte(mysqltest.Packet(1, mysqltest.Error(1146, "no such table"))))
	f.Add([]byte(mysqltest.Packet(0, "\xff\x10\x04Too many connections")), []byte(nil), []byte(nil))
	f.Fuzz(func(t *testing.T, greeting, login, answer []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		client := &mysqltest.Script{Says: [][]byte{greeting, login, answer, answer}}
		c, err := Target{Network: "tcp", Name: "db", User: "u", Password: "hunter2", TLS: TLSOff}.LogIn(ctx, client)
		if err != nil {
			if strings.Contains(Text(err), "hunter2") {
				t.Errorf("the password shows: %s", Text(err))
			}
			Classify(err)
			return
		}
		defer c.Abort()
		for range 2 {
			r, err := c.Query(ctx, "SELECT 1")
			if err != nil {
				if len(Text(err)) > 2*maxErrorText {
					t.Errorf("an error of %d bytes", len(Text(err)))
				}
				continue
			}
			for i := range r.Len() {
				for j, column := range r.Columns {
					r.Row(i).At(j)
					r.Row(i).Int(column)
				}
			}
		}
	})
}
