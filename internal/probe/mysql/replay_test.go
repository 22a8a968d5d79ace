package mysql

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"rtrail/internal/golden"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql/fixture"
	"rtrail/internal/recording"
)

var record = flag.String("record-looks", "", "record the answers of the server RTRAIL_TEST_MYSQL to this file of testdata/looks")

// tape is what a server answered to each statement, in order; the last answer
// goes on.
type tape struct {
	mu      sync.Mutex
	answers map[string][]tapeAnswer
	asked   []string
	order   []string
}

type tapeAnswer struct {
	answer fixture.Answer
	err    *driver.MySQLError
}

func (t *tape) Ping(context.Context) error { return nil }
func (t *tape) Close()                     {}
func (t *tape) Abort()                     {}
func (t *tape) Peer(string) int32          { return 4711 }
func (t *tape) Unacknowledged() int        { return 0 }

func (t *tape) Query(_ context.Context, statement string) (*mysqlconn.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = append(t.asked, statement)
	list := t.answers[canonical(statement)]
	if len(list) == 0 {
		return nil, &driver.MySQLError{Number: 1064, Message: "no recorded answer to " + statement}
	}
	a := list[0]
	if len(list) > 1 {
		t.answers[canonical(statement)] = list[1:]
	}
	if a.err != nil {
		return nil, a.err
	}
	r := mysqlconn.NewResult(a.answer.Columns)
	for _, row := range a.answer.Rows {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = v.Text
		}
		r.Add(texts, func(i int) bool { return row[i].Null })
	}
	return r, nil
}

// canonical is a statement without what differs from run to run.
func canonical(statement string) string {
	s := strings.Join(strings.Fields(statement), " ")
	s = intervals.ReplaceAllString(s, "INTERVAL n SECOND")
	return lists.ReplaceAllString(s, "$1 IN (...)")
}

var (
	intervals = regexp.MustCompile(`INTERVAL \d+ SECOND`)
	lists     = regexp.MustCompile(`(DIGEST|PROCESSLIST_ID|OBJECT_INSTANCE_BEGIN) IN \([^)]*\)`)
)

// taper writes down what a real server answers.
type taper struct {
	link
	tape *tape
}

func (r *taper) Query(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	result, err := r.link.Query(ctx, statement)
	a := tapeAnswer{answer: fixture.Answer{Query: canonical(statement)}}
	if refused, ok := errors.AsType[*driver.MySQLError](err); ok {
		a.err = refused
	} else if err == nil {
		a.answer.Columns = result.Columns
		for i := range result.Len() {
			var row []fixture.Value
			for _, c := range result.Columns {
				row = append(row, fixture.Value{Text: result.Row(i).Text(c), Null: result.Row(i).Null(c)})
			}
			a.answer.Rows = append(a.answer.Rows, row)
		}
	}
	key := canonical(statement)
	if r.tape.answers[key] == nil {
		r.tape.order = append(r.tape.order, key)
	}
	r.tape.answers[key] = append(r.tape.answers[key], a)
	return result, err
}

const (
	between = "\n----\n"
	refused = "ERROR "
)

