package audit

import (
	"strconv"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/unit"
)

// Value is a setting as a server writes it.
type Value string

// Int is a whole number; ok is false for words.
func (v Value) Int() (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// On says that a switch is on.
func (v Value) On() bool {
	switch strings.ToUpper(string(v)) {
	case "ON", "1", "YES", "TRUE":
		return true
	}
	return false
}

// Is compares words as servers do.
func (v Value) Is(words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(string(v), w) {
			return true
		}
	}
	return false
}

// show prints a value with its unit: 134217728 as "128 MiB".
func (u Unit) show(text string) string {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		if text == "" {
			return "(empty)"
		}
		return escape.Text(text)
	}
	switch u {
	case Bytes:
		if n >= 1024 {
			return unit.Bytes(n).String()
		}
	case Seconds:
		return unit.Duration(n * float64(time.Second)).String()
	case Millis:
		return unit.Duration(n * float64(time.Millisecond)).String()
	}
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil && (whole >= 10_000 || whole <= -10_000) {
		return unit.Count(whole).String()
	}
	return text
}

// equal compares two values: 90.000000 is 90, and ON is 1.
func equal(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, errX := strconv.ParseFloat(word(a), 64)
	y, errY := strconv.ParseFloat(word(b), 64)
	return errX == nil && errY == nil && x == y
}

// word makes numbers of switches.
func word(s string) string {
	switch strings.ToUpper(s) {
	case "ON", "YES", "TRUE":
		return "1"
	case "OFF", "NO", "FALSE":
		return "0"
	}
	return s
}
