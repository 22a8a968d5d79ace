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

// nanoseconds converts a raw time stamp. What does not fit becomes the largest
// time there is.
func (c *clock) nanoseconds(raw uint64) int64 {
	if c.binary {
		return c.binaryNanoseconds(raw)
	}
	hi, lo := bits.Mul64(raw, c.mul)
	if c.div != 1 {
		lo /= c.div // then mul is 1 and hi 0
	}
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return saturatingAdd(int64(lo), c.offset)
}

func (c *clock) binaryNanoseconds(raw uint64) int64 {
	hi, lo := bits.Mul64(raw, 1e9)
	switch {
	case c.shift >= 128:
		hi, lo = 0, 0
	case c.shift >= 64:
		hi, lo = 0, hi>>(c.shift-64)
	case c.shift > 0:
		hi, lo = hi>>c.shift, lo>>c.shift|hi<<(64-c.shift)
	}
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return saturatingAdd(int64(lo), c.offset)
}

// saturatingAdd adds an offset to a time that is not negative.
func saturatingAdd(t, offset int64) int64 {
	if offset > 0 && t > math.MaxInt64-offset {
		return math.MaxInt64
	}
	return t + offset
}
