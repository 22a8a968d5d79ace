package load

import "fmt"

// Measurement is what the application itself says about its service.
type Measurement struct {
	Value       float64 `json:"value"`
	Unit        string  `json:"unit"` // "requests/s", "ms p99"
	LowerBetter bool    `json:"lower_better"`
	Detail      string  `json:"detail"` // "0 errors, p99 3.1 ms"
}

// BetterThan compares two measurements of the same application.
func (m Measurement) BetterThan(other Measurement) bool {
	if m.LowerBetter {
		return m.Value < other.Value
	}
	return m.Value > other.Value
}

// String writes the number with its unit; nil is "-".
func (m *Measurement) String() string {
	if m == nil {
		return "-"
	}
	return FormatValue(m.Value) + " " + m.Unit
}

// FormatValue writes a number with three digits that count.
func FormatValue(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
