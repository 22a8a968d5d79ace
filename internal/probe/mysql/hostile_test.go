package mysql

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlconn/mysqltest"
	"rtrail/internal/recording"
)

// spoken is a link to a server whose packets a function makes.
func spoken(ctx context.Context, t mysqlconn.Target, answer func(heard []byte) []byte) (link, error) {
	s := &mysqltest.Script{Says: [][]byte{[]byte(mysqltest.Greeting("mysql_native_password", 0)), []byte(mysqltest.Packet(2, mysqltest.OK))}, Answer: answer}
	c, err := t.LogIn(ctx, s)
	if err != nil {
		return nil, err
	}
	return local{c}, nil
}

// local is a link to a server of this host.
type local struct{ *mysqlconn.Conn }

func (local) Peer(string) int32 { return 4711 }

// packets are what a recorded server sends in answer to a packet.
func (t *tape) packets(heard []byte) []byte {
	if len(heard) < 6 {
		return []byte(mysqltest.Packet(1, mysqltest.OK)) // a ping
	}
	statement := string(heard[5:])
	list := t.answers[canonical(statement)]
	if len(list) == 0 {
		return []byte(mysqltest.Packet(1, mysqltest.Error(1064, "no recorded answer")))
	}
	if len(list) > 1 {
		t.answers[canonical(statement)] = list[1:]
	}
	return []byte(mysqltest.Packets(payloads(list[0])))
}

func payloads(a tapeAnswer) []string {
	if a.err != nil {
		return []string{mysqltest.Error(a.err.Number, a.err.Message)}
	}
	if len(a.answer.Columns) == 0 {
		return []string{mysqltest.OK}
	}
	var rows [][]string
	for _, r := range a.answer.Rows {
		row := make([]string, len(r))
		for i, v := range r {
			if row[i] = v.Text; v.Null {
				row[i] = mysqltest.Null
			}
		}
		rows = append(rows, row)
	}
	return mysqltest.Result(a.answer.Columns, rows...)
}

