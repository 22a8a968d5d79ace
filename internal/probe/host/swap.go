package host

import (
	"bytes"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseSwaps reads /proc/swaps (kernel mm/swapfile.c): lines
// "/dev/sda2 partition 8388604 1024 -2", sizes in KiB.
func parseSwaps(rows []recording.SwapSample, at time.Time, b []byte, _ *procfile.Names) ([]recording.SwapSample, error) {
	for line := range procfile.Lines(b) {
		fields := bytes.Fields(line)
		if len(fields) < 5 {
			continue
		}
		size, ok := procfile.Int(fields[2])
		used, ok2 := procfile.Int(fields[3])
		if !ok || !ok2 {
			continue // the heading
		}
		rows = append(rows, recording.SwapSample{
			At: at, Device: unescape(fields[0]), Kind: string(fields[1]),
			Size: min(size, 1<<52) << 10, Used: min(used, 1<<52) << 10,
		})
	}
	return rows, nil
}

// unescape undoes the kernel's mangling of blanks, tabs, newlines and
// backslashes in paths: \040, \011, \012, \134.
func unescape(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+3 < len(b) && octal(b[i+1]) && octal(b[i+2]) && octal(b[i+3]) {
			out = append(out, (b[i+1]-'0')<<6|(b[i+2]-'0')<<3|(b[i+3]-'0'))
			i += 3
			continue
		}
		out = append(out, b[i])
	}
	return string(out)
}

func octal(c byte) bool { return c >= '0' && c <= '7' }
