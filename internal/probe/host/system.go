package host

import (
	"bytes"
	"strconv"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// system reads what SystemSample holds beside /proc/stat.
type system struct {
	loadavg procfile.File
	fileNr  procfile.File
}

func newSystem(fs FS) system {
	return system{loadavg: fs.file("proc/loadavg"), fileNr: fs.file("proc/sys/fs/file-nr")}
}

// read fills what it can; what it cannot stays Unknown. The load averages have
// no Unknown and stay 0 where /proc/loadavg is hidden; Tasks is then Unknown.
func (s *system) read(row *recording.SystemSample) {
	if b, err := s.loadavg.Read(); err == nil {
		parseLoad(row, b)
	}
	if b, err := s.fileNr.Read(); err == nil {
		parseFileNr(row, b)
	}
}

// ReadLoad fills what a copy of /proc/loadavg tells.
func ReadLoad(row *recording.SystemSample, b []byte) { parseLoad(row, b) }

// ReadFiles fills what a copy of /proc/sys/fs/file-nr tells.
func ReadFiles(row *recording.SystemSample, b []byte) { parseFileNr(row, b) }

// parseLoad reads "0.00 0.03 0.05 1/95 8269".
func parseLoad(row *recording.SystemSample, b []byte) {
	fields := bytes.Fields(b)
	if len(fields) < 4 {
		return
	}
	for i, load := range []*float64{&row.Load1, &row.Load5, &row.Load15} {
		if value, err := strconv.ParseFloat(string(fields[i]), 64); err == nil {
			*load = value
		}
	}
	if _, tasks, ok := bytes.Cut(fields[3], []byte{'/'}); ok {
		if n, ok := procfile.Int(tasks); ok {
			row.Tasks = n
		}
	}
}

// parseFileNr reads "allocated free maximum"; free is always 0 since 2.6.
func parseFileNr(row *recording.SystemSample, b []byte) {
	line, _ := procfile.Line(b)
	open, rest, ok := procfile.NextUint(line)
	if !ok {
		return
	}
	_, rest, _ = procfile.NextUint(rest)
	most, _, ok := procfile.NextUint(rest)
	if !ok {
		return
	}
	row.FilesOpen, row.FilesMax = int64(min(open, 1<<62)), int64(min(most, 1<<63-1))
}
