package thread

import (
	"testing"

	"rtrail/internal/recording"
)

func TestFirstDescriptor(t *testing.T) {
	for line, want := range map[string]int32{
		"17 0x7 0x7f0000000000 0x1000 0x0 0x0 0x0 0x7ffd 0x7f01\n": 7,
		"1 0x0 0x1\n":          0,
		"74 0xffffffff 0x0\n":  recording.Unknown, // -1
		"74 0x80000000 0x0\n":  recording.Unknown,
		"74 7 0x0\n":           recording.Unknown,
		"running\n":            recording.Unknown,
		"-1 0x7ffd 0x7f01\n":   32765, // outside of calls: nobody asks
		"74 0x1ffffffffffff\n": recording.Unknown,
		"":                     recording.Unknown,
	} {
		if got := firstDescriptor([]byte(line)); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}
