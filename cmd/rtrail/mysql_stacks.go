package main

import (
	"slices"

	"rtrail/internal/recording"
)

// localServers lists the processes of this host that answered as MySQL servers.
func localServers(rec *recording.Recording) []int32 {
	var pids []int32
	for _, s := range recording.Rows[recording.MySQLServer](rec) {
		if s.PID > 0 && !slices.Contains(pids, s.PID) {
			pids = append(pids, s.PID)
		}
	}
	return pids
}
