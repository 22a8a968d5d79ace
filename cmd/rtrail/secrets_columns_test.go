package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/recording"
)

// Every column of text of every table says here what keeps secrets out of it:
//
//	ours      words of rtrail, of the kernel and of protocols, numbers and addresses
//	name      a name that somebody gave: of a program, file, user, host or table
//	free      free text from outside, which loses its secrets on its way in
//	as:OTHER  made by the code that makes the other column
//	DIR:Test  the same, and what proves it needs a source that only its own tests have
//
// TestSecretsReachNoColumn feeds those that are free.
var columnsOfText = map[recording.Table]string{
	recording.CPUs:         "",
	recording.System:       "",
	recording.Memory:       "",
	recording.VMStat:       "",
	recording.Softnet:      "",
	recording.Conntrack:    "",
	recording.Limits:       "",
	recording.SocketOwners: "",
	recording.Pressure:     "resource=ours",
	recording.Swaps:        "device=name kind=ours",
	recording.Zones:        "zone=ours",
	recording.Disks:        "device=ours backing=name slaves=ours scheduler=ours",
	recording.Baselines:    "kind=name thing=name what=name",
	recording.Mounts:       "mount_point=name device=free fs_type=ours",
	recording.NetDevices:   "interface=name master=name kind=ours",
	recording.Protocol:     "protocol=ours name=ours",
	recording.NameServers:  "server=ours via=ours",
	recording.Qdiscs:       "interface=name kind=ours",
	recording.SoftIRQs:     "kind=ours",
	recording.Interrupts:   "irq=ours device=ours",
	recording.Firewall:     "backend=ours family=ours table=name chain=name verdict=ours match=internal/probe/socket:TestNoSecretsInComments",
	recording.Sysctls:      "name=name value=ours",
	recording.NetNamespace: "name=name comm=name",
	recording.Processes:    "comm=name cmdline=free state=ours cgroup=name mem_cgroup=name io_cgroup=name wchan=ours",
	recording.Threads:      "comm=name state=ours syscall_name=ours wchan=ours stack=ours",
	recording.Locks:        "thread=name",
	recording.Cgroups:      "path=name cpuset=ours io_limits=ours io_done=ours",
	recording.TCPSockets:   "local=ours remote=ours",
	recording.Listeners:    "local=ours",
	recording.UDPSockets:   "local=ours remote=ours",
	recording.OpenFiles:    "process=name path=name device=ours",
	recording.KernelLog:    "text=internal/probe/klog:TestNoSecretsInLines",

	recording.ProcessEvents:  "kind=ours comm=name cmdline=internal/probe/event/exec:TestNoSecretsInArguments",
	recording.OffCPU:         "process=name thread=name state=ours stack=ours waker=name interrupt=ours waker_stack=ours holder_stack=ours user_stack=name caller=name",
	recording.OnCPU:          "process=name function=name module=name source=name stack=name",
	recording.Syscalls:       "process=name call=ours",
	recording.Syncs:          "process=name call=ours path=name device=ours histogram=ours",
	recording.Allocations:    "process=name function=name module=name source=name stack=name",
	recording.Files:          "process=name kind=ours path=name device=ours read_call=ours write_call=ours",
	recording.FileOpens:      "process=name path=name",
	recording.PageCache:      "process=name device=ours",
	recording.BlockIO:        "device=ours operation=ours process=name queue_histogram=ours service_histogram=ours",
	recording.PacketDrops:    "device=name reason=ours function=ours protocol=ours source=name destination=name",
	recording.TCPEvents:      "kind=ours local=ours remote=ours reason=ours",
	recording.ReceiveBuffers: "kind=ours protocol=ours local=ours remote=ours process=name",
	recording.Connects:       "process=name local=ours remote=ours result=ours histogram=ours",
	recording.EventPrograms:  "probe=ours program=ours tracepoint=ours",

	recording.PacketCaptures:         "source=name netns=name point=ours decode_as=ours note=ours",
	recording.PacketConnections:      "client=ours server=ours proto=ours why=ours ending=ours closer=ours close_state=ours",
	recording.PacketSides:            "sender=ours",
	recording.PacketServices:         "server=ours proto=ours",
	recording.PacketHistograms:       "server=ours proto=ours phase=ours",
	recording.PacketStatements:       "server=ours proto=ours command=ours fingerprint=free code=ours error=free",
	recording.PacketErrors:           "server=ours proto=ours command=ours fingerprint=free code=ours error=free",
	recording.PacketTransactions:     "client=ours server=ours proto=ours command=ours fingerprint=free status=ours doubt=ours code=ours error=free",
	recording.PacketNestings:         "host=ours callee=ours",
	recording.PacketPairs:            "server=ours backend=ours proto=ours",
	recording.PacketPairTransactions: "client=ours server=ours backend=ours proto=ours command=ours fingerprint=free",
	recording.PacketPaths:            "sender=ours",
	recording.PacketRates:            "from=ours to=ours",
	recording.PacketDirections:       "client=ours server=ours proto=ours sender=ours",
	recording.PacketResolvers:        "server=ours client=ours",
	recording.PacketStalls:           "server=ours proto=ours command=ours fingerprint=as:packet_statements.fingerprint waiting=as:packet_statements.fingerprint",
	recording.PacketsUnanswered:      "server=ours proto=ours command=ours fingerprint=as:packet_statements.fingerprint client=ours",

	recording.MySQLServers:      "server=name flavor=ours version=name user=name state=ours error=free collected=ours skipped=free",
	recording.MySQLStatuses:     "server=name name=name",
	recording.MySQLVariables:    "server=name name=name value=free",
	recording.MySQLSessions:     "server=name user=name client=name db=name command=ours state=ours statement=free",
	recording.MySQLClients:      "server=name user=name client=name",
	recording.MySQLStates:       "server=name command=ours state=ours",
	recording.MySQLTransactions: "server=name id=ours state=ours isolation=ours statement=free",
	recording.MySQLLockWaits: "server=name kind=ours object=free index=name mode=ours waiting_statement=free blocking_statement=free " +
		"blocking_command=ours blocking_user=name blocking_client=name blocking_mode=ours",
	recording.MySQLStatements: "server=name schema=name digest=ours text=free",
	recording.MySQLInnoDBs:    "server=name",
	recording.MySQLLatches:    "server=name thread=ours file=ours name=ours mode=ours",
	recording.MySQLPoolGroups: "server=name",
	recording.MySQLPoolWaits:  "server=name reason=ours",
	recording.MySQLReplicas:   "server=name channel=name source=name io_running=ours sql_running=ours sql_state=ours io_error=free sql_error=free",
	recording.MySQLErrors:     "server=name name=ours",
	recording.MySQLPlans:      "server=name schema=name digest=ours statement=free kind=ours name=name access=ours possible=name key=name extra=free",
	recording.MySQLConditions: "server=name statement=free form=ours by=ours schema=name name=name column=name type=name indexes=name",
	recording.MySQLTables:     "server=name schema=name name=name engine=name",
	recording.MySQLSlowLog:    "server=name user=name client=name db=name statement=as:mysql_sessions.statement",

	// Frames are symbols of programs.
	recording.Stacks:      "source=name kind=ours process=free thread=free state=ours frames=name object=free",
	recording.StackLocks:  "source=name lock=ours class=name holder=free held=name waiter=free",
	recording.ProbeRuns:   "probe=ours error=ours",
	recording.TableLosses: "probe=ours table=ours",
	recording.Unseen:      "probe=ours what=ours why=free how=name",
}

