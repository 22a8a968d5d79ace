package stack

import (
	"debug/elf"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Of a library without its table of symbols, addresses of one function have one name: where it
// begins, or what dynamic linking needs.
func TestNamesOfStrippedCode(t *testing.T) {
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
		if f.Section(".symtab") != nil {
			t.Skip("this C library is not stripped")
		}
		if more := debugFile(f, files{}); more != nil {
			more.Close()
			t.Skip("this C library has a debug file")
		}
		index, err := openFrameIndex(file, f)
		if err != nil {
			t.Fatal(err)
		}
		var offsets []uint64
		for i := 10; i < index.count && len(offsets) < 400; i += 7 {
			begin, _ := index.entry(i)
			d, ok := index.find(begin)
			first, in := index.offset(d.start)
			last, too := index.offset(d.end - 1)
			if ok && in && too {
				offsets = append(offsets, uint64(first), uint64(last))
			}
		}
		places := make([]Place, len(offsets))
		for i := range places {
			places[i] = Place{Module: "libc.so.6", offset: offsets[i]}
		}
		nameOffsets(file, files{}, offsets, places)
		byBounds := 0
		for i := 0; i < len(places); i += 2 {
			begin := fmt.Sprintf("libc.so.6+%#x", offsets[i])
			a, b := places[i].Function, places[i+1].Function
			if a == "" || b == "" {
				t.Errorf("%#x and %#x: %q and %q", offsets[i], offsets[i+1], a, b)
			}
			if a == begin && b == begin {
				byBounds++
			} else if strings.HasPrefix(b, "libc.so.6+") && b != begin {
				t.Errorf("%#x is in the function that begins at %s, not %s", offsets[i+1], begin, b)
			}
		}
		if byBounds < 10 {
			t.Errorf("%d of %d functions have no names", byBounds, len(places)/2)
		}
		return
	}
	t.Skip("no C library of x86-64 here")
}
