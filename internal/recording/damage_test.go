package recording

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// newFile makes an empty file.
func newFile(t testing.TB) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), journalFile))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// smallJournal writes samples of one table, and tells where each block ends.
func smallJournal(t *testing.T) (data []byte, ends []int64) {
	t.Helper()
	j, err := createJournal(newFile(t))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		w := NewWriter(time.Unix(int64(i), 0))
		Append(w, SoftIRQSample{At: time.Unix(int64(i), 0), Kind: fmt.Sprint("NET_RX", i), Count: uint64(i)})
		if err := j.append(w.tables); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, j.size)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(j.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return data, ends
}

func readBytes(data []byte) (*Recording, []string, error) {
	rec := New(Manifest{})
	notes, err := readJournal(context.Background(), bytes.NewReader(data), nil, &collector{rec: rec})
	return rec, notes, err
}

// A journal cut anywhere gives all samples before the cut, and says so.
func TestTornJournal(t *testing.T) {
	data, ends := smallJournal(t)
	for cut := range len(data) + 1 {
		whole, clean := 0, cut == len(journalMagic)
		for _, end := range ends {
			if int64(cut) >= end {
				whole++
			}
			clean = clean || int64(cut) == end
		}
		rec, notes, err := readBytes(data[:cut])
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if got := rec.Count(SoftIRQs); got != whole {
			t.Errorf("cut at %d: %d samples, want %d", cut, got, whole)
		}
		if clean == (len(notes) > 0) {
			t.Errorf("cut at %d: notes %q", cut, notes)
		}
	}
}

// A journal with one wrong byte gives the samples before it.
func TestDamagedJournal(t *testing.T) {
	data, ends := smallJournal(t)
	for at := len(journalMagic); at < len(data); at++ {
		wrong := bytes.Clone(data)
		wrong[at] ^= 0x55
		whole := 0
		for _, end := range ends {
			if int64(at) >= end {
				whole++
			}
		}
		rec, notes, err := readBytes(wrong)
		if err != nil || len(notes) == 0 || rec.Count(SoftIRQs) != whole {
			t.Errorf("byte %d: %d samples, want %d; notes %q, error %v", at, rec.Count(SoftIRQs), whole, notes, err)
		}
	}
}

// Tables and columns of a newer version are left out with a note; columns an
// older version did not write stay empty.
func TestOtherVersionsOfJournal(t *testing.T) {
	j, err := createJournal(newFile(t))
	if err != nil {
		t.Fatal(err)
	}
	one := func(w word) []byte { var r runWriter; r.put(w); return r.bytes() }
	if err := j.write(sample{Tables: map[string]tableBlock{
		"gpus": {Rows: 1, Previous: one(-1), Columns: map[string][]byte{"at": one(1)}},
		string(Softnet): {Rows: 1, Previous: one(-1), Columns: map[string][]byte{
			"at": one(7), "dropped": one(3), "flow_limit": one(9)}},
	}}); err != nil {
		t.Fatal(err)
	}
	// A newer version may put more into a block, too.
	item, err := cbor.Marshal(map[string]any{"t": map[string]any{}, "novelty": 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.stream.Write(append([]byte{byte(len(item)), 0, 0, 0}, item...)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.flush(), j.close()); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(j.file.Name())
	rec, notes, err := readBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []SoftnetSample{{At: time.Unix(0, 7).UTC(), Dropped: 3}}
	if diff := cmp.Diff(want, Rows[SoftnetSample](rec)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	wantNotes := []string{
		`column "flow_limit" of table softnet is unknown to this version and was left out`,
		`table "gpus" is unknown to this version and was left out`,
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	newer := append([]byte("rtrail journal 2\n"), data[len(journalMagic):]...)
	if _, _, err := readBytes(newer); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("newer form: %v", err)
	}
}

// olderSoftnet and newerSoftnet are the softnet table of other versions.
type olderSoftnet struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	Dropped uint64    `parquet:"dropped"`
}

type newerSoftnet struct {
	At        time.Time `parquet:"at,timestamp(nanosecond)"`
	FlowLimit string    `parquet:"flow_limit"`
	Dropped   uint64    `parquet:"dropped"`
	CPU       int32     `parquet:"cpu"`
}

type foreignSoftnet struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"`
	Dropped string    `parquet:"dropped"`
}

func (olderSoftnet) Table() Table   { return Softnet }
func (newerSoftnet) Table() Table   { return Softnet }
func (foreignSoftnet) Table() Table { return Softnet }

func parquetOf[T Row](t *testing.T, list ...T) []byte {
	t.Helper()
	return parquetWith(t, zstdPages, 1, func(i int) T { return list[i] }, len(list))
}

func TestOtherVersionsOfParquet(t *testing.T) {
	at := time.Unix(7, 0).UTC()
	for _, c := range []struct {
		name    string
		data    []byte
		want    []SoftnetSample
		ignored int
		fails   string
	}{
		{"older", parquetOf(t, olderSoftnet{at, 3}), []SoftnetSample{{At: at, Dropped: 3}}, 0, ""},
		{"newer", parquetOf(t, newerSoftnet{at, "new", 3, 5}), []SoftnetSample{{At: at, Dropped: 3, CPU: 5}}, 1, ""},
		{"another type", parquetOf(t, foreignSoftnet{at, "3"}), nil, 0, "dropped"},
		{"not Parquet", []byte("hello, this is no Parquet file"), nil, 0, "Parquet"},
		{"empty", nil, nil, 0, "Parquet"},
	} {
		var got table[SoftnetSample]
		ignored, err := kindByName(Softnet).readParquet(t.Context(), bytes.NewReader(c.data), int64(len(c.data)), readOptions{}, &got)
		if diff := cmp.Diff(c.want, got.list); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", c.name, diff)
		}
		if len(ignored) != c.ignored || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: ignored %q, error %v", c.name, ignored, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := filepath.Join(dir, "good")
	c := newClock()
	d := create(t, good, Options{Now: c.time})
	fill(t, d, c, rand.New(rand.NewPCG(5, 5)), 2)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(dir, "good.rtr")
	if err := Pack(t.Context(), good, packed); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(packed)
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	onlyDamaged := filepath.Dir(put("damaged/manifest.json", `{"format":1}`))
	put("damaged/segments/20260131T030000.000000000Z/cpus.parquet", "PAR1 and nothing else")
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "nowhere"), "no such file"},
		{put("text", "hello"), "not a recording"},
		{put("empty", ""), "not a recording"},
		{put("half.rtr", string(whole[:len(whole)/2])), "truncated"},
		{pipe, "not a recording"},
		{filepath.Dir(put("bare/readme", "")), "no manifest.json"},
		{filepath.Dir(put("broken/manifest.json", "{")), "manifest.json is damaged"},
		{filepath.Dir(put("foreign/manifest.json", `{"name":"an app"}`)), "not a recording"},
		{onlyDamaged, "cpus.parquet"},
	} {
		_, err := Open(t.Context(), c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: error %v, want %q and the path", c.path, err, c.want)
		}
	}
}

