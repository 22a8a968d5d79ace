package process

import (
	"bytes"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseStatus takes the lines of /proc/PID/status that stat does not have.
func parseStatus(row *recording.ProcessSample, b []byte) {
	if !row.Kernel && row.State != "Z" && row.State != "X" {
		// Without memory there are no such lines: a process that is just ending.
		row.Anon, row.File, row.Shmem, row.Swap = 0, 0, 0, 0
	}
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		colon := bytes.IndexByte(line, ':')
		if colon < 0 {
			continue
		}
		field, _ := procfile.Field(line[colon+1:])
		n, ok := procfile.Int(field)
		if !ok {
			continue
		}
		switch string(line[:colon]) {
		case "Uid":
			// The second number is the effective one, which ps shows.
			_, rest := procfile.Field(line[colon+1:])
			effective, _ := procfile.Field(rest)
			if n, ok = procfile.Int(effective); ok {
				row.UID = n
			}
		case "RssAnon":
			row.Anon = n << 10
		case "RssFile":
			row.File = n << 10
		case "RssShmem":
			row.Shmem = n << 10
		case "VmSwap":
			row.Swap = n << 10
		case "voluntary_ctxt_switches":
			row.Voluntary = n
		case "nonvoluntary_ctxt_switches":
			row.Involuntary = n
		}
	}
}

// parseIO takes /proc/PID/io (kernel Documentation/filesystems/proc.rst).
func parseIO(row *recording.ProcessSample, b []byte) {
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		name, rest, ok := bytes.Cut(line, []byte(": "))
		if !ok {
			continue
		}
		n, ok := procfile.Int(bytes.TrimSpace(rest))
		if !ok {
			continue
		}
		switch string(name) {
		case "rchar":
			row.ReadChars = n
		case "wchar":
			row.WriteChars = n
		case "syscr":
			row.ReadCalls = n
		case "syscw":
			row.WriteCalls = n
		case "read_bytes":
			row.ReadBytes = n
		case "write_bytes":
			row.WriteBytes = n
		case "cancelled_write_bytes":
			row.Cancelled = n
		}
	}
}

// Cgroups picks the paths from /proc/PID/cgroup: that of the hierarchy which
// limits CPU and that which limits memory. A v1 controller wins over the v2
// line, which on a hybrid host has no controllers.
func Cgroups(b []byte) (cpu, memory string) {
	var unified, cpuPath, memoryPath []byte
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		_, rest, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		controllers, path, ok := bytes.Cut(rest, []byte{':'})
		if !ok {
			continue
		}
		if len(controllers) == 0 {
			unified = path
			continue
		}
		for len(controllers) > 0 {
			var name []byte
			name, controllers, _ = bytes.Cut(controllers, []byte{','})
			switch string(name) {
			case "cpu":
				cpuPath = path
			case "memory":
				memoryPath = path
			}
		}
	}
	if cpuPath == nil {
		cpuPath = unified
	}
	if memoryPath == nil {
		memoryPath = unified
	}
	return string(cpuPath), string(memoryPath)
}
