package mysqlconn

import (
	"context"
	"database/sql/driver"
	"strings"
	"testing"
	"time"

	"rtrail/internal/mysqlconn/mysqltest"
)

// preparedOK is the first packet of the answer to a prepare.
func preparedOK(columns, parameters byte) string {
	return "\x00\x07\x00\x00\x00" + string([]byte{columns, 0, parameters, 0}) + "\x00\x00\x00"
}

// TestPrepared: a statement is prepared, executed with parameters, and forgotten; the
// connection stays of use.
func TestPrepared(t *testing.T) {
	const statement = "SELECT a FROM t WHERE b IN (?,?)"
	target := serve(t, mysqltest.Server{
		Raw: func(text string) string {
			switch {
			case text == statement:
				return mysqltest.Packets([]string{preparedOK(1, 2), mysqltest.Column("?"), mysqltest.Column("?"), mysqltest.End, mysqltest.Column("a"), mysqltest.End})
			case strings.HasPrefix(text, "\x07\x00\x00\x00\x00"): // execute
				return mysqltest.Packets([]string{"\x01", mysqltest.Column("a"), mysqltest.End, "\x00\x00\x01x", "\x00\x00\x01y", mysqltest.End})
			}
			return mysqltest.Packets([]string{preparedOK(0, 0)})
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := target.Connect(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Abort)
	p, err := c.Prepare(ctx, statement)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		rows, err := p.Execute(ctx, []driver.NamedValue{{Ordinal: 1, Value: int64(1)}, {Ordinal: 2, Value: int64(2)}})
		if err != nil || rows != 2 {
			t.Fatalf("%d rows, %v", rows, err)
		}
	}
	if _, err := c.Prepare(ctx, "DO 1"); err != nil {
		t.Errorf("without parameters and columns: %v", err)
	}
	if err := c.Ping(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.Prepare(ctx, strings.Repeat(" ", MaxStatement+1)); err == nil {
		t.Error("a text that is too long was sent")
	}
}

// TestPreparedAnswersThatNoServerGives: each of them ends the connection and says why.
func TestPreparedAnswersThatNoServerGives(t *testing.T) {
	for name, x := range map[string]struct{ raw, says string }{
		"half an OK":        {mysqltest.Packet(1, "\x00\x07\x00\x00"), "makes no sense"},
		"rows":              {mysqltest.Packet(1, "\x01"), "makes no sense"},
		"half an error":     {mysqltest.Packet(1, "\xff\x10"), "error without a text"},
		"65,535 columns":    {mysqltest.Packet(1, "\x00\x07\x00\x00\x00\xff\xff\x01\x00\x00\x00\x00"), "65535 columns"},
		"fewer parameters":  {mysqltest.Packets([]string{preparedOK(1, 2), mysqltest.Column("?"), mysqltest.End}), "fewer columns"},
		"more parameters":   {mysqltest.Packets([]string{preparedOK(1, 1), mysqltest.Column("?"), mysqltest.Column("?")}), "more columns"},
		"no columns":        {mysqltest.Packets([]string{preparedOK(1, 1), mysqltest.Column("?"), mysqltest.End, mysqltest.End}), "fewer columns"},
		"a result after it": {mysqltest.Packets([]string{preparedOK(0, 1), mysqltest.Column("?"), "\xfe\x00\x00\x0a\x00"}), "more results than statements"},
	} {
		t.Run(name, func(t *testing.T) {
			target := serve(t, mysqltest.Server{Raw: func(string) string { return x.raw }})
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			c, err := target.Connect(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Abort)
			_, err = c.Prepare(ctx, "SELECT ?")
			if err == nil {
				t.Fatal("it was prepared")
			}
			if kind, _ := Classify(err); kind != NotMySQL || !strings.Contains(Text(err), x.says) {
				t.Errorf("kind %v, %s", kind, Text(err))
			}
		})
	}
}
