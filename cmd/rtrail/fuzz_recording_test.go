package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// recordingViews are what reads recordings.
var recordingViews = [][]string{
	{"diagnose"}, {"diagnose", "--json"}, {"diagnose", "--markdown"}, {"diagnose", "-v"}, {"replay"}, {"replay", "--json"}, {"pack", "-o", "OUT"},
	{"timeline"}, {"timeline", "--json", "--step", "10s"}, {"timeline", "--markdown"}, {"diff", "--for", "6s", "OTHER"}, {"diff", "--for", "6s", "--json", "OTHER"},
}

// A recording is mutated where its checksums do not protect it.
const (
	fuzzManifest = iota // the data is the manifest
	fuzzTable           // a table of a sealed segment, whose checksum is right
	fuzzJournal         // the samples of a journal, whose blocks are whole
	fuzzPack            // an .rtr file
	fuzzNumbers         // changes of numbers in rows that are written as record does
	fuzzForms
)

const (
	fuzzedSegment = "segments/000001-0-20260131T120000.000000000Z"
	// fuzzedTime bounds one run. An input has some kilobytes.
	fuzzedTime = 20 * time.Second
)

// FuzzRecording feeds the whole program recordings whose checksums are right, so
// that what they hold reaches every reader, rule and printer.
func FuzzRecording(f *testing.F) {
	seed := seedRecording(f)
	tables := recording.AllTables()
	for view := range recordingViews {
		f.Add(byte(view), byte(fuzzManifest), uint16(0), seed.manifest)
		f.Add(byte(view), byte(fuzzJournal), uint16(0), seed.samples)
	}
	for i, table := range tables {
		if i%2 == 0 { // each run of the tests tries all seeds
			f.Add(byte(i/2), byte(fuzzTable), uint16(i), seed.tables[table])
		} else {
			f.Add(byte(i/2), byte(fuzzNumbers), uint16(i), []byte{byte(i % 8), 0, byte(i), byte(3 + i%5), 15, byte(i / 2), 64 | byte(i%4), 2, byte(i / 3)})
		}
	}
	f.Add(byte(0), byte(fuzzPack), uint16(0), packed(f, seed.manifest, seed.tables[recording.System]))
	host := everythingHost()
	other := filepath.Join(f.TempDir(), "other") // with which recordings are compared
	if !writeChanged(f, other, host, 0, nil) {
		f.Fatal("the other recording is not written")
	}
	f.Fuzz(func(t *testing.T, view, form byte, at uint16, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "rec")
		switch form % fuzzForms {
		case fuzzManifest:
			lay(t, path, map[string][]byte{"manifest.json": data, "journal": journal(t, seed.samples)})
		case fuzzTable:
			table := string(tables[int(at)%len(tables)]) + ".parquet"
			sums, _ := json.Marshal(map[string]any{table: map[string]any{"bytes": len(data), "crc32c": crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))}})
			lay(t, path, map[string][]byte{"manifest.json": seed.manifest, fuzzedSegment + "/" + table: data, fuzzedSegment + "/checksums.json": sums})
		case fuzzJournal:
			lay(t, path, map[string][]byte{"manifest.json": seed.manifest, "journal": journal(t, data)})
		case fuzzPack:
			path += ".rtr"
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		case fuzzNumbers:
			if !writeChanged(t, path, host, int(at), data) {
				return
			}
		}
		began := time.Now()
		args := slices.Clone(recordingViews[int(view)%len(recordingViews)])
		if i := slices.Index(args, "OTHER"); i >= 0 {
			args[i] = other
		}
		runFuzzed(t, dir, append(args, path))
		if took := time.Since(began); took > fuzzedTime {
			t.Errorf("%v took %v", args, took)
		}
	})
}

// everythingHost has rows of all tables.
func everythingHost() *ruletest.Host {
	h := busyHost()
	for _, add := range rowsOfAllTables {
		add(h)
	}
	return h
}

// seeds are the parts of a recording.
type seeds struct {
	manifest []byte
	samples  []byte // of its journal: lengths and CBOR items
	tables   map[recording.Table][]byte
}

