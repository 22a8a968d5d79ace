package oncpu

import (
	"os"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/procmem"
	"rtrail/internal/probe/stack"
)

func TestSpins(t *testing.T) {
	for name, tc := range map[string]struct {
		arch string
		code string
		want bool
	}{
		"pause; jmp":                          {"amd64", "\x8b\x07\xf3\x90\x85\xc0\x75\xf8", true},
		"xchg al,[rdi]; test al,al; jne back": {"amd64", "\xb8\x01\x00\x00\x00\x86\x07\x84\xc0\x75\xf5\xc3", true},
		"xchg eax,[rip+x]; test; jne back":    {"amd64", "\x89\xd0\x87\x05\xaa\x2e\x00\x00\x85\xc0\x75\xf4", true},
		"a loop over a list":                  {"amd64", "\x8b\x04\x8f\x39\xd0\x74\x08\x48\xff\xc1\x85\xc0\x75\xf0", false},
		"xchg of registers; test; jne back":   {"amd64", "\xb8\x01\x00\x00\x00\x87\xc7\x85\xc0\x75\xf5\xc3", false},
		"xchg; test; jne forward":             {"amd64", "\xb8\x01\x00\x00\x00\x86\x07\x84\xc0\x75\x15\xc3", false},
		"yield":                               {"arm64", "\x3f\x20\x03\xd5", true},
		"nop":                                 {"arm64", "\x1f\x20\x03\xd5", false},
		"not on its place":                    {"arm64", "\x00\x3f\x20\x03\xd5\x00\x00\x00", false},
		"nothing":                             {"amd64", "", false},
		"of another machine":                  {"riscv64", "\xf3\x90", false},
	} {
		if got := spins([]byte(tc.code), tc.arch); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzSpins(f *testing.F) {
	f.Add([]byte("\x86\x07\x84\xc0\x75\xf5"))
	f.Fuzz(func(t *testing.T, code []byte) {
		for _, arch := range []string{"amd64", "arm64"} {
			if spins(code, arch) && len(code) < 2 {
				t.Errorf("%x spins on %s", code, arch)
			}
		}
	})
}

// A loop at the beginning of a page is found without its page before, which is not asked
// for: what that maps may be of a server that never answers.
func TestSpinningAtPageBegin(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the code is of amd64")
	}
	page := os.Getpagesize()
	m, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := unix.Madvise(m, unix.MADV_NOHUGEPAGE); err != nil {
		t.Fatal(err)
	}
	copy(m[page:], "\xf3\x90\xeb\xfc") // pause; jmp
	s := &Source{}
	defer s.memory.Close()
	p := stack.Process{PID: int32(os.Getpid())}
	at := uint64(uintptr(unsafe.Pointer(&m[page])))
	if !s.spinning(map[stack.Process][]uint64{p: {at}})[p][at] {
		t.Error("the loop was not found")
	}
	if procmem.Read(p.PID, at-1, make([]byte, 1)) > 0 {
		t.Error("the page before was read")
	}
}
