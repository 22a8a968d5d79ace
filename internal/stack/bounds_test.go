package stack

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"rtrail/internal/budget"
)

// TestManyStacks reads more different stacks than fit, and says so.
func TestManyStacks(t *testing.T) {
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "main;work;f%d 2\n", i)
	}
	memory := budget.New(1 << 20)
	p, err := Read(budget.With(t.Context(), memory), []string{"-"}, strings.NewReader(text.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Sources[0]
	if n := len(p.Stacks); n < 500 || n > 2000 || int64(n)+s.Unreadable != 10000 || s.Samples != 2*int64(n) {
		t.Errorf("%d stacks of %d samples, %d left out", n, s.Samples, s.Unreadable)
	}
	if len(s.Problems) == 0 || !strings.Contains(s.Problems[0].What, "memory") {
		t.Errorf("problems: %v", s.Problems)
	}
	if memory.Used() > memory.Limit() {
		t.Errorf("%d bytes of %d", memory.Used(), memory.Limit())
	}
}

// TestLargeWindow refuses a packed dump of 9 bytes whose unpacking wants 512 MB.
func TestLargeWindow(t *testing.T) {
	const exponent = 29 - 10 // RFC 8878, 3.1.1.1.2
	packed := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 1, 0, 0}
	_, err := Read(t.Context(), []string{"-"}, bytes.NewReader(packed), Options{})
	if err == nil || !strings.Contains(err.Error(), "window") {
		t.Errorf("%v", err)
	}
	packed[5] = 0
	if _, err := Read(t.Context(), []string{"-"}, bytes.NewReader(packed), Options{}); err == nil || strings.Contains(err.Error(), "window") {
		t.Errorf("a small one: %v", err)
	}
}
