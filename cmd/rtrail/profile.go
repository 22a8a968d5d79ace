package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"rtrail/internal/outfile"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/stack"
	"rtrail/internal/stack/flame"
	"rtrail/internal/stack/show"
	"rtrail/internal/view"
)

// profileFlags are files of what ran, and where threads waited.
type profileFlags struct {
	flame, pprof string
}

func (p *profileFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.flame, "flame", "", "also write flame graphs of CPU time to this file (HTML); with --events all, of waits as well")
	f.StringVar(&p.pprof, "pprof", "", "also write CPU time, and waits with --events all, as a profile for pprof to this file")
}

func (p *profileFlags) given() bool { return p.flame != "" || p.pprof != "" }

// errProfile refuses files of what ran where nothing tells of it.
var errProfile = usageError("--flame and --pprof are of this host or a recording; for dumps of stacks: rtrail stacks --html FILE --pprof FILE")

// write writes the files that were asked for.
func (p *profileFlags) write(ctx context.Context, e *session.Evidence, what string) error {
	if !p.given() {
		return nil
	}
	v := e.View()
	profile := stack.Recorded(what, view.Rows[recording.OnCPUSample](v), v.OffCPURows())
	if len(profile.Stacks) == 0 {
		return errors.New("writing a profile: no samples tell what ran; rtrail doctor says what is missing")
	}
	if p.flame != "" {
		if err := outfile.Write(ctx, p.flame, func(w *outfile.File) error { return flame.Write(w, "CPU time of "+what, profile) }); err != nil {
			return fmt.Errorf("writing the flame graphs: %w", err)
		}
	}
	if p.pprof != "" {
		if err := outfile.Write(ctx, p.pprof, func(w *outfile.File) error { return show.PProf(w, profile) }); err != nil {
			return fmt.Errorf("writing the profile: %w", err)
		}
	}
	return nil
}
