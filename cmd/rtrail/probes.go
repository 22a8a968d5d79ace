package main

import (
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/cgroup"
	"rtrail/internal/probe/host"
	"rtrail/internal/probe/klog"
	"rtrail/internal/probe/openfile"
	"rtrail/internal/probe/process"
	"rtrail/internal/probe/socket"
	"rtrail/internal/probe/thread"
	"rtrail/internal/recording"
	"rtrail/internal/version"
)

// probes are all sources of evidence about this host. They share the count of its
// processes.
func probes(people *census.Census) []probe.Probe {
	return []probe.Probe{
		host.New(host.FS{}),
		process.New(people),
		thread.New(people),
		socket.New(people),
		cgroup.New(),
		klog.New(),
		openfile.New(people),
	}
}

// manifest describes this host and this program.
func manifest() recording.Manifest {
	return recording.Manifest{
		Format: recording.FormatVersion,
		Tool:   "rtrail " + version.String(),
		Host:   host.Identify(host.FS{}),
	}
}
