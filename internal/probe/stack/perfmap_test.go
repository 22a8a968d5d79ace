package stack

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPerfMap reads what compiled code is called from a file that anybody could
// have put there.
func TestPerfMap(t *testing.T) {
	pid := int32(os.Getpid())
	s := &space{files: filesOf(pid)}
	path := fmt.Sprintf("/tmp/perf-%d.map", s.innerPID())
	if err := os.WriteFile(path, []byte("1000 10 compiled\n"), 0o600); err != nil {
		t.Skip(err)
	}
	defer os.Remove(path)
	s.jit.refresh(s)
	if lookup(s.jit.symbols, 0x1005) != "compiled" {
		t.Errorf("the process's own: %v", s.jit.symbols)
	}
	for name, place := range map[string]func() error{
		"a FIFO": func() error { return unix.Mkfifo(path, 0o600) },
		"a link": func() error {
			elsewhere := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(elsewhere, []byte("1000 10 elsewhere\n"), 0o600); err != nil {
				return err
			}
			return os.Symlink(elsewhere, path)
		},
		"a large file": func() error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(maxPerfMap + 1)
		},
	} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := place(); err != nil {
			t.Fatal(err)
		}
		s.jit.refresh(s)
		if len(s.jit.symbols) > 0 {
			t.Errorf("%s: %v", name, s.jit.symbols)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("1000 10 forged\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, 4711, 4711); err != nil {
		t.Fatal(err)
	}
	s.jit.refresh(s)
	if len(s.jit.symbols) > 0 {
		t.Errorf("somebody else's: %v", s.jit.symbols)
	}
}

// TestReadELF reads the headers of a program, and gives up on a file that claims
// to have nothing else.
func TestReadELF(t *testing.T) {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e, err := readELF(f)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := functions(e, elf.SHT_SYMTAB, nil); (err != nil || len(list) == 0) && e.Section(".symtab") != nil {
		t.Error("the test's own program has no functions")
	}
	// The first 64 bytes are an ELF header that is followed by 512 MB of section
	// headers, whose number the first of them tells.
	head := make([]byte, 64)
	if _, err := f.ReadAt(head, 0); err != nil {
		t.Fatal(err)
	}
	head[60], head[61], head[62], head[63] = 0, 0, 0, 0
	for i := range 8 {
		head[40+i] = 0
	}
	head[40] = 64
	first := make([]byte, 64)
	first[32+2] = 0x80 // sh_size: 8 Mi sections
	forged, err := os.Create(filepath.Join(t.TempDir(), "forged"))
	if err != nil {
		t.Fatal(err)
	}
	defer forged.Close()
	if _, err := forged.Write(append(head, first...)); err != nil {
		t.Fatal(err)
	}
	if err := forged.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	if e, err := readELF(forged); err == nil {
		t.Errorf("%d sections were read", len(e.Sections))
	}
}