func seedRecording(f *testing.F) (s seeds) {
	f.Helper()
	for _, h := range []*ruletest.Host{everythingHost(), busyHost()} {
		dir := filepath.Join(f.TempDir(), "rec")
		d := begun(f, dir, h)
		w, err := h.Rec.Rewrite(nil, nil)
		if err := errors.Join(err, d.Commit(w)); err != nil {
			f.Fatal(err)
		}
		whole, err := os.ReadFile(filepath.Join(dir, "journal"))
		if err != nil {
			f.Fatal(err)
		}
		s.samples = unblocked(f, whole)
		if err := d.Close(); err != nil {
			f.Fatal(err)
		}
		if s.manifest, err = os.ReadFile(filepath.Join(dir, "manifest.json")); err != nil {
			f.Fatal(err)
		}
		if s.tables != nil {
			continue
		}
		s.tables = map[recording.Table][]byte{}
		files, _ := filepath.Glob(filepath.Join(dir, "segments", "*", "*.parquet"))
		for _, name := range files {
			table := strings.TrimSuffix(filepath.Base(name), ".parquet")
			if s.tables[recording.Table(table)], err = os.ReadFile(name); err != nil {
				f.Fatal(err)
			}
		}
	}
	if n := len(recording.AllTables()); len(s.tables) != n {
		f.Fatalf("seeds of %d tables, there are %d", len(s.tables), n)
	}
	return s
}

