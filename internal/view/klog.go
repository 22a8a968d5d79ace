package view

import (
	"strings"

	"rtrail/internal/recording"
)

// LogLines lists what the kernel logged inside the window, each line once, in
// the order of writing. The recording also holds older lines; they are about the
// past and judge nothing.
func (v *View) LogLines() []recording.KernelLogLine {
	return Memo(v, "log-lines", func() []recording.KernelLogLine {
		var lines []recording.KernelLogLine
		seen := map[uint64]bool{}
		for _, l := range recording.Rows[recording.KernelLogLine](v.rec) {
			if l.Logged.Before(v.start) || l.Logged.After(v.end) || seen[l.Sequence] {
				continue
			}
			seen[l.Sequence] = true
			lines = append(lines, l)
		}
		return lines
	})
}

// LogLinesWith lists the lines of the window that contain a text.
func (v *View) LogLinesWith(text string) []recording.KernelLogLine {
	var found []recording.KernelLogLine
	for _, l := range v.LogLines() {
		if strings.Contains(l.Text, text) {
			found = append(found, l)
		}
	}
	return found
}
