// Package unit prints quantities the way people read them. The types carry
// the unit; String renders the number at a precision that fits its size.
package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Bytes prints with binary prefixes: "512 B", "1.5 MiB".
type Bytes float64

func (b Bytes) String() string {
	v, sign := float64(b), ""
	if v < 0 {
		v, sign = -v, "-"
	}
	for _, p := range []string{"B", "KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 || p == "TiB" {
			if p == "B" {
				return fmt.Sprintf("%s%.0f B", sign, v)
			}
			return sign + short(v) + " " + p
		}
		v /= 1024
	}
	return ""
}

// Share prints a ratio of 0 to 1 as "31 %", small ones as "0.4 %".
type Share float64

func (s Share) String() string {
	p := float64(s) * 100
	if p != 0 && math.Abs(p) < 9.95 {
		return fmt.Sprintf("%.1f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

// Count prints a whole number with thousands separated: "5,379".
type Count float64

func (c Count) String() string {
	s := fmt.Sprintf("%.0f", math.Abs(float64(c)))
	var b strings.Builder
	if c < 0 {
		b.WriteByte('-')
	}
	for i, d := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Plural prints a count with what is counted: "1 packet", "1,204 packets".
func Plural[N int | int64 | uint32 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n).String() + " " + many
}

// PerSecond prints a rate: "12,340/s", "0.4/s".
type PerSecond float64

func (r PerSecond) String() string {
	if v := math.Abs(float64(r)); v < 10 && v != 0 {
		return fmt.Sprintf("%.1f/s", float64(r))
	}
	return Count(r).String() + "/s"
}

// Number prints a plain number with about three digits.
type Number float64

func (n Number) String() string {
	if math.Abs(float64(n)) >= 1000 {
		return Count(n).String()
	}
	return short(float64(n))
}

// Duration prints a time with about three digits and one unit: "41 ms"; from two minutes
// on with two, as clocks do: "8 min 27 s".
type Duration time.Duration

func (d Duration) String() string {
	v := time.Duration(d)
	switch a := v.Abs(); {
	case a == 0:
		return "0 s"
	case a < time.Microsecond:
		return strconv.FormatInt(int64(v), 10) + " ns"
	case a < time.Millisecond:
		return short(float64(v)/1e3) + " µs"
	case a < time.Second:
		return short(float64(v)/1e6) + " ms"
	case a < 2*time.Minute:
		return short(v.Seconds()) + " s"
	case a < time.Hour-time.Second/2:
		return both(v.Round(time.Second), time.Minute, "min", time.Second, "s")
	case a < 48*time.Hour:
		return both(v.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	default:
		return short(v.Hours()/24) + " days"
	}
}

// both prints a time in two units, without the smaller one if there is none of it.
func both(v, large time.Duration, largeName string, small time.Duration, smallName string) string {
	s := fmt.Sprintf("%d %s", v/large, largeName)
	if rest := (v % large).Abs() / small; rest > 0 {
		s += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return s
}

// Seconds prints seconds as a Duration does.
type Seconds float64

func (s Seconds) String() string {
	return Duration(float64(s) * float64(time.Second)).String()
}

// short prints about three digits, without trailing zeros.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 99.5 || a == math.Trunc(a):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
	default:
		return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
	}
}