func begun(t testing.TB, dir string, h *ruletest.Host) *recording.Directory {
	t.Helper()
	d, err := recording.Create(dir, h.Rec.Manifest(), recording.Options{Now: func() time.Time { return h.Rec.Manifest().Ended }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// writeChanged records a host some of whose numbers are others: each change is
// three bytes, for the column, the row and the value.
func writeChanged(t testing.TB, dir string, h *ruletest.Host, table int, changes []byte) bool {
	t.Helper()
	tables := recording.AllTables()
	type place struct {
		table  recording.Table
		column int
		row    int
	}
	want := map[place]int64{}
	for len(changes) >= 3 {
		p := place{tables[(table+int(changes[0]>>6))%len(tables)], int(changes[0] & 63), int(changes[1] & 15)}
		want[p] = fuzzedNumbers[int(changes[2])%len(fuzzedNumbers)]
		changes = changes[3:]
	}
	columns := map[recording.Table][]string{}
	w, err := h.Rec.Rewrite(nil, func(table recording.Table, column string, row int, bits int64) int64 {
		at := slices.Index(columns[table], column)
		if at < 0 {
			at = len(columns[table])
			columns[table] = append(columns[table], column)
		}
		for _, r := range []int{row, 15} { // 15 stands for all of them
			if v, ok := want[place{table, at, r}]; ok {
				return v
			}
		}
		return bits
	})
	if err != nil {
		return false // the number does not fit into the column
	}
	d := begun(t, dir, h)
	t.Cleanup(func() { _ = d.Close() }) // the directory may be gone
	if err := d.Commit(w); err != nil {
		t.Fatal(err)
	}
	return true
}

// fuzzedNumbers are where sums, rates and conversions go wrong.
var fuzzedNumbers = []int64{0, 1, -1, 2, 7, 100, 1000, 1 << 20, math.MaxInt32, math.MinInt32, math.MaxUint32, 1 << 53, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1,
	int64(time.Second), int64(time.Hour), ruletest.Start.UnixNano(), ruletest.Start.Add(time.Second).UnixNano(), time.Time{}.UnixNano(),
	int64(math.Float64bits(math.Inf(1))), int64(math.Float64bits(math.NaN())), int64(math.Float64bits(-1)), int64(math.Float64bits(1e300)), 1, int64(math.Float64bits(0.5))}

// lay writes files.
func lay(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

const fuzzedMagic = "rtrail journal 1\n"

// journal makes one whole block of samples.
func journal(t *testing.T, samples []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(samples); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	block := []byte(fuzzedMagic)
	block = binary.LittleEndian.AppendUint32(block, uint32(out.Len()))
	block = binary.LittleEndian.AppendUint32(block, crc32.Checksum(out.Bytes(), crc32.MakeTable(crc32.Castagnoli)))
	return append(block, out.Bytes()...)
}

// unblocked is the content of a journal.
func unblocked(f *testing.F, journal []byte) []byte {
	f.Helper()
	var packed []byte
	for rest := journal[len(fuzzedMagic):]; len(rest) > 8; {
		n := binary.LittleEndian.Uint32(rest)
		packed = append(packed, rest[8:8+n]...)
		rest = rest[8+n:]
	}
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	defer z.Close()
	plain, err := io.ReadAll(z)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // it has no end mark
		f.Fatal(err)
	}
	if len(plain) == 0 {
		f.Fatal("an empty journal is no seed")
	}
	return plain
}

func packed(f *testing.F, manifest, table []byte) []byte {
	f.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, data := range map[string][]byte{"manifest.json": manifest, fuzzedSegment + "/system.parquet": table} {
		to, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			f.Fatal(err)
		}
		if _, err := to.Write(data); err != nil {
			f.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	return out.Bytes()
}

// rowsOfAllTables add some rows of one table each.
var rowsOfAllTables = []func(*ruletest.Host){
	rowsOf[recording.CPUSample], rowsOf[recording.SystemSample], rowsOf[recording.PressureSample], rowsOf[recording.MemorySample], rowsOf[recording.VMStatSample],
	rowsOf[recording.SwapSample], rowsOf[recording.ZoneSample], rowsOf[recording.DiskSample], rowsOf[recording.BaselineValue], rowsOf[recording.MountSample],
	rowsOf[recording.NetDeviceSample], rowsOf[recording.QdiscSample], rowsOf[recording.ProtocolSample], rowsOf[recording.SoftIRQSample], rowsOf[recording.InterruptSample], rowsOf[recording.SoftnetSample],
	rowsOf[recording.ConntrackSample], rowsOf[recording.FirewallRule], rowsOf[recording.SysctlSample], rowsOf[recording.NameServer], rowsOf[recording.NetNSSample], rowsOf[recording.ProcessSample],
	rowsOf[recording.ThreadSample], rowsOf[recording.LimitSample], rowsOf[recording.CgroupSample], rowsOf[recording.TCPSample], rowsOf[recording.ListenerSample],
	rowsOf[recording.UDPSample], rowsOf[recording.SocketOwner], rowsOf[recording.OpenFile], rowsOf[recording.KernelLogLine], rowsOf[recording.ProcessEvent], rowsOf[recording.OffCPUWait],
	rowsOf[recording.LockWait], rowsOf[recording.OnCPUSample], rowsOf[recording.PacketDrop], rowsOf[recording.SyscallSum], rowsOf[recording.SyncSum], rowsOf[recording.Allocation],
	rowsOf[recording.FileSum], rowsOf[recording.FileOpen], rowsOf[recording.BlockSum], rowsOf[recording.CacheSum], rowsOf[recording.TCPEvent], rowsOf[recording.Connect], rowsOf[recording.ReceiveBuffer], rowsOf[recording.EventProgram], rowsOf[recording.PacketCapture], rowsOf[recording.PacketConnection],
	rowsOf[recording.PacketSide], rowsOf[recording.PacketService], rowsOf[recording.PacketHistogram], rowsOf[recording.PacketStatement], rowsOf[recording.PacketError],
	rowsOf[recording.PacketTransaction], rowsOf[recording.PacketNesting], rowsOf[recording.PacketPair], rowsOf[recording.PacketPairTransaction], rowsOf[recording.PacketPath],
	rowsOf[recording.PacketRate], rowsOf[recording.PacketDirection], rowsOf[recording.PacketResolver], rowsOf[recording.PacketStall], rowsOf[recording.PacketUnanswered],
	rowsOf[recording.MySQLServer], rowsOf[recording.MySQLStatus], rowsOf[recording.MySQLVariable], rowsOf[recording.MySQLSession], rowsOf[recording.MySQLClient],
	rowsOf[recording.MySQLState], rowsOf[recording.MySQLTransaction], rowsOf[recording.MySQLLockWait], rowsOf[recording.MySQLStatement], rowsOf[recording.MySQLInnoDB],
	rowsOf[recording.MySQLLatch], rowsOf[recording.MySQLPoolGroup], rowsOf[recording.MySQLPoolWait], rowsOf[recording.MySQLReplica], rowsOf[recording.MySQLError],
	rowsOf[recording.MySQLPlan], rowsOf[recording.MySQLCondition], rowsOf[recording.MySQLTable], rowsOf[recording.MySQLSlowQuery], rowsOf[recording.StackSample],
	rowsOf[recording.StackLock], rowsOf[recording.ProbeRun], rowsOf[recording.TableLoss], rowsOf[recording.UnseenNote],
}

// rowsOf adds two things of one table, whose numbers grow between two readings.
func rowsOf[T recording.Row](h *ruletest.Host) {
	words := []string{"db", "client", "10.0.0.1", "select ?", "mysql", "/", "tcp", "lo"}
	at := 0
	h.Readings(func(now time.Time, s float64) {
		if at++; at > 3 {
			return
		}
		for thing := range 2 {
			var row T
			v := reflect.ValueOf(&row).Elem()
			for i, field := range reflect.VisibleFields(v.Type()) {
				switch f := v.FieldByIndex(field.Index); {
				case field.Anonymous:
				case f.Type() == reflect.TypeFor[time.Time]():
					f.Set(reflect.ValueOf(now))
				case f.Kind() == reflect.String:
					f.SetString(words[(i+thing)%len(words)])
				case f.Kind() == reflect.Bool:
					f.SetBool((i+thing)%2 == 0)
				case f.CanInt():
					f.SetInt(int64(1 + thing + at*i%100))
				case f.CanUint():
					f.SetUint(uint64(1 + thing + at*i*7%100))
				case f.CanFloat():
					f.SetFloat(float64(i) * s)
				default:
					panic(fmt.Sprintf("%T.%s", row, field.Name))
				}
			}
			ruletest.Add(h, row)
		}
	})
}
