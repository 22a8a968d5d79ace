package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/unit"
)

const (
	// MostRuns is how many runs a file may have.
	MostRuns = 100_000
	// longestLine bounds a run, and largestFile all of a file.
	longestLine = 1 << 20
	largestFile = 256 << 20
)

// Append writes a run as a line.
func (r *Run) Append(w io.Writer) error {
	r.fill()
	return document.JSONLine(w, r)
}

// Read reads the runs of a file. A last line that was cut off, as by a kill, is left out and
// told by cut; any other line that is no run is an error, which names the line.
func Read(r io.Reader) (runs []Run, cut bool, err error) {
	lines, total := bufio.NewReaderSize(r, 64<<10), 0
	for n := 1; ; n++ {
		line, err := readLine(lines)
		if total += len(line); total > largestFile {
			return runs, false, fmt.Errorf("it has more than %v", unit.Bytes(largestFile))
		}
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return runs, false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return runs, false, fmt.Errorf("line %d: %w", n, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var run Run
			failed := json.Unmarshal(line, &run)
			switch {
			case failed != nil && err != nil:
				return runs, true, nil
			case failed != nil && n == 1 && line[0] != '{':
				return runs, false, errors.New("it holds no runs of rtrail bench, one in a line, nor is it a log of sysbench (CSV files are for rtrail bench compare)")
			case failed == nil:
				failed = run.check()
			}
			if failed != nil {
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

const (
	// most is more than any number of a run.
	most = 1e15
	// mostThreads bounds clients, and repeats.
	mostThreads = 10_000_000
	// longestName bounds names; a scenario may be the path of a script.
	longestName = 4096
	// mostNear bounds the parts of a host that are near to a baseline.
	mostNear = 1000
)

// check refuses what no run has.
func (r *Run) check() error {
	if r.Threads < 0 || r.Threads > mostThreads || r.Repeat < 0 || r.Repeat > mostThreads || r.Host.Samples < 0 {
		return fmt.Errorf("it has %d threads, repeat %d, %d samples", r.Threads, r.Repeat, r.Host.Samples)
	}
	for _, name := range []string{r.Environment, r.Scenario, r.Recording} {
		if len(name) > longestName {
			return fmt.Errorf("a name is longer than %d bytes", longestName)
		}
	}
	for _, at := range []time.Time{r.Began, r.Ended} {
		if !at.IsZero() && (at.Year() < 1995 || at.Year() > 2200) {
			return fmt.Errorf("it ran in the year %d", at.Year())
		}
	}
	if !r.Ended.IsZero() && r.Ended.Before(r.Began) { // without an end it failed
		return errors.New("it ended before it began")
	}
	numbers := []document.Number{r.Rate, r.Generator, r.Host.CPUs, r.Host.User, r.Host.System, r.Host.Softirq, r.Host.IOWait, r.Host.Util,
		r.Costs.CPU, r.Costs.Switches, r.Costs.Read, r.Costs.Written, r.Costs.Sent}
	for _, l := range []*Load{&r.Load, &r.Alone, &r.Wire} {
		numbers = append(numbers, l.TPS, l.QPS, l.Errors, l.Mean, l.P50, l.P95, l.P99, l.Max)
	}
	if len(r.Baseline) > mostNear {
		return fmt.Errorf("it has %d shares of a baseline", len(r.Baseline))
	}
	for _, n := range r.Baseline {
		if numbers = append(numbers, n.Share); len(n.Thing)+len(n.What) > longestName {
			return fmt.Errorf("a name is longer than %d bytes", longestName)
		}
	}
	for _, x := range numbers {
		if x < 0 || x > most {
			return fmt.Errorf("it has the number %v", float64(x))
		}
	}
	return nil
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