func (t *tape) write(path string) error {
	var b bytes.Buffer
	for _, key := range t.order {
		for _, a := range t.answers[key] {
			if a.err != nil {
				fmt.Fprintf(&b, "# %s\n%s%d %s", key, refused, a.err.Number, a.err.Message)
			} else {
				b.Write(bytes.TrimSuffix(a.answer.Format(), []byte("\n")))
			}
			b.WriteString(between)
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func readTape(t testing.TB, path string) *tape {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := &tape{answers: map[string][]tapeAnswer{}}
	for i, part := range strings.Split(strings.TrimSuffix(string(b), between), between) {
		var a tapeAnswer
		head, text, _ := strings.Cut(part, "\n")
		if code, message, ok := strings.Cut(strings.TrimPrefix(text, refused), " "); ok && strings.HasPrefix(text, refused) {
			n, err := strconv.ParseUint(code, 10, 16)
			if err != nil {
				t.Fatalf("%s, answer %d: %v", path, i, err)
			}
			a = tapeAnswer{answer: fixture.Answer{Query: strings.TrimPrefix(head, "# ")}, err: &driver.MySQLError{Number: uint16(n), Message: message}}
		} else if text == "" {
			a.answer.Query = strings.TrimPrefix(head, "# ") // SET answers nothing
		} else if a.answer, err = fixture.Parse(part); err != nil {
			t.Fatalf("%s, answer %d: %v", path, i, err)
		}
		key := canonical(a.answer.Query)
		out.answers[key] = append(out.answers[key], a)
	}
	return out
}

// TestRecordLooks records two looks, two seconds apart, at a real server.
func TestRecordLooks(t *testing.T) {
	name := os.Getenv("RTRAIL_TEST_MYSQL")
	if *record == "" || name == "" {
		t.Skip("to record again: RTRAIL_TEST_MYSQL=USER@HOST:PORT go test -run TestRecordLooks -record-looks FILE")
	}
	target, err := mysqlconn.Parse(name, mysqlconn.ReadOptionFiles("/", os.Getenv), mysqlconn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := &tape{answers: map[string][]tapeAnswer{}}
	s := newServer(target, lookOptions(*record), func(ctx context.Context, t mysqlconn.Target, p *mysqlconn.Progress) (link, error) {
		l, err := dial(ctx, t, p)
		if err != nil {
			return nil, err
		}
		return &taper{l, out}, nil
	})
	s.look(t.Context(), true)
	time.Sleep(2 * time.Second)
	s.look(t.Context(), true)
	s.link.Close()
	if err := out.write(filepath.Join("testdata/looks", *record)); err != nil {
		t.Fatal(err)
	}
}

// lookOptions is how the looks of a file were taken: those named so with plans.
func lookOptions(file string) Options {
	return Options{Deep: true, Explain: strings.HasSuffix(file, "-plans.txt")}
}

// play takes two looks at a recorded server, two seconds apart.
func play(t *testing.T, tp *tape, o Options) *recording.Recording {
	t.Helper()
	o.Proc = processOf(t, 4711)
	s := newServer(mysqlconn.Target{Network: "tcp", Address: "db:3306", Name: "db:3306", User: "lab"}, o,
		func(context.Context, mysqlconn.Target, *mysqlconn.Progress) (link, error) { return tp, nil })
	s.located = true
	rec := recording.New(recording.Manifest{})
	for range 2 {
		s.look(t.Context(), true)
		w := recording.NewWriter(time.Now())
		s.hand(w)
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return rec
}

// processOf is a /proc with a process of this user in a root of its own.
func processOf(t testing.TB, pid int) string {
	t.Helper()
	proc := t.TempDir()
	dir := filepath.Join(proc, strconv.Itoa(pid))
	if err := os.MkdirAll(filepath.Join(dir, "root"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "status"), fmt.Appendf(nil, "Uid:\t%d\t%[1]d\t%[1]d\t%[1]d\n", os.Geteuid()), 0o644); err != nil {
		t.Fatal(err)
	}
	return proc
}

// dump is the rows of a recording as text, without what differs from run to run.
func dump(rec *recording.Recording) string {
	var b strings.Builder
	lines(&b, rec, func(r *recording.MySQLServer) { r.At, r.Connect, r.Answer, r.QueryTime = time.Time{}, 0, 0, 0 })
	lines(&b, rec, func(r *recording.MySQLSession) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLState) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLClient) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLTransaction) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLLockWait) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLStatement) { r.At = time.Time{}; r.First = r.First.UTC() })
	lines(&b, rec, func(r *recording.MySQLPlan) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLCondition) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLInnoDB) { r.At = time.Time{}; r.Deadlock = r.Deadlock.UTC() })
	lines(&b, rec, func(r *recording.MySQLPoolGroup) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLPoolWait) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLReplica) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLError) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.MySQLTable) { r.At = time.Time{} })
	lines(&b, rec, func(r *recording.UnseenNote) { r.At = time.Time{} })
	fmt.Fprintf(&b, "%d numbers of the status, %d settings\n", rec.Count(recording.MySQLStatuses), rec.Count(recording.MySQLVariables))
	return b.String()
}

func lines[T recording.Row](b *strings.Builder, rec *recording.Recording, clean func(*T)) {
	for _, r := range recording.Rows[T](rec) {
		clean(&r)
		text := strings.TrimPrefix(fmt.Sprintf("%T%+v", r, r), "recording.")
		fmt.Fprintln(b, strings.ReplaceAll(text, "At:0001-01-01 00:00:00 +0000 UTC Server:db:3306 ", ""))
	}
}

// TestLooks replays the looks at every server that was recorded.
func TestLooks(t *testing.T) {
	files, err := filepath.Glob("testdata/looks/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d recorded looks, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			got := dump(play(t, readTape(t, file), lookOptions(file)))
			golden.Text(t, strings.TrimSuffix(file, ".txt")+".golden", got)
			if strings.Contains(got, "secret") {
				t.Error("a literal shows")
			}
		})
	}
}

// TestLiteralsOnWish keeps literals only if the user wants them.
func TestLiteralsOnWish(t *testing.T) {
	tp := readTape(t, "testdata/looks/mariadb-10.11-locks.txt")
	rec := play(t, tp, Options{Literals: true})
	if !slices.ContainsFunc(recording.Rows[recording.MySQLSession](rec), func(s recording.MySQLSession) bool { return strings.Contains(s.Statement, "'secret'") }) {
		t.Error("no session shows its literals")
	}
	if slices.ContainsFunc(tp.asked, func(s string) bool {
		return strings.Contains(s, "INNODB_TABLES") || strings.Contains(s, "SCHEMA.TABLES")
	}) {
		t.Error("sizes of tables are asked without --deep")
	}
}

func (t *tape) QueryText(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return t.Query(ctx, statement)
}

func (r *taper) QueryText(ctx context.Context, statement string) (*mysqlconn.Result, error) {
	return r.Query(ctx, statement)
}
