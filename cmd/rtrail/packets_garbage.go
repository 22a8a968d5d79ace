package main

const (
	// rareGC is how much garbage may pile up beside what is in use while files are
	// read, in percent of it (GOGC). At Go's default of 100, a capture of 400,000
	// short connections spends a tenth of its time on collecting: the heap is small
	// and stays so, hence it is collected often. Beyond 400 it is no faster.
	rareGC = 400
	// roomForGarbage is how far the heap may grow for the sake of rareGC, in bytes.
	// Above, collecting comes more and more often, down to usualGC: with
	// connections in the hundreds of thousands memory is scarcer than time. It is
	// half of what reading 400,000 connections may take (docs/packets.md).
	roomForGarbage = 250 << 20
)

// percentOf is how much garbage may pile up beside so many bytes in use.
func percentOf(live uint64) int {
	if live == 0 {
		return rareGC
	}
	room := 100 * (roomForGarbage - min(live, roomForGarbage)) / live
	return int(min(max(room, usualGC), rareGC))
}
