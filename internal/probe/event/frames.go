package event

import "slices"

// Frames are the addresses of a stack in an array that programs fill: those before the
// first one that is 0.
func Frames(all []uint64) []uint64 {
	n := slices.Index(all, 0)
	if n < 0 {
		n = len(all)
	}
	return slices.Clone(all[:n])
}
