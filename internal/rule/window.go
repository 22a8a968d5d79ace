package rule

import "time"

// ClosedEach is the mean time that a receive window stays closed, from which its
// owner counts as a slow reader. A window that closes for some milliseconds, time
// and again, belongs to a program that reads steadily, only slower than the
// network brings; 20 ms are longer than readers wait for a CPU.
const ClosedEach = 20 * time.Millisecond
