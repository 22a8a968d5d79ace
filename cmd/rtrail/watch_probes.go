package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// inWords names probes that do not run, those of one reason together.
func inWords(missing []missingProbe) string {
	var reasons []string
	of := map[string][]string{}
	for _, p := range missing {
		if of[p.Why] == nil {
			reasons = append(reasons, p.Why)
		}
		of[p.Why] = append(of[p.Why], p.Probe)
	}
	for i, why := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", strings.Join(of[why], ", "), why)
	}
	return strings.Join(reasons, "; ")
}

// outages are the probes that gave nothing but errors when a window was judged last: an interface
// that is gone, a server that does not answer.
type outages map[string]bool

// next tells which probes fail from this window on, and which read again.
func (o outages) next(v *view.View) (lines []string) {
	errs, read := map[string]string{}, map[string]bool{}
	for _, r := range view.Rows[recording.ProbeRun](v) {
		if r.Error == "" {
			read[r.Probe] = true
		} else {
			errs[r.Probe] = r.Error
		}
	}
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if !read[name] && !o[name] {
			o[name] = true
			lines = append(lines, fmt.Sprintf("probe %s reads nothing, and what it tells is not judged: %s", escape.Line(name), escape.Line(errs[name])))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if read[name] {
			delete(o, name)
			lines = append(lines, fmt.Sprintf("probe %s reads again", escape.Line(name)))
		}
	}
	return lines
}