// speak takes looks at a server that is asked over a connection.
func speak(t testing.TB, looks int, o Options, answer func(heard []byte) []byte) (*server, *recording.Recording) {
	t.Helper()
	o.Proc = processOf(t, 4711)
	s := newServer(mysqlconn.Target{Network: "tcp", Address: "db:3306", Name: "db:3306", User: "lab"}, o,
		func(ctx context.Context, target mysqlconn.Target, _ *mysqlconn.Progress) (link, error) {
			return spoken(ctx, target, answer)
		})
	s.located = true
	rec := recording.New(recording.Manifest{})
	for range looks {
		s.notBefore = time.Time{}
		s.safely(func() { s.look(t.Context(), true) })
		w := recording.NewWriter(time.Now())
		s.hand(w)
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return s, rec
}

// TestOverTheWire replays the looks at every recorded server as packets: what lies
// between must change nothing.
func TestOverTheWire(t *testing.T) {
	files, err := filepath.Glob("testdata/looks/*.txt")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d recorded looks, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			tp := readTape(t, file)
			_, rec := speak(t, 2, lookOptions(file), tp.packets)
			want, err := os.ReadFile(strings.TrimSuffix(file, ".txt") + ".golden")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(dump(rec), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// FuzzLooks has recorded servers say something else at some places: in each group
// of six bytes of what is fuzzed stand the answer, the place in it and what is put
// there.
func FuzzLooks(f *testing.F) {
	files, err := filepath.Glob("testdata/looks/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d recorded looks, %v", len(files), err)
	}
	tapes := make([]*tape, len(files))
	for i, file := range files {
		tapes[i] = readTape(f, file)
		f.Add(uint8(i), []byte("\x05\x00\x00\x20\xff\x01"), "")
		f.Add(uint8(i), []byte("\x08\x00\x10\x00\x01\x80\x0a\x00\x01\x00\x02\x00"), "18446744073709551615")
	}
	f.Fuzz(func(t *testing.T, which uint8, changes []byte, put string) {
		i := int(which) % len(files)
		tp := &tape{answers: maps.Clone(tapes[i].answers)}
		said := 0
		_, rec := speak(t, 2, lookOptions(files[i]), func(heard []byte) []byte {
			b := tp.packets(heard)
			for c := changes; len(c) >= 6; c = c[6:] {
				if int(c[0])%64 == said%64 {
					b = change(b, c[1:6], put)
				}
			}
			said++
			return b
		})
		for _, table := range rec.Tables() {
			if n := rec.Count(table); n > 50_000 {
				t.Errorf("%d rows of %v", n, table)
			}
		}
	})
}

// change puts something into an answer: another byte, a text with its length, less
// or the same again.
func change(b, how []byte, put string) []byte {
	at := int(binary.LittleEndian.Uint16(how)) | int(how[2])<<16
	at %= len(b)
	switch how[3] % 4 {
	case 0:
		b[at] = how[4]
	case 1:
		return b[:at]
	case 2:
		return append(b, b[at:]...)
	default:
		// The next row gets another text in front.
		for p := 0; p+4 <= len(b); {
			n := int(b[p]) | int(b[p+1])<<8 | int(b[p+2])<<16
			if p+4+n > len(b) {
				break
			}
			if p >= at {
				row := mysqltest.Packet(b[p+3], mysqltest.Text(put)+string(b[p+4:p+4+n]))
				return append(append(b[:p:p], row...), b[p+4+n:]...)
			}
			p += 4 + n
		}
		copy(b[at:], put)
	}
	return b
}

// TestServerThatSaysMuch answers everything with as many and as long rows as it
// can: neither the evidence of one look nor what is remembered grows without end.
func TestServerThatSaysMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	const rows, looks = 2500, 10
	asked := 0
	long := strings.Repeat("x", 100)
	answer := func(heard []byte) []byte {
		if len(heard) < 6 {
			return []byte(mysqltest.Packet(1, mysqltest.OK))
		}
		asked++
		q := string(heard[5:])
		switch {
		case strings.HasPrefix(q, "SET "), strings.HasPrefix(q, "UPDATE "):
			return []byte(mysqltest.Packet(1, mysqltest.OK))
		case strings.Contains(q, "VERSION()"):
			return []byte(mysqltest.Packets(mysqltest.Result([]string{"version", "comment", "id", "account", "pfs", "port", "zone"}, []string{"8.0.43", "", "1", "u@h", "1", "3306", "0"})))
		}
		// Whatever is asked for is in every column.
		columns := aliases(q)
		var b strings.Builder
		b.WriteString(mysqltest.Packets(append([]string{string([]byte{byte(len(columns))})}, definitions(columns)...)))
		for i := range rows {
			row := make([]string, len(columns))
			for j, c := range columns {
				switch c {
				case "id", "session", "waiting", "blocking", "n", "took", "code", "raised", "ms", "age", "address", "statement", "thread", "noindex", "examined":
					row[j] = fmt.Sprint(asked*100_000 + i)
				default:
					row[j] = fmt.Sprintf("%s%d.%d", long, asked, i)
				}
			}
			if columns[0] == "Variable_name" {
				row[0], row[1] = fmt.Sprintf("Com_%d_%d", asked, i), fmt.Sprint(i)
			}
			b.WriteString(mysqltest.Packet(byte(len(columns)+3+i), mysqltest.Row(row...)))
		}
		b.WriteString(mysqltest.Packet(byte(len(columns)+3+rows), mysqltest.End))
		return []byte(b.String())
	}
	size := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := size()
	s, rec := speak(t, looks, Options{Deep: true, Explain: true}, answer)
	used := size() - before
	for _, table := range rec.Tables() {
		if n := rec.Count(table); n > looks*2*maxErrorCodes {
			t.Errorf("%v: %d rows", table, n)
		}
	}
	if rec.Count(recording.MySQLSessions) == 0 || rec.Count(recording.MySQLStatuses) == 0 || s.state.State == "" {
		t.Errorf("what it says is not read: %s %s", s.state.State, s.state.Error)
	}
	if len(s.seen.commands) > maxCounters || len(s.seen.variables) > maxSettings || len(s.seen.errors) > maxErrorCodes {
		t.Errorf("%d commands, %d settings, %d errors are remembered", len(s.seen.commands), len(s.seen.variables), len(s.seen.errors))
	}
	t.Logf("%d statements, %d KiB", asked, used>>10)
	if used > looks*6<<20 {
		t.Errorf("%d looks take %d MiB", looks, used>>20)
	}
	runtime.KeepAlive(rec)
	runtime.KeepAlive(s)
}

// aliases are the names of the columns that a statement asks for.
func aliases(q string) (list []string) {
	if strings.HasPrefix(q, "SHOW ENGINE") {
		return []string{"Type", "Name", "Status"}
	}
	if strings.HasPrefix(q, "SHOW ") {
		return []string{"Variable_name", "Value"}
	}
	fields := strings.Fields(q)
	for i, f := range fields {
		if f == "FROM" {
			break
		}
		if f == "AS" && i+1 < len(fields) {
			list = append(list, strings.TrimSuffix(fields[i+1], ","))
		}
	}
	if len(list) == 0 {
		return []string{"a"}
	}
	return list
}

func definitions(columns []string) (list []string) {
	for _, c := range columns {
		list = append(list, mysqltest.Column(c))
	}
	return append(list, mysqltest.End)
}
