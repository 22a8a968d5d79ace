package mysqlview

import (
	"fmt"
	"math"
	"time"
)

// unknown is printed for NaN.
const unknown = "-"

// rate prints a number a second in at most five columns: small ones with one
// digit after the point, large ones in thousands.
func rate(v float64) string {
	switch {
	case math.IsNaN(v):
		return unknown
	case v == math.Trunc(v) && v < 10:
		return fmt.Sprintf("%.0f", v)
	case v < 9.95:
		return fmt.Sprintf("%.1f", v)
	case v < 99_999.5:
		return fmt.Sprintf("%.0f", v)
	case v < 9_999_500:
		return fmt.Sprintf("%.0fk", v/1e3)
	case v < 9_999_500_000:
		return fmt.Sprintf("%.0fM", v/1e6)
	}
	return fmt.Sprintf("%.0fG", v/1e9)
}

// whole prints a number of things in at most five columns.
func whole(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	return rate(math.Round(v))
}

// load prints a load average in at most five columns.
func load(v float64) string {
	switch {
	case math.IsNaN(v):
		return unknown
	case v < 99.995:
		return fmt.Sprintf("%.2f", v)
	case v < 999.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// percent prints whole percents in at most three columns.
func percent(v float64) string {
	if math.IsNaN(v) {
		return unknown
	}
	return fmt.Sprintf("%.0f", v)
}

// hit prints the share of buffer pool hits in at most five columns. What is not
// quite 100 never looks as if it were: at 100,000 reads a second the difference
// is many disk reads.
func hit(v float64) string {
	switch {
	case math.IsNaN(v):
		return unknown
	case v == 100:
		return "100"
	}
	return fmt.Sprintf("%.2f", math.Floor(v*100)/100)
}

// briefWidth is how many columns a time takes at most.
const briefWidth = 6

// brief prints seconds in at most briefWidth columns: 841 µs, 12 ms, 1.20 s.
func brief(seconds float64) string {
	if math.IsNaN(seconds) {
		return unknown
	}
	for _, u := range []struct {
		below, unit float64
		name        string
	}{{999.5e-6, 1e6, "µs"}, {999.5e-3, 1e3, "ms"}, {999.5, 1, "s"}} {
		if seconds >= u.below {
			continue
		}
		v := seconds * u.unit
		switch {
		case u.name == "µs" || v >= 99.95:
			return fmt.Sprintf("%.0f %s", v, u.name)
		case v >= 9.95 && u.name == "ms":
			return fmt.Sprintf("%.0f %s", v, u.name)
		case v >= 9.995:
			return fmt.Sprintf("%.1f %s", v, u.name)
		}
		if u.name == "ms" {
			return fmt.Sprintf("%.1f %s", v, u.name)
		}
		return fmt.Sprintf("%.2f %s", v, u.name)
	}
	return fmt.Sprintf("%.0f s", min(seconds, 9999))
}

// ago prints how long ago something was, in whole seconds.
func ago(d time.Duration) string {
	switch s := int(math.Round(d.Seconds())); {
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case s < 7200:
		return fmt.Sprintf("%d min", s/60)
	default:
		return fmt.Sprintf("%d h", s/3600)
	}
}

// Rate prints a number a second, or of things, in at most five columns.
func Rate(v float64) string { return rate(v) }

// Brief prints seconds in at most six columns.
func Brief(seconds float64) string { return brief(seconds) }
