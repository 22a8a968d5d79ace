package stack

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"testing"

	"rtrail/internal/probe/procmem"
)

// The table in a file leads to the same functions as reading all of them.
func TestFrameIndex(t *testing.T) {
	for _, path := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"} {
		file, err := os.Open(path)
		if err != nil {
			continue
		}
		defer file.Close()
		f, err := elf.NewFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := readCFI(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		index, err := openFrameIndex(file, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range all.list {
			for _, pc := range []uint64{want.start, want.end - 1} {
				got, ok := index.find(pc)
				if !ok || got.start != want.start || got.end != want.end || !bytes.Equal(got.program, want.program) || !bytes.Equal(got.cie.program, want.cie.program) {
					t.Fatalf("%#x: %+v, want %+v", pc, got, want)
				}
			}
		}
		if _, ok := index.find(all.list[0].start - 1); ok {
			t.Error("an address before all functions is described")
		}
		return
	}
	t.Skip("no C library of x86-64 here")
}

func FuzzFrameIndex(f *testing.F) {
	table := testTable() // at address and offset 0x5000 of the file
	file := make([]byte, 0x5000)
	file = append(file, table...)
	f.Add(file, uint64(0x1010))
	f.Fuzz(func(t *testing.T, data []byte, pc uint64) {
		x := &frameIndex{file: bytes.NewReader(data), begin: 0x100, table: 12, count: min(len(data)/indexEntry, 1<<16)}
		x.image.loads = []elf.ProgHeader{{Off: 0, Vaddr: 0, Filesz: uint64(len(data))}}
		if d, ok := x.find(pc); ok {
			if pc < d.start || pc >= d.end {
				t.Fatalf("%#x is not from %#x to %#x", pc, d.start, d.end)
			}
			d.run(pc)
		}
	})
}

// Of what has ended, has no code there or does not sleep nothing is followed.
func TestFollowNobody(t *testing.T) {
	var memory procmem.Reader
	defer memory.Close()
	stack := binary.LittleEndian.AppendUint64(nil, 7)
	for name, a := range map[string]Asleep{
		"ended":           {Process: Process{PID: 1 << 30}, PC: 0x1000, SP: 0x8000, Stack: stack},
		"ended, no copy":  {Process: Process{PID: 1 << 30}, TID: 1 << 30, PC: 0x1000, SP: 0x8000},
		"no code":         {Process: Process{PID: int32(os.Getpid())}, PC: 8, SP: 0x8000, Stack: stack},
		"it runs":         {Process: Process{PID: int32(os.Getpid())}, TID: int32(os.Getpid()), PC: 8, SP: 0x8000},
		"end of memory":   {Process: Process{PID: int32(os.Getpid())}, PC: ^uint64(0), SP: ^uint64(0) - 3, Frame: ^uint64(0) - 9, Stack: stack},
		"nothing is said": {},
	} {
		if got := NewCode().Follow([]Asleep{a}, &memory)[0]; len(got.Frames) > 0 || got.Cut {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
