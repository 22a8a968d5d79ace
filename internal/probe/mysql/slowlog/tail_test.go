package slowlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func entry(n int) string {
	return fmt.Sprintf("# User@Host: a[a] @ localhost []\nSET timestamp=5;\nDO %d;\n", n)
}

type tailTest struct {
	*testing.T
	path string
	tail *Tail
}

func newTail(t *testing.T, content string, back int64) *tailTest {
	t.Helper()
	path := filepath.Join(t.TempDir(), "slow.log")
	tt := &tailTest{T: t, path: path}
	if content != "" {
		tt.append(content)
	}
	tail, err := NewTail(File{PID: int32(os.Getpid()), Path: path}, back, literally())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tail.Close() })
	tt.tail = tail
	return tt
}

func (t *tailTest) append(s string) {
	t.Helper()
	f, err := os.OpenFile(t.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// reads expects statements of the next Read.
func (t *tailTest) reads(most, skipped int64, want ...string) {
	t.Helper()
	list, n, err := t.tail.Read(most)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Statement)
	}
	if diff := cmp.Diff(want, got); diff != "" || n != skipped {
		t.Errorf("skipped %d bytes, want %d: %s", n, skipped, diff)
	}
}

const plenty = 1 << 20

func TestTailReadsWhatIsAppended(t *testing.T) {
	tt := newTail(t, entry(1), 0)
	tt.reads(plenty, 0)
	tt.append(entry(2) + entry(3))
	tt.reads(plenty, 0, "DO 2", "DO 3")
	half := entry(4)
	tt.append(half[:20])
	tt.reads(plenty, 0)
	tt.append(half[20:])
	tt.reads(plenty, 0, "DO 4")
	tt.reads(plenty, 0)
}

func TestTailBeginsBeforeTheEnd(t *testing.T) {
	tt := newTail(t, entry(1)+entry(2)+entry(3), int64(len(entry(3))+10))
	tt.reads(plenty, 0, "DO 3") // and not the half of the second one
}

func TestTailOfALogThatComes(t *testing.T) {
	tt := newTail(t, "", 100)
	tt.reads(plenty, 0)
	tt.append(entry(1))
	tt.reads(plenty, 0, "DO 1")
}

func TestTailFollowsRotation(t *testing.T) {
	tt := newTail(t, entry(1), 0)
	if err := os.Rename(tt.path, tt.path+".1"); err != nil {
		t.Fatal(err)
	}
	tt.reads(plenty, 0)
	f, err := os.OpenFile(tt.path+".1", os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(entry(2)) // the server has not reopened it yet
	f.Close()
	tt.append(entry(3))
	tt.reads(plenty, 0, "DO 2", "DO 3")
}

func TestTailOfAnEmptiedLog(t *testing.T) {
	tt := newTail(t, entry(1)+entry(2), 0)
	if err := os.Truncate(tt.path, 0); err != nil {
		t.Fatal(err)
	}
	tt.append(entry(3))
	tt.reads(plenty, 0, "DO 3")
}

// What is too much is skipped and counted.
func TestTailSkips(t *testing.T) {
	tt := newTail(t, "", 0)
	tt.append(strings.Repeat(entry(7), 100) + entry(8) + entry(9))
	one := int64(len(entry(7)))
	tt.reads(2*one, 100*one, "DO 8", "DO 9")
}

func TestTailRefuses(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, pipe} {
		if _, err := NewTail(File{PID: int32(os.Getpid()), Path: path}, 0, Options{}); err == nil || !strings.Contains(err.Error(), "regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
