package mysql

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe/mysql/slowlog"
	"rtrail/internal/recording"
)

const (
	// slowBefore is how much of the log's end is read at first: an entry that
	// was written in the very moment of the start, and the current database.
	slowBefore = 64 << 10
	// maxSlow bounds what is read of the log in one look; of a log that grows
	// faster the last entries are read.
	maxSlow = 1 << 20
	// maxSlowRows bounds the entries of one look.
	maxSlowRows = 200
)

// slowTail is the slow query log of a server on this host.
type slowTail struct {
	path string
	tail *slowlog.Tail
}

// readSlowLog reads what the server has appended to its slow query log, if that
// is a file on this host. It asks the server nothing.
func readSlowLog(l *look) error {
	file := l.slowLogFile()
	path := file.Path
	if l.slow.tail != nil && l.slow.path != path {
		_ = l.slow.tail.Close() // nothing was written to it
		l.slow = slowTail{}
	}
	if path == "" {
		return &absence{}
	}
	if l.slow.tail == nil {
		owner, ok := mysqlconn.UserOf(l.options.Proc, l.state.PID)
		if !ok {
			return &absence{why: "the user of the server's process cannot be seen", how: "run as root"}
		}
		file.Owners = []uint32{owner}
		tail, err := slowlog.NewTail(file, slowBefore, slowlog.Options{Location: l.clock(), Version: l.about.version,
			Statement: func(text []byte, cut bool) string { return l.statement(string(text), cut) }})
		if err != nil {
			return unreadable(err)
		}
		l.slow = slowTail{path, tail}
	}
	entries, skipped, err := l.slow.tail.Read(maxSlow)
	if skipped > 0 {
		l.notes.add("entries of the slow query log", fmt.Sprintf("the log grows by more than %d MiB a second: %d bytes were left out", maxSlow>>20, skipped),
			"a longer long_query_time")
	}
	rows := make([]recording.MySQLSlowQuery, 0, min(len(entries), maxSlowRows))
	// The newest are kept.
	if n := len(entries) - maxSlowRows; n > 0 {
		l.w.Lost(n)
		entries = entries[n:]
	}
	for _, e := range entries {
		rows = append(rows, e.Row(l.at, l.target.Name))
	}
	recording.Give(l.w, rows)
	if err != nil {
		return unreadable(err)
	}
	if skipped > 0 {
		return errKeepNote
	}
	return nil
}

// slowLogFile is the log as the server names it; without a path if there is none
// on this host.
func (l *look) slowLogFile() (f slowlog.File) {
	v := l.seen.variables
	file := v["slow_query_log_file"]
	if !strings.EqualFold(v["slow_query_log"], "ON") || !strings.Contains(strings.ToUpper(v["log_output"]), "FILE") || file == "" || l.state.PID <= 0 {
		return f
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(v["datadir"], file)
	}
	f = slowlog.File{Root: fmt.Sprintf("%s/%d/root", l.options.Proc, l.state.PID), Path: file}
	own, err1 := os.Stat("/")
	its, err2 := os.Stat(f.Root + "/")
	if err1 == nil && err2 == nil && os.SameFile(own, its) {
		f.Root = "/"
	}
	return f
}

func unreadable(err error) error {
	how := "slow_query_log_file must be a regular file of the server's user, and no link"
	if errors.Is(err, fs.ErrPermission) {
		how = "run as root, or as a user who may read the log"
	}
	return &absence{why: err.Error(), how: how}
}
