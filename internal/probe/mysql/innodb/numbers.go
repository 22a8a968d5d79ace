package innodb

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// number reads the digits at the beginning of a text, after blanks.
func number(s string) (int64, bool) {
	s = strings.TrimLeft(s, " \t:=")
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(s[:end], 10, 64)
	return n, err == nil
}

// after puts the number that follows a label in a line; without one, to stays
// as it is.
func after(line, label string, to *int64) {
	if _, rest, ok := strings.Cut(line, label); ok {
		if n, ok := number(rest); ok {
			*to = n
		}
	}
}

// before puts the number that stands before a label: "3 row lock(s)".
func before(line, label string, to *int64) {
	at := strings.Index(line, label)
	if at < 0 {
		return
	}
	head := strings.TrimRight(line[:at], " ")
	begin := len(head)
	for begin > 0 && head[begin-1] >= '0' && head[begin-1] <= '9' {
		begin--
	}
	if n, err := strconv.ParseInt(head[begin:], 10, 64); err == nil {
		*to = n
	}
}

// position reads a place in the log, which old versions write as two numbers
// of 32 bits.
func position(rest string, to *int64) {
	f := strings.Fields(rest)
	switch {
	case len(f) == 1:
		if n, err := strconv.ParseInt(f[0], 10, 64); err == nil {
			*to = n
		}
	case len(f) == 2:
		high, errHigh := strconv.ParseUint(f[0], 10, 31)
		low, errLow := strconv.ParseUint(f[1], 10, 32)
		if errHigh == nil && errLow == nil {
			*to = int64(high<<32 | low)
		}
	}
}

// seconds reads "241.00" or "3".
func seconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > math.MaxInt32 {
		return 0, false
	}
	return time.Duration(f * float64(time.Second)), true
}

// between is the text between two others, and what follows.
func between(s, from, to string) (middle, rest string, ok bool) {
	if _, s, ok = strings.Cut(s, from); !ok {
		return "", "", false
	}
	return strings.Cut(s, to)
}
