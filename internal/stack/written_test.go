package stack

import (
	"bufio"
	"strings"
	"testing"
	"time"
)

func TestWrittenAt(t *testing.T) {
	want := time.Date(2026, 3, 1, 8, 18, 53, 0, time.Local)
	for text, ok := range map[string]bool{
		"2026-03-01 08:18:53\nFull thread dump X:\n":             true,
		"4711:\n2026-03-01 08:18:53\r\nFull thread dump X:\n":    true,
		"Full thread dump X:\n2026-03-01 08:18:53\n":             false,
		"2026-13-01 08:18:53\nFull thread dump X:\n":             false,
		"0001-03-01 08:18:53\nFull thread dump X:\n":             false,
		"9999-03-01 08:18:53\nFull thread dump X:\n":             false,
		"2026-03-01 08:18:53\nThread 1 (LWP 7):\n":               false,
		strings.Repeat("x", 400) + "\n2026-03-01 08:18:53\nFull": false,
		"": false,
	} {
		got := writtenAt(bufio.NewReader(strings.NewReader(text)))
		if ok && !got.Equal(want) || !ok && !got.IsZero() {
			t.Errorf("%.40q: %v", text, got)
		}
	}
}
