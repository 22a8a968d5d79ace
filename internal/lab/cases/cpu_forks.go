package cases

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// lineServer is a service written as a shell script, as many are: it answers
// lines. While the file "careless" exists it runs two commands for each line
// that the shell could do itself.
const lineServer = `#!/bin/bash
while read -r line; do
	if [ -e careless ]; then
		now=$(/bin/date +%s)
		word=$(/usr/bin/basename "$line")
	else
		now=$EPOCHSECONDS
		word=${line##*/}
	fi
	echo "$now $word"
done
`

// cpuShortLivedProcesses has a script start a process or two for everything
// it does, none of which lives long enough to be seen in top.
func cpuShortLivedProcesses() Case {
	var in, out *os.File
	return Case{
		ID:    "cpu/short-lived-processes",
		Title: "a shell script that runs two short commands per request",
		Rule:  "cpu/short-lived-processes",
		Kind:  "process",
		Name:  "line-server",
		Needs: env.Needs{Commands: []string{"bash"}, Packages: []string{"bash"}},
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			path, err := e.WriteFile("bin/line-server", lineServer)
			if err != nil {
				return err
			}
			if err := os.Chmod(path, 0o755); err != nil {
				return err
			}
			if in, err = fifo(e, "requests"); err != nil {
				return err
			}
			if out, err = fifo(e, "answers"); err != nil {
				return err
			}
			_, err = e.Start("/bin/sh", "-c", fmt.Sprintf("exec %s <%s >%s", path, in.Name(), out.Name()))
			return err
		},
		Inject: func(ctx context.Context, e *env.Env) error {
			_, err := e.WriteFile("careless", "")
			return err
		},
		Fix: func(ctx context.Context, e *env.Env) error { return os.Remove(e.Path("careless")) },
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			var r load.PacedResult
			answer := make([]byte, 4096)
			start := time.Now()
			for ctx.Err() == nil && time.Since(start) < d {
				sent := time.Now()
				if _, err := in.WriteString("/var/lib/queue/item\n"); err != nil {
					return load.Measurement{}, err
				}
				if err := out.SetReadDeadline(sent.Add(5 * time.Second)); err != nil {
					return load.Measurement{}, err
				}
				if _, err := out.Read(answer); err != nil {
					return load.Measurement{}, fmt.Errorf("wait for the script's answer: %w", err)
				}
				r.Latencies = append(r.Latencies, time.Since(sent))
				env.Sleep(ctx, time.Until(sent.Add(5*time.Millisecond)))
			}
			r.Elapsed = time.Since(start)
			slices.Sort(r.Latencies)
			return r.P50(), ctx.Err()
		},
	}
}

// fifo makes a named pipe in the lab's folder and opens it, so that its other
// end opens at once. Reads can have a deadline.
func fifo(e *env.Env, name string) (*os.File, error) {
	path := e.Path(name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make a named pipe: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	e.Defer("close a named pipe", f.Close)
	return f, nil
}
