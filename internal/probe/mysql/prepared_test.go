package mysql

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/recording"
)

// preparing is a server with prepared statements, one line for each: address,
// statement, thread, text, executions.
type preparing struct {
	views
	lines   []string
	refused bool
	asked   int
}

func (p *preparing) Query(_ context.Context, statement string) (*mysqlconn.Result, error) {
	p.asked++
	if p.refused {
		return nil, &driver.MySQLError{Number: 1142, Message: "SELECT command denied"}
	}
	text := strings.Contains(statement, "AS text")
	columns := []string{"address", "statement", "thread", "digest", "n", "took", "examined", "noindex"}
	if text {
		columns = []string{"digest", "text"}
	}
	r := mysqlconn.NewResult(columns)
	for _, line := range p.lines {
		f := strings.SplitN(line, " ", 5) // the text goes last
		n := f[3]
		cells := []string{f[0], f[1], f[2], fmt.Sprintf("%.20x", f[4]), n, n + "000000000", n + "00", n}
		if text {
			cells = []string{fmt.Sprintf("%.20x", f[4]), f[4]}
		}
		r.Add(cells, func(int) bool { return false })
	}
	return r, nil
}

// TestPrepared sums the executions of prepared statements up by text, whatever
// becomes of the connections that prepared them.
func TestPrepared(t *testing.T) {
	const a, b = "SELECT a FROM t WHERE b = ? AND c = 'secret'", "UPDATE t SET a = ?"
	p := &preparing{}
	s := newServer(mysqlconn.Target{Name: "db:3306"}, Options{}, nil)
	s.link, s.about = p, identify("8.0.28", "")
	at := time.Unix(1000, 0)
	read := func(first bool, lines ...string) (list []string) {
		at = at.Add(10 * time.Second)
		p.lines = lines
		l := &look{server: s, ctx: t.Context(), at: at, w: recording.NewWriter(at), status: map[string]float64{"prepared_stmt_count": float64(len(lines))}}
		grew, err := l.prepared(first)
		if err != nil {
			t.Fatal(err)
		}
		var digests []string
		for _, g := range grew {
			digests = append(digests, g.now.Digest)
		}
		texts := map[string]string{}
		if err := l.preparedTexts(digests, texts); err != nil {
			t.Fatal(err)
		}
		for _, g := range grew {
			if !g.now.Prepared() || g.now.Took != time.Duration(g.now.Count)*time.Millisecond || g.now.Examined != 100*g.now.Count || g.now.NoIndex != g.now.Count || !g.now.At.Equal(at) {
				t.Errorf("%+v", g.now)
			}
			list = append(list, fmt.Sprintf("%s: %d to %d", texts[g.now.Digest], g.before.Count, g.now.Count))
		}
		return list
	}
	const bare = "SELECT a FROM t WHERE b = ? AND c = ?"
	for _, step := range []struct {
		what string
		got  []string
		want []string
	}{
		{what: "what was before counts for nothing", got: read(true, "1 1 7 100 "+a, "2 1 8 50 "+a)},
		{what: "both connections", got: read(false, "1 1 7 110 "+a, "2 1 8 53 "+a), want: []string{bare + ": 0 to 13"}},
		{what: "nothing was executed", got: read(false, "1 1 7 110 "+a, "2 1 8 53 "+a)},
		{what: "one has gone, one has come", got: read(false, "2 1 8 54 "+a, "3 1 9 5 "+a), want: []string{bare + ": 13 to 19"}},
		{what: "an address is used again", got: read(false, "2 1 8 54 "+a, "3 2 9 4 "+b), want: []string{b + ": 0 to 4"}},
		{what: "counters were reset", got: read(false, "2 1 8 2 "+a, "3 2 9 4 "+b), want: []string{bare + ": 19 to 21"}},
		{what: "none is left", got: read(false)},
		{what: "all are new", got: read(false, "5 1 11 3 "+b), want: []string{b + ": 4 to 7"}},
	} {
		if diff := cmp.Diff(step.want, step.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}

	l := &look{server: s, ctx: t.Context(), at: at, w: recording.NewWriter(at)}
	if got, err := l.prepared(false); got != nil || err != nil {
		t.Errorf("without counters: %v, %v", got, err)
	}
	if got := read(false, "5 1 11 80 "+b); got != nil {
		t.Errorf("without counters nobody knows since when: %q", got)
	}

	p.refused = true
	if got := read(false, "5 1 11 90 "+b); got != nil || len(s.notes.list) != 1 {
		t.Errorf("refused: %q, notes %v", got, s.notes.list)
	}
	p.refused = false
	if got := read(false, "5 1 11 95 "+b, "6 1 11 70 "+b); got != nil {
		t.Errorf("after a refusal nobody knows since when: %q", got)
	}
	if got := read(false, "5 1 11 96 "+b, "6 1 11 70 "+b); len(got) != 1 || got[0] != b+": 7 to 8" {
		t.Errorf("later: %q", got)
	}

	full := make([]string, maxInstances)
	for i := range full {
		full[i] = fmt.Sprintf("%d 1 20 10 %s", 100+i, b)
	}
	if got := read(false, full...); got != nil {
		t.Errorf("of a list that was cut nobody knows what is new: %q", got)
	}
}

// TestNotPrepared asks no server that counts none of them, has none, or counts
// these statements among the digests.
func TestNotPrepared(t *testing.T) {
	for _, test := range []struct {
		version string
		open    float64
		asked   int
	}{
		{"5.6.51", 3, 0}, {"5.7.44", 3, 1}, {"8.4.6", 3, 1}, {"8.4.6", 0, 0}, {"9.7.4", 3, 0}, {"10.4.30-MariaDB", 3, 0}, {"10.11.19-MariaDB", 3, 0},
	} {
		p := &preparing{}
		s := newServer(mysqlconn.Target{}, Options{}, nil)
		s.link, s.about = p, identify(test.version, "")
		l := &look{server: s, ctx: t.Context(), w: recording.NewWriter(time.Now()), status: map[string]float64{"prepared_stmt_count": test.open}}
		if _, err := l.prepared(true); err != nil || p.asked != test.asked {
			t.Errorf("%s with %.0f: asked %d times, %v", test.version, test.open, p.asked, err)
		}
	}
}

func (p *preparing) QueryText(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return p.Query(ctx, statement)
}
