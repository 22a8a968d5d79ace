package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"rtrail/internal/document"
)

const (
	// MostRuns is how many runs a file may have.
	MostRuns = 100_000
	// longestLine bounds a run.
	longestLine = 1 << 20
)

// Append writes a run as a line.
func (r *Run) Append(w io.Writer) error { return document.JSONLine(w, r) }

// Read reads the runs of a file. A last line that was cut off, as by a kill, is left out and
// told by cut; any other line that is no run is an error, which names the line.
func Read(r io.Reader) (runs []Run, cut bool, err error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return runs, false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return runs, false, fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var run Run
			if failed := json.Unmarshal(line, &run); failed != nil {
				if err != nil {
					return runs, true, nil
				}
				return runs, false, fmt.Errorf("line %d is no run of rtrail bench: %w", n, failed)
			}
			if len(runs) == MostRuns {
				return runs, false, fmt.Errorf("more than %d runs", MostRuns)
			}
			runs = append(runs, run)
		}
		if err != nil {
			return runs, false, nil
		}
	}
}

// readLine reads a line with its end, of a bounded length.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longestLine:
			return nil, fmt.Errorf("longer than %d bytes", longestLine)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		return line, err
	}
}
