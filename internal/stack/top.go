package stack

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadTop reads what `top -H -b -n1` writes: the CPU use of threads, in per
// cent of one core, by thread id. Of several rounds the last one counts, as
// the first says what was used since the thread began.
func ReadTop(in io.Reader) (map[int32]float64, error) {
	lines := bufio.NewScanner(in)
	pid, cpu := -1, -1
	threads := map[int32]float64{}
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if p, c := slices.Index(fields, "PID"), slices.Index(fields, "%CPU"); p >= 0 && c >= 0 {
			pid, cpu = p, c
			clear(threads)
			continue
		}
		if pid < 0 || len(fields) <= max(pid, cpu) {
			continue
		}
		id, err := strconv.ParseInt(fields[pid], 10, 32)
		if err != nil {
			continue
		}
		share, err := strconv.ParseFloat(strings.ReplaceAll(fields[cpu], ",", "."), 64)
		if err != nil || share < 0 {
			continue
		}
		threads[int32(id)] = share
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if pid < 0 {
		return nil, fmt.Errorf("there is no line with PID and %%CPU: want the output of top -H -b -n1")
	}
	return threads, nil
}
