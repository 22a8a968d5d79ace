package main

import (
	"rtrail/internal/probe"
	"rtrail/internal/probe/ability"
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
// processes. askDNS has name servers asked by rtrail itself.
func probes(people *census.Census, askDNS bool) []probe.Probe {
	sockets := socket.New(people)
	if askDNS {
		sockets.AskNameServers()
	}
	return []probe.Probe{
		host.New(host.FS{}),
		process.New(people),
		thread.New(people),
		sockets,
		cgroup.New(),
		klog.New(),
		openfile.New(people),
		ability.New(),
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
