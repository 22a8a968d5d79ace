package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load/actor"
)

// StartActor starts one of the lab's own small programs (package actor) under
// a name of its own.
func StartActor(e *env.Env, o env.Options, name, part string, args ...string) (*env.Proc, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	link := e.Path(filepath.Join("bin", name))
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	if err := os.Symlink(exe, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	o.Env = append(slices.Clone(o.Env), actor.Variable+"="+part)
	return e.StartWith(o, link, args...)
}

// Reports reads what an actor has reported so far.
func Reports(e *env.Env, file string) ([]int64, error) {
	b, err := os.ReadFile(e.Path(file))
	if err != nil {
		return nil, err
	}
	var values []int64
	for _, f := range strings.Fields(string(b)) {
		v, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read what the service reports: %w", err)
		}
		values = append(values, v)
	}
	return values, nil
}

// ReportedRate returns by how much the reported numbers grow per second.
func ReportedRate(ctx context.Context, e *env.Env, d time.Duration, file string) ([]float64, error) {
	first, err := Reports(e, file)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	env.Sleep(ctx, d)
	last, err := Reports(e, file)
	if err != nil {
		return nil, err
	}
	if len(first) == 0 || len(first) != len(last) {
		return nil, fmt.Errorf("read what the service reports: %d numbers, then %d", len(first), len(last))
	}
	rates := make([]float64, len(last))
	for i := range last {
		rates[i] = float64(last[i]-first[i]) / time.Since(start).Seconds()
	}
	return rates, ctx.Err()
}

// UntilReported waits until an actor has done something.
func UntilReported(ctx context.Context, e *env.Env, file string) error {
	return env.Until(ctx, 10*time.Second, "the service to begin", func() (bool, error) {
		v, err := Reports(e, file)
		return len(v) > 0 && v[0] > 0, err
	})
}
