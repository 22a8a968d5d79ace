package beside

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Share is where the CPU time of the machine went while a program ran beside
// the load, in percent of all CPU time that was not idle. It is sampled, and
// does not depend on how fast the machine is in a second; what the program costs
// others by emptying their caches is not in it.
type Share struct {
	Program float64 // in the program, the kernel on its behalf included
	Kernel  float64 // elsewhere, in kernel functions that work for it
	Samples int
}

// Share runs a program beside the load and has perf sample all CPUs meanwhile.
// Of the time of others, what lies below one of the kernel functions counts.
func (l *Load) Share(cmd *exec.Cmd, length time.Duration, functions ...string) (s Share, err error) {
	dir, err := os.MkdirTemp("", "rtrail-measure-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	samples := filepath.Join(dir, "perf.data")
	perf := exec.Command("perf", "record", "--all-cpus", "--call-graph=fp", "--kernel-callchains", "--freq=1999", "--event=cpu-clock", "--output="+samples, "--",
		"sleep", fmt.Sprintf("%.1f", length.Seconds()))
	sampled := make(chan error, 1)
	time.AfterFunc(settling, func() {
		out, err := perf.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("sample all CPUs with perf (Debian: linux-perf): %w: %s", err, out)
		}
		sampled <- err
	})
	if _, err := l.Run(cmd, length+settling); err != nil {
		<-sampled
		return s, err
	}
	if err := <-sampled; err != nil {
		return s, err
	}
	script := exec.Command("perf", "script", "--input="+samples, "--fields=comm,ip,sym")
	out, err := script.StdoutPipe()
	if err != nil {
		return s, err
	}
	if err := script.Start(); err != nil {
		return s, fmt.Errorf("read what perf sampled: %w", err)
	}
	s = countSamples(out, filepath.Base(cmd.Path), functions)
	if err := script.Wait(); err != nil {
		return s, fmt.Errorf("read what perf sampled: %w", err)
	}
	if s.Program == 0 || s.Kernel == 0 {
		return s, fmt.Errorf("read what perf sampled: of %d samples none names %s, or none a function that works for it", s.Samples, filepath.Base(cmd.Path))
	}
	return s, nil
}

// countSamples reads what perf script prints: the name of a thread, its stack,
// one "address function" a line, an empty line.
func countSamples(text io.Reader, program string, functions []string) (s Share) {
	var inProgram, inKernel int
	thread, below := "", false
	end := func() {
		switch {
		case thread == "" || strings.HasPrefix(thread, "swapper"):
			// no sample, or an idle CPU
		case thread == program:
			s.Samples++
			inProgram++
		default:
			s.Samples++
			if below {
				inKernel++
			}
		}
		thread, below = "", false
	}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "":
			end()
		case thread == "":
			thread = line
		default:
			_, function, _ := strings.Cut(line, " ")
			below = below || slices.Contains(functions, function)
		}
	}
	end()
	if s.Samples > 0 {
		s.Program = 100 * float64(inProgram) / float64(s.Samples)
		s.Kernel = 100 * float64(inKernel) / float64(s.Samples)
	}
	return s
}
