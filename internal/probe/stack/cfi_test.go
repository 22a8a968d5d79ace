package stack

import (
	"debug/elf"
	"encoding/binary"
	"testing"
)

// A function as compilers write it: push %rbp, mov %rsp,%rbp, ..., ret.
func testTable() []byte {
	cie := []byte{
		0, 0, 0, 0, // id
		1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, // version, augmentation, alignments, return address, pcrel sdata4
		0x0c, 7, 8, 0x90, 1, // def_cfa rsp+8; return address at cfa-8
	}
	fde := []byte{
		0, 0, 0, 0, // where the CIE is; set below
		0, 0, 0, 0, // begin, relative; set below
		0x40, 0, 0, 0, // length
		0,                       // augmentation
		0x41, 0x0e, 16, 0x86, 2, // +1: def_cfa_offset 16, rbp at cfa-16
		0x43, 0x0d, 6, // +3: def_cfa_register rbp
	}
	var b []byte
	entry := func(body []byte) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
		b = append(b, body...)
	}
	entry(cie)
	at := len(b)
	binary.LittleEndian.PutUint32(fde, uint32(at+4))
	begin := int64(0x1000) - int64(0x5000+at+8)
	binary.LittleEndian.PutUint32(fde[4:], uint32(int32(begin)))
	entry(fde)
	return append(b, 0, 0, 0, 0)
}

func TestCallFrames(t *testing.T) {
	table, err := parseCFI(testTable(), 0x5000, nil)
	if err != nil || len(table.list) != 1 {
		t.Fatalf("%d functions, %v", len(table.list), err)
	}
	f := table.find(0x1010)
	if f == nil || f.start != 0x1000 || f.end != 0x1040 || table.find(0x1040) != nil || table.find(0xfff) != nil {
		t.Fatalf("found %+v", f)
	}
	stack := make([]byte, 64) // at 0x8000
	put := func(at int, v uint64) { binary.LittleEndian.PutUint64(stack[at-0x8000:], v) }
	read := stackMemory(stack, 0x8000)
	for _, c := range []struct {
		name           string
		pc, sp, bp     uint64
		fill           func()
		wantSP, wantBP uint64
	}{
		{"at its first instruction", 0x1000, 0x8010, 0x77, func() { put(0x8010, 0xabc) }, 0x8018, 0x77},
		{"after push", 0x1001, 0x8008, 0x77, func() { put(0x8010, 0xabc); put(0x8008, 0x99) }, 0x8018, 0x99},
		{"in its body", 0x1020, 0x8000, 0x8008, func() { put(0x8010, 0xabc); put(0x8008, 0x99) }, 0x8018, 0x99},
	} {
		clear(stack)
		c.fill()
		var regs registers
		regs.set(regPC, c.pc)
		regs.set(regSP, c.sp)
		regs.set(regBP, c.bp)
		w, ok := f.run(c.pc)
		if !ok {
			t.Fatal(c.name)
		}
		next, ok := w.caller(&regs, f.cie.ra, read)
		if !ok || next.v[regPC] != 0xabc || next.v[regSP] != c.wantSP || next.v[regBP] != c.wantBP {
			t.Errorf("%s: %v %#x", c.name, ok, next.v)
		}
	}
}

// Every function that this test's own C library describes can be followed.
func TestCallFramesOfFiles(t *testing.T) {
	for _, path := range []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6"} {
		f, err := elf.Open(path)
		if err != nil {
			continue
		}
		defer f.Close()
		table, err := readCFI(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(table.list) < 1000 {
			t.Fatalf("%d functions in %s", len(table.list), path)
		}
		bad := 0
		for _, d := range table.list {
			if _, ok := d.run(d.end - 1); !ok {
				bad++
			}
		}
		if bad > 0 {
			t.Errorf("%d of %d functions of %s cannot be followed", bad, len(table.list), path)
		}
		return
	}
	t.Skip("no C library of x86-64 here")
}

func FuzzCallFrames(f *testing.F) {
	f.Add(testTable(), uint64(0x1010))
	f.Fuzz(func(t *testing.T, data []byte, pc uint64) {
		table, _ := parseCFI(data, 0x5000, nil)
		for i := range table.list {
			d := &table.list[i]
			if d.end <= d.start {
				t.Fatalf("a function from %#x to %#x", d.start, d.end)
			}
			w, ok := d.run(d.start + pc%(d.end-d.start))
			if !ok {
				continue
			}
			var regs registers
			regs.set(regSP, 0x8000)
			regs.set(regBP, 0x8010)
			regs.set(regPC, d.start)
			w.caller(&regs, d.cie.ra, stackMemory(data, 0x8000))
		}
	})
}

func FuzzSample(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := parseSample(b)
		if ok && len(p.stack) > len(b) {
			t.Fatal("a stack longer than the sample")
		}
	})
}

func TestParsers(t *testing.T) {
	if m, ok := parseMapping("55d0c000-55d0d000 r-xp 00001000 08:01 123   /usr/sbin/my sqld (deleted)"); !ok ||
		m.start != 0x55d0c000 || m.end != 0x55d0d000 || m.offset != 0x1000 || m.path != "/usr/sbin/my sqld (deleted)" {
		t.Errorf("mapping %+v, %v", m, ok)
	}
	if _, ok := parseMapping("55d0c000-55d0d000 rw-p 00001000 08:01 123 /x"); ok {
		t.Error("data is taken for code")
	}
	for text, want := range map[string][2]uint64{
		"202 0x1 0x80 0x0 0x0 0x0 0xffffffff 0x7ffe10 0x7f4a\n": {0x7ffe10, 0x7f4a},
		"-1 0x7ffe10 0x7f4a\n": {0x7ffe10, 0x7f4a},
		"running\n":            {},
		"":                     {},
	} {
		sp, pc, ok := userPlace(text)
		if ok != (want[1] != 0) || ok && (sp != want[0] || pc != want[1]) {
			t.Errorf("%q: %#x %#x %v", text, sp, pc, ok)
		}
	}
	symbols := []symbol{{0x10, 0x20, "a"}, {0x20, 0x20, "b"}, {0x9000, 0x9001, "c"}}
	for at, want := range map[uint64]string{0x5: "", 0x10: "a", 0x1f: "a", 0x20: "b", 0x40: "b", 0x8000: "", 0x9000: "c", 0x9001: ""} {
		if got := lookup(symbols, at); got != want {
			t.Errorf("%#x is %q, want %q", at, got, want)
		}
	}
}