// freeColumns checks the list against the tables, and gives the columns that are
// fed.
func freeColumns(t *testing.T) (free []string) {
	t.Helper()
	all, copies := recording.AllTables(), map[string]string{}
	for table := range columnsOfText {
		if !slices.Contains(all, table) {
			t.Errorf("%s is no table any more: take it off the list", table)
		}
	}
	for _, table := range all {
		listed := map[string]string{}
		of, known := columnsOfText[table]
		if !known {
			t.Errorf("table %s is new: say of each of its columns of text what keeps secrets out of it", table)
			continue
		}
		for entry := range strings.FieldsSeq(of) {
			column, what, _ := strings.Cut(entry, "=")
			listed[column] = what
		}
		for _, column := range recording.TextColumns(table) {
			what := listed[column]
			delete(listed, column)
			dir, test, elsewhere := strings.Cut(what, ":")
			switch {
			case what == "ours", what == "name":
			case what == "free":
				free = append(free, string(table)+"."+column)
			case dir == "as":
				copies[string(table)+"."+column] = test
			case elsewhere && hasTest(dir, test):
			default:
				t.Errorf("%s.%s: what keeps secrets out of it? %q is no answer", table, column, what)
			}
		}
		for column := range listed {
			t.Errorf("%s.%s is no column of text any more: take it off the list", table, column)
		}
	}
	for column, of := range copies {
		if !slices.Contains(free, of) {
			t.Errorf("%s is to be as %s, which is not fed", column, of)
		}
	}
	return free
}

// hasTest says whether a package has a test of this name.
func hasTest(dir, name string) bool {
	files, _ := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(b), "\nfunc "+name+"(")
	})
}
