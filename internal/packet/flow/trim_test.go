package flow

import "testing"

func TestTrimmed(t *testing.T) {
	for n, want := range map[uint32]uint8{trimmedTo: 0, trimmedTo + 7: 7, trimmedTo + 255: 255} {
		length, rest := Trimmed(n)
		if got, ok := rest.Note(); length != trimmedTo || !ok || got != want {
			t.Errorf("%d: %d %d %v", n, length, got, ok)
		}
	}
	for _, n := range []uint32{0, trimmedTo - 1, trimmedTo + 256} {
		if length, rest := Trimmed(n); length != n || rest != 0 {
			t.Errorf("%d: %d %d", n, length, rest)
		}
	}
}
