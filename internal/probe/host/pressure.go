package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"syscall"
	"time"

	"rtrail/internal/probe"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// pressure reads /proc/pressure (kernel Documentation/accounting/psi.rst).
type pressure struct {
	resources []string
	files     []procfile.File
}

func newPressure(fs FS) *pressure {
	p := &pressure{resources: []string{"cpu", "memory", "io", "irq"}}
	for _, resource := range p.resources {
		p.files = append(p.files, fs.file("proc/pressure", resource))
	}
	return p
}

func (p *pressure) read(w *recording.Writer, _ bool) error {
	var bad error
	for i, resource := range p.resources {
		b, err := p.files[i].Read()
		if err != nil {
			// irq is there only with interrupt time accounting, since 6.1.
			if resource != "irq" {
				bad = pressureMissing(err)
			}
			continue
		}
		row, err := parsePressure(b)
		if err != nil {
			bad = fmt.Errorf("pressure of %s: %w", resource, err)
			continue
		}
		row.At, row.Resource = time.Now(), resource
		recording.Append(w, row)
	}
	return bad
}

// pressureMissing tells apart a kernel without pressure information and one
// where it is switched off: older ones then have the files but refuse to read.
func pressureMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EOPNOTSUPP) {
		return &probe.MissingError{
			What: "pressure stall information is not built in or switched off",
			How:  "boot with psi=1 (kernel 4.20 or newer, CONFIG_PSI)",
			Err:  err,
		}
	}
	return err
}

// parsePressure reads the lines "some avg10=0.78 avg60=... total=12982982",
// total in microseconds. "full" is missing for cpu before 5.13, "some" for irq.
func parsePressure(b []byte) (recording.PressureSample, error) {
	var row recording.PressureSample
	lines := 0
	for line := range procfile.Lines(b) {
		kind, rest := procfile.Field(line)
		var total *time.Duration
		avg10 := new(float64)
		switch string(kind) {
		case "some":
			total, avg10 = &row.Some, &row.SomeAvg10
		case "full":
			total = &row.Full
		default:
			continue
		}
		for field := range bytes.FieldsSeq(rest) {
			name, value, _ := bytes.Cut(field, []byte{'='})
			switch string(name) {
			case "avg10":
				*avg10, _ = strconv.ParseFloat(string(value), 64)
			case "total":
				n, ok := procfile.Uint(value)
				if !ok {
					return row, fmt.Errorf("total is %q, not a number", value)
				}
				*total = procfile.Duration(n, time.Microsecond)
				lines++
			}
		}
	}
	if lines == 0 {
		return row, fmt.Errorf("no line with a total")
	}
	return row, nil
}
