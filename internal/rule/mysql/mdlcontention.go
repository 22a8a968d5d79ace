package mysql

import (
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var mdlContention = rule.Rule{
	ID:         "mysql/mdl-contention",
	Title:      "statements wait for the hash of metadata locks",
	Plural:     "servers have statements that wait for the hash of metadata locks",
	Resource:   "locks inside MySQL",
	Needs:      []recording.Table{recording.Stacks},
	Explains:   []string{"cpu/saturated", "cpu/context-switches", "cpu/one-thread-limit", "rt/server-slow", "rt/worker-queueing", "mysql/spin-waste"},
	Thresholds: []*rule.Threshold{&mostBytes, &minQueue, &queueShare, &manyWait, &mostWait, &fullCPUs, &busyServer},
	Seen:       serverInside,
	Detect:     detectMDLContention,
}

const (
	// enoughPartitions of the hash: the default is 8. MySQL 5.6 takes the partition
	// of a lock and its bucket therein from the low bits of one number, which
	// coincide if the partitions are a power of two: so this is a prime.
	enoughPartitions, maxPartitions = 251, 1024
)

func detectMDLContention(v *view.View) ([]rule.Finding, error) {
	servers, err := insidesOf(v)
	var found []rule.Finding
	for _, x := range servers {
		w, waiting, share := x.queue("mysql/mdl-map")
		partitions := x.mdlPartitions()
		if partitions >= enoughPartitions && share < mostWait.Value && x.cpusFull() {
			// More mutexes do not end a queue of threads that lost their CPU in it.
			continue
		}
		if sure := x.sureOfQueue(waiting, share); sure != 0 {
			found = append(found, x.mdlFinding(w, waiting, share, partitions, sure))
		}
	}
	return found, err
}

// mdlPartitions is into how many parts the hash is split; 0: not known.
func (x insides) mdlPartitions() (n int64) {
	if x.s != nil {
		n, _ = x.s.IntVariable("metadata_locks_hash_instances")
	}
	return n
}

func (x insides) mdlFinding(w view.StackWait, waiting, share float64, partitions int64, sure rule.Confidence) rule.Finding {
	who := x.subject()
	f := rule.Finding{Subject: who, Confidence: sure, Affects: x.affects()}
	f.Impact = timeLost(waiting, rule.T("%s statements wait on average", unit.Number(waiting)))
	f.Evidence = []rule.Evidence{x.stackEvidence(w, waiting, share, "MDL_map")}
	switch {
	case partitions == 1:
		f.Headline = rule.T("%s of the running statements of %s queue for the one mutex of the metadata lock hash: metadata_locks_hash_instances is 1", unit.Share(share), who)
	case partitions > 1:
		f.Headline = rule.T("%s of the running statements of %s queue for mutexes of the metadata lock hash: metadata_locks_hash_instances is %d", unit.Share(share), who, partitions)
	default:
		f.Headline = rule.T("%s of the busy threads of %s wait for the hash of metadata locks: see metadata_locks_hash_instances", unit.Share(share), who)
	}
	if partitions > 0 {
		f.Evidence = append(f.Evidence, setting(x.s, metric.MySQLMDLHashInstances, "metadata_locks_hash_instances", partitions))
	}
	if partitions < maxPartitions {
		to := int64(enoughPartitions)
		if partitions >= to {
			to = min(2*partitions, maxPartitions)
		}
		f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("split the hash: metadata_locks_hash_instances = %d in my.cnf, below [mysqld]; then restart the server", to),
			Tradeoff: "a restart; does not help if all statements use one table: its lock is in one partition" + x.gain()})
	}
	f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("upgrade to MySQL 5.7 or later, which looks up metadata locks without a mutex"), Tradeoff: "an upgrade"})
	return f
}