// What is readable of a recording with one bad file is read, with a note.
func TestOpenDamaged(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	d := create(t, dir, Options{Now: c.time})
	fill(t, d, c, rand.New(rand.NewPCG(6, 6)), 2, CPUs, Disks, Mounts)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, segmentsFolder, entries(t, dir)[0].String())
	cut := filepath.Join(folder, string(Disks)+parquetSuffix)
	data, _ := os.ReadFile(cut)
	flipped := filepath.Join(folder, string(Mounts)+parquetSuffix)
	wrong, _ := os.ReadFile(flipped)
	wrong[len(wrong)/2] ^= 1
	if err := errors.Join(os.WriteFile(cut, data[:len(data)/2], 0o600), os.WriteFile(flipped, wrong, 0o600),
		os.WriteFile(filepath.Join(folder, "gpus.parquet"), []byte("?"), 0o600),
		os.WriteFile(filepath.Join(dir, manifestFile), []byte(`{"format":7,"tool":"rtrail 9"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	rec := open(t, dir)
	if rec.Count(Disks) != 0 || rec.Count(CPUs) == 0 {
		t.Errorf("%d rows of the damaged table, %d of a good one", rec.Count(Disks), rec.Count(CPUs))
	}
	notes := strings.Join(rec.Manifest().Notes, "\n")
	for _, want := range []string{"disks.parquet", "mounts.parquet was left out: it is damaged", `table "gpus" is unknown`, "format 7"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes do not speak of %q:\n%s", want, notes)
		}
	}
}

const childEnv = "RECORDING_TEST_CHILD"

// TestMain lets the test binary be the recorder that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		recordUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func recordUntilKilled(dir string) {
	d, err := Create(dir, testHost, Options{SegmentLength: 50 * time.Millisecond})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := range 1 << 20 {
		w := NewWriter(time.Now())
		Append(w, SystemSample{At: time.Unix(int64(i), 0), Forks: uint64(i)})
		if err := d.Commit(w); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i)
		time.Sleep(time.Millisecond)
	}
}

// kill -9 while segments begin, are sealed and renamed loses no sample whose
// commit returned.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		out := bufio.NewReader(pipe)
		first, err := out.ReadString('\n') // it records
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(120+37*round) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		said := first + string(rest)
		err = cmd.Wait()
		if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !s.Signaled() {
			t.Fatalf("the recorder ended by itself: %v\n%s", err, said)
		}
		committed := strings.Count(said, "\n")
		rec := open(t, dir)
		got := rec.Count(System)
		if got < committed || committed == 0 {
			t.Errorf("round %d: %d samples read, %d were committed", round, got, committed)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// A table that a segment had and has not any more is told, with the time of which it lacks rows; that it had none is
// no damage.
func TestMissingTables(t *testing.T) {
	name := func(dir string, id segmentID, table Table) string {
		return filepath.Join(dir, segmentsFolder, id.String(), string(table)+parquetSuffix)
	}
	for what, c := range map[string]struct {
		running bool
		remove  map[Table][]int // from segments
		cut     int             // segment of which the listeners are cut; -1: none
		want    []Table         // in the order of the segments
		from    []int           // segment
		to      []int           // segment; -1: none
	}{
		"none":                 {cut: -1},
		"one":                  {remove: map[Table][]int{Listeners: {1}}, cut: -1, want: []Table{Listeners}, from: []int{1}, to: []int{2}},
		"two on end":           {remove: map[Table][]int{Listeners: {1, 2}}, cut: -1, want: []Table{Listeners}, from: []int{1}, to: []int{3}},
		"two apart":            {remove: map[Table][]int{Listeners: {0, 2}}, cut: -1, want: []Table{Listeners, Listeners}, from: []int{0, 2}, to: []int{1, 3}},
		"two tables":           {remove: map[Table][]int{Listeners: {1}, Conntrack: {2}}, cut: -1, want: []Table{Listeners, Conntrack}, from: []int{1, 2}, to: []int{2, 3}},
		"the last":             {remove: map[Table][]int{Listeners: {3}}, cut: -1, want: []Table{Listeners}, from: []int{3}, to: []int{-1}},
		"before a running one": {running: true, remove: map[Table][]int{Listeners: {2}}, cut: -1, want: []Table{Listeners}, from: []int{2}, to: []int{3}},
		"cut":                  {cut: 1, want: []Table{Listeners}, from: []int{1}, to: []int{2}},
	} {
		dir, clock := t.TempDir(), newClock()
		began := clock.now
		d := create(t, dir, Options{SegmentLength: 10 * time.Second, Now: clock.time})
		fill(t, d, clock, rand.New(rand.NewPCG(7, 7)), 35, System, Listeners, Conntrack)
		if c.running {
			for d.waiting() > 0 {
				time.Sleep(time.Millisecond)
			}
			kill(d)
		} else if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		segments := entries(t, dir)
		for table, list := range c.remove {
			for _, i := range list {
				if err := os.Remove(name(dir, segments[i], table)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if c.cut >= 0 {
			if err := os.Truncate(name(dir, segments[c.cut], Listeners), 20); err != nil {
				t.Fatal(err)
			}
		}
		starts := func(segment int) time.Time {
			if segment < len(segments) {
				return segments[segment].start
			}
			return began.Add(31 * time.Second) // the running one: each has one sample more than ten
		}
		var want []Unread
		for i, table := range c.want {
			u := Unread{Table: table, From: starts(c.from[i])}
			if c.to[i] >= 0 {
				u.To = starts(c.to[i])
			}
			want = append(want, u)
		}
		lacking, err := Lacking(dir)
		if err != nil || (len(lacking) > 0) != (len(want) > 0) {
			t.Errorf("%s: lacking %q, %v", what, lacking, err)
		}
		packed := filepath.Join(t.TempDir(), "packed.rtr")
		if err := Pack(t.Context(), dir, packed); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{dir, packed} {
			m := open(t, path).Manifest()
			for i, u := range m.Unread {
				if !slices.Contains(m.Notes, u.Why) || !strings.Contains(u.Why, string(u.Table)+parquetSuffix) {
					t.Errorf("%s: %q in no note of %q", what, u.Why, m.Notes)
				}
				m.Unread[i].Why = ""
			}
			if diff := cmp.Diff(want, m.Unread); diff != "" {
				t.Errorf("%s: not read (-want +got):\n%s", what, diff)
			}
			if len(want) == 0 && len(m.Notes) > 0 {
				t.Errorf("%s: notes %q", what, m.Notes)
			}
			some, err := OpenRange(t.Context(), path, time.Time{}, time.Time{}, System)
			if err != nil || len(some.Manifest().Unread) > 0 || len(some.Manifest().Notes) > 0 {
				t.Errorf("%s: tables nobody asked for are told of: %q, %v", what, some.Manifest().Notes, err)
			}
			all, err := Inspect(t.Context(), path)
			if err != nil || (len(all.Notes) > 0) != (len(want) > 0) {
				t.Errorf("%s: notes on what it holds %q, %v", what, all.Notes, err)
			}
		}
	}
}
