package files

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// The process that reads is left out, so others use the files.
func run(t *testing.T, script string, args ...string) (pid int32) {
	t.Helper()
	cmd := exec.Command("python3", append([]string{"-c", script}, args...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return int32(cmd.Process.Pid)
}

func needPython(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
}

// rowsOf are the rows of a process by path.
func rowsOf(rec *recording.Recording, pid int32) map[string]recording.FileSum {
	rows := map[string]recording.FileSum{}
	for _, r := range recording.Rows[recording.FileSum](rec) {
		if r.PID == pid {
			rows[r.Path+"|"+r.Kind] = r
		}
	}
	return rows
}

// Each call is counted with its file: sizes, small writes, what is made and deleted.
func TestLive(t *testing.T) {
	needPython(t)
	// Of the whole host so many files have room for themselves.
	eventtest.Holds(t, func() []string { return live(t) })
}

func live(t *testing.T) (wrong []string) {
	bad := func(format string, values ...any) { wrong = append(wrong, fmt.Sprintf(format, values...)) }
	dir := t.TempDir()
	data, copied, gone := filepath.Join(dir, "data"), filepath.Join(dir, "copy"), filepath.Join(dir, "gone")
	var pid int32
	rec := eventtest.Watch(t, New(), func() {
		pid = run(t, `
import os, sys
data, copied, gone = sys.argv[1:]
d = os.open(data, os.O_CREAT | os.O_RDWR)
for i in range(20): os.write(d, b"x" * 65536)
for i in range(300): os.pwrite(d, b"y" * 100, 0)
os.writev(d, [b"z" * 5000, b"z" * 5000])
os.pread(d, 1000, 0)
c = os.open(copied, os.O_CREAT | os.O_WRONLY)
os.lseek(d, 0, 0)
os.sendfile(c, d, 0, 50000)
os.copy_file_range(d, c, 40000)
os.close(os.open(data, os.O_RDONLY))
g = os.open(gone, os.O_CREAT | os.O_WRONLY)
os.unlink(gone)
os.write(g, b"nobody reads this")
for i in range(7):
    try: os.open(gone, os.O_RDONLY)
    except OSError: pass
r, w = os.pipe()
os.write(w, b"not a file")
os.read(r, 10)
`, data, copied, gone)
	})
	rows := rowsOf(rec, pid)
	d := rows[data+"|file"]
	if d.Writes != 321 || d.WrittenBytes != 20*65536+300*100+10000 || d.SmallWrites != 300 || d.SmallBytes != 30000 ||
		d.Reads != 3 || d.ReadBytes != 91000 || d.Opens != 2 || d.Created != 1 || d.Device == "" || d.Process != "python3" || d.DirectRead+d.DirectWritten != 0 {
		bad("data: %+v", d)
	}
	if c := rows[copied+"|file"]; c.Writes != 2 || c.WrittenBytes != 90000 || c.Created != 1 {
		bad("copy: %+v", c)
	}
	if g := rows[gone+"|file"]; g.Writes != 1 || g.SmallBytes != 17 || g.Created != 1 || g.Deleted != 1 || g.WriteCall != "write" {
		bad("gone: %+v", g)
	}
	if n := rows["|none"]; n.FailedOpens < 7 || n.Deleted != 0 {
		bad("calls without a file: %+v", n)
	}
	for name, r := range rows {
		if r.Kind == recording.FileSpecial && r.Reads+r.Writes > 0 {
			bad("bytes of what is no file are counted: %s %+v", name, r)
		}
	}
	return wrong
}

// A file that gets the inode number of one that was deleted has its own path.
func TestInodeUsedAgain(t *testing.T) {
	needPython(t)
	dir := t.TempDir()
	var pid int32
	rec := eventtest.Watch(t, New(), func() {
		pid = run(t, `
import os, sys
for i in range(100):
    path = os.path.join(sys.argv[1], "made-%d" % i)
    f = os.open(path, os.O_CREAT | os.O_WRONLY)
    os.write(f, b"x" * (1 + i))
    os.close(f)
    os.unlink(path)
`, dir)
	})
	rows := rowsOf(rec, pid)
	for i := range 100 {
		path := filepath.Join(dir, fmt.Sprintf("made-%d", i))
		r, ok := rows[path+"|file"]
		if !ok { // its path was asked for after its end
			r, ok = rows[path+" (deleted)|file"]
		}
		if !ok || r.Writes != 1 || r.WrittenBytes != int64(1+i) {
			t.Fatalf("%s: %+v", path, r)
		}
	}
}

// Bytes past the page cache are counted apart.
func TestDirect(t *testing.T) {
	needPython(t)
	path := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Skipf("this filesystem knows no O_DIRECT: %v", err)
	}
	unix.Close(f)
	var pid int32
	rec := eventtest.Watch(t, New(), func() {
		pid = run(t, `
import os, sys, mmap
b = mmap.mmap(-1, 65536)
f = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
for i in range(48): os.preadv(f, [b], i % 16 * 65536)
os.pwritev(f, [b], 0)
os.pread(os.open(sys.argv[1], os.O_RDONLY), 12345, 0)
`, path)
	})
	if r := rowsOf(rec, pid)[path+"|file"]; r.DirectRead != 48*65536 || r.ReadBytes != 48*65536+12345 || r.DirectWritten != 65536 || r.Size != 1<<20 {
		t.Errorf("got %+v", r)
	}
}

// Bytes are those of /proc/PID/io, within 2 %.
func TestAgainstIO(t *testing.T) {
	needPython(t)
	path := filepath.Join(t.TempDir(), "data")
	cmd := exec.Command("python3", "-c", `
import os, sys
f = os.open(sys.argv[1], os.O_CREAT | os.O_RDWR)
print("ready", flush=True)
sys.stdin.readline()
for i in range(2000): os.write(f, b"x" * (i % 70 * 300 + 1))
os.lseek(f, 0, 0)
while os.read(f, 10000): pass
print(open("/proc/self/io").read(), flush=True)
print("", flush=True)
sys.stdin.readline()
`, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	out := bufio.NewReader(pipe)
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	io := func(b []byte) (read, written int64) {
		for line := range bytes.Lines(b) {
			_, _ = fmt.Sscanf(string(line), "rchar: %d", &read)
			_, _ = fmt.Sscanf(string(line), "wchar: %d", &written)
		}
		return read, written
	}
	var read, written int64
	rec := eventtest.Watch(t, New(), func() {
		before, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(in)
		var told bytes.Buffer
		for {
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if told.WriteString(line); strings.TrimSpace(line) == "" && told.Len() > 1 {
				break
			}
		}
		r0, w0 := io(before)
		r1, w1 := io(told.Bytes())
		read, written = r1-r0, w1-w0
	})
	var gotRead, gotWritten int64
	for _, r := range rowsOf(rec, int32(cmd.Process.Pid)) {
		gotRead, gotWritten = gotRead+r.ReadBytes, gotWritten+r.WrittenBytes
	}
	for _, c := range []struct {
		what      string
		got, want int64
	}{{"read", gotRead, read}, {"written", gotWritten, written}} {
		t.Logf("bytes %s: %d, /proc/PID/io %d", c.what, c.got, c.want)
		if c.want < 1<<20 || c.got < c.want-c.want/50 || c.got > c.want+c.want/50 {
			t.Errorf("bytes %s: %d, /proc/PID/io says %d", c.what, c.got, c.want)
		}
	}
}

// Opens and their failures are exactly those that strace counts.
func TestAgainstStrace(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	var counted bytes.Buffer
	var pid int
	rec := eventtest.Watch(t, New(), func() {
		cmd := exec.Command("strace", "-c", "-U", "calls,errors,name", "-e", "trace=open,openat,openat2,creat", "sh", "-c",
			`echo $$; i=0; while [ $i -lt 150 ]; do i=$((i+1)); read line < /etc/hostname; done; read line < /no/such/file`)
		cmd.Stderr = &counted
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		pid, _ = strconv.Atoi(strings.TrimSpace(line))
		_ = cmd.Wait() // it ends as the shell does
	})
	var calls, errs int64
	for line := range strings.Lines(counted.String()) {
		if f := strings.Fields(line); len(f) >= 2 && f[len(f)-1] == "total" {
			_, _ = fmt.Sscan(f[0], &calls)
			if len(f) == 3 {
				_, _ = fmt.Sscan(f[1], &errs)
			}
		}
	}
	if calls < 150 {
		t.Skipf("strace does not count here:\n%s", counted.String())
	}
	var opens, failed int64
	for _, r := range rowsOf(rec, int32(pid)) {
		opens, failed = opens+r.Opens, failed+r.FailedOpens
	}
	if opens+failed != calls || failed != errs {
		t.Errorf("%d opens, of which %d failed; strace counts %d and %d", opens+failed, failed, calls, errs)
	}
}

// Deletions have the paths that strace tells, whole, whether they are given whole or not.
func TestDeletions(t *testing.T) {
	needPython(t)
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	dir, log := t.TempDir(), filepath.Join(t.TempDir(), "calls")
	deep := filepath.Join(dir, strings.Repeat("d", 200), strings.Repeat("e", 200))
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	rec := eventtest.Watch(t, New(), func() {
		cmd := exec.Command("strace", "-f", "-qq", "-y", "-s", "4096", "-o", log, "-e", "trace=unlink,unlinkat,rmdir", "python3", "-c", `
import os, sys
top, deep = sys.argv[1:]
def make(path): os.close(os.open(path, os.O_CREAT | os.O_WRONLY)); return path
os.chdir(top)
os.unlink(make(top + "/whole"))
for i in range(3): os.unlink(make("again"))
os.mkdir("./below"); os.rmdir("./below/")
os.unlink(make(deep + "/" + "f" * 200))
d = os.open(deep, os.O_RDONLY)
make(deep + "/at"); os.unlink("at", dir_fd=d)
os.mkdir(deep + "/folder"); os.rmdir("folder", dir_fd=d)
os.symlink("nowhere", "link"); os.unlink("link")
for name in ["missing", "below", ""]:
    try: os.unlink(name)
    except OSError: pass
`, dir, deep)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	})
	want := map[string]int64{}
	calls, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	// 4711 unlinkat(3</top/below>, "at", 0) = 0
	call := regexp.MustCompile(`(?m)^\d+ +\w+\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)".* = 0$`)
	for _, m := range call.FindAllStringSubmatch(string(calls), -1) {
		base := m[1]
		if base == "" {
			base = dir
		}
		name := m[2]
		if !filepath.IsAbs(name) {
			name = filepath.Join(base, name)
		}
		want[filepath.Clean(name)]++
	}
	if len(want) != 7 {
		t.Fatalf("strace says:\n%s", calls)
	}
	got := map[string]int64{}
	for _, r := range recording.Rows[recording.FileSum](rec) {
		if r.Deleted > 0 && strings.HasPrefix(r.Path, dir) {
			got[r.Path] += r.Deleted
			if directory := strings.HasSuffix(r.Path, "below") || strings.HasSuffix(r.Path, "folder"); directory != (r.Kind == recording.FileDirectory) {
				t.Errorf("kind: %+v", r)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("deletions (-strace +got):\n%s", diff)
	}
}

// More deletions than have room are counted, each once.
func TestManyDeletions(t *testing.T) {
	needPython(t)
	const files = 20_000
	var pid int32
	rec := eventtest.Watch(t, New(), func() {
		pid = run(t, `
import os, sys
os.chdir(sys.argv[1])
for i in range(int(sys.argv[2])):
    os.close(os.open(str(i), os.O_CREAT | os.O_WRONLY))
    os.unlink(str(i))
`, t.TempDir(), strconv.Itoa(files))
	})
	var deleted int64
	rows := 0
	for _, r := range recording.Rows[recording.FileSum](rec) {
		if r.PID == pid {
			rows++
			deleted += r.Deleted
		}
	}
	if deleted != files || rows > 4*maxRows {
		t.Errorf("%d deletions in %d rows", deleted, rows)
	}
}

// 100,000 files fit into what is bounded: those without room are summed up, and nothing
// is lost.
func TestManyFiles(t *testing.T) {
	needPython(t)
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	const files = 100_000
	var pid int32
	rec := eventtest.Watch(t, New(), func() {
		pid = run(t, `
import os, sys
os.chdir(sys.argv[1])
for i in range(int(sys.argv[2])):
    f = os.open(str(i), os.O_CREAT | os.O_WRONLY)
    os.write(f, b"a word")
    os.close(f)
`, t.TempDir(), strconv.Itoa(files))
	})
	var sum recording.FileSum
	others, rows := false, 0
	for _, r := range recording.Rows[recording.FileSum](rec) {
		if r.PID != pid {
			continue
		}
		rows++
		sum.Created += r.Created
		sum.Writes += r.SmallWrites
		sum.WrittenBytes += r.WrittenBytes
		others = others || r.Kind == recording.FileOthers
	}
	if sum.Created < files || sum.Writes < files || sum.WrittenBytes < 6*files || sum.Created > files+10 || rows > 2*maxRows || !others {
		t.Errorf("%d rows: %+v", rows, sum)
	}
}

// Types are laid out as in bpf/files.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 24 || s != 136 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}
