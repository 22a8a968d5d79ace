package load

import "fmt"

// Measurement is what the application itself says about its service.
type Measurement struct {
	Value       float64 `json:"value"`
	Unit        string  `json:"unit"` // "requests/s", "ms p99"
	LowerBetter bool    `json:"lower_better"`
	Detail      string  `json:"detail"` // "0 errors, p99 3.1 ms"

	Beside []Measurement `json:"beside,omitempty"` // of other applications at the same time
}

// BetterThan compares two measurements of the same application. Of several
// applications each must be better.
func (m Measurement) BetterThan(other Measurement) bool {
	for i := range m.Beside {
		if !m.Beside[i].BetterThan(other.Beside[i]) {
			return false
		}
	}
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
	s := FormatValue(m.Value) + " " + m.Unit
	for i := range m.Beside {
		s += ", " + m.Beside[i].String()
	}
	return s
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
