// Package ability tells what this host could do when it was measured: the baseline that is
// kept with it.
package ability

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/recording"
)

// Probe reads the baseline of the host, again when it was measured again. A host without one
// lacks nothing.
type Probe struct {
	path string
	seen time.Time // when the file that was read was written
}

// New makes a probe of the host's baseline.
func New() *Probe { return &Probe{path: baseline.DefaultPath} }

// every is how often it is looked whether there is another one.
const every = time.Minute

// Name implements probe.Probe.
func (p *Probe) Name() string { return "baseline" }

// Help implements probe.Probe.
func (p *Probe) Help() string {
	return "what this host could do when rtrail bench baseline measured it"
}

// Fills implements probe.Probe.
func (p *Probe) Fills() []recording.Table { return []recording.Table{recording.Baselines} }

// Interval implements probe.Paced.
func (p *Probe) Interval(run time.Duration) time.Duration { return max(run, every) }

// Start implements probe.Probe.
func (p *Probe) Start() error {
	p.seen = time.Time{}
	return nil
}

// Close implements probe.Probe.
func (p *Probe) Close() error { return nil }

// Sample reads the file if it is new.
func (p *Probe) Sample(_ context.Context, w *recording.Writer) error {
	info, err := os.Lstat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil
	case err != nil:
		return err
	case info.ModTime().Equal(p.seen):
		return nil
	}
	b, err := baseline.Load(p.path)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	p.seen = info.ModTime()
	now := time.Now()
	for _, v := range b.Values {
		recording.Append(w, recording.BaselineValue{At: now, Measured: b.Measured, Kind: string(v.Kind), Thing: v.Thing, What: string(v.What), Value: float64(v.Value)})
	}
	return nil
}
