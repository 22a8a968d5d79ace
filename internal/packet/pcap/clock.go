package pcap

import (
	"math"
	"math/bits"
)

// clock turns the time stamps of an interface into nanoseconds since 1970.
type clock struct {
	mul, div uint64 // decimal resolutions: ns = raw * mul / div
	binary   bool
	shift    uint // binary resolutions: raw is in units of 2^-shift seconds
	offset   int64
}

// newClock reads if_tsresol, a negative power of ten or, with the upper bit
// set, of two; offset are seconds.
func newClock(resolution byte, offset int64) clock {
	c := clock{mul: 1, div: 1, offset: saturatingSeconds(offset)}
	power := uint(resolution & 0x7f)
	switch {
	case resolution&0x80 != 0:
		c.binary, c.shift = true, power
	case power <= 9:
		c.mul = pow10(9 - power)
	default:
		c.div = pow10(min(power-9, 19)) // finer units than 10^-28 s are all 0 ns in 64 bits
	}
	return c
}

func pow10(n uint) uint64 {
	v := uint64(1)
	for range n {
		v *= 10
	}
	return v
}

func saturatingSeconds(s int64) int64 {
	const limit = math.MaxInt64 / 1_000_000_000
	return max(min(s, limit), -limit) * 1_000_000_000
}

// MaxTime is the latest time that a packet may have, in February 2116: later than
// the classic format can say, and early enough that no sum of a time and a
// duration that people ask for overflows.
const MaxTime = 1 << 62

// nanoseconds converts a raw time stamp. What lies before 1970 becomes that
// moment, and what lies behind MaxTime becomes that; ok is false then.
func (c *clock) nanoseconds(raw uint64) (ns int64, ok bool) {
	var hi, lo uint64
	if c.binary {
		hi, lo = c.binaryNanoseconds(raw)
	} else {
		hi, lo = bits.Mul64(raw, c.mul)
		if c.div != 1 {
			lo /= c.div // then mul is 1 and hi 0
		}
	}
	if hi != 0 || lo > math.MaxInt64 || c.offset > 0 && lo > uint64(math.MaxInt64-c.offset) {
		return MaxTime, false
	}
	ns = int64(lo) + c.offset
	switch {
	case ns < 0:
		return 0, false
	case ns > MaxTime:
		return MaxTime, false
	}
	return ns, true
}

// binaryNanoseconds is a time in units of 2^-shift seconds, as 128 bits.
func (c *clock) binaryNanoseconds(raw uint64) (hi, lo uint64) {
	hi, lo = bits.Mul64(raw, 1e9)
	switch {
	case c.shift >= 128:
		return 0, 0
	case c.shift >= 64:
		return 0, hi >> (c.shift - 64)
	case c.shift > 0:
		return hi >> c.shift, lo>>c.shift | hi<<(64-c.shift)
	}
	return hi, lo
}
