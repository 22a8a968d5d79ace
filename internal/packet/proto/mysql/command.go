package mysql

// Commands, by the first byte of their packet (include/my_command.h of MySQL,
// include/mysql_com.h of MariaDB).
const (
	comQuit           = 0x01
	comInitDB         = 0x02
	comQuery          = 0x03
	comFieldList      = 0x04
	comStatistics     = 0x09
	comProcessInfo    = 0x0a
	comConnect        = 0x0b // never sent: a login
	comDebug          = 0x0d
	comChangeUser     = 0x11
	comBinlogDump     = 0x12
	comTableDump      = 0x13
	comStmtPrepare    = 0x16
	comStmtExecute    = 0x17
	comStmtLongData   = 0x18
	comStmtClose      = 0x19
	comStmtFetch      = 0x1c
	comBinlogDumpGTID = 0x1e
	comResetConn      = 0x1f
	comClone          = 0x20
	comSubscribeGroup = 0x21
	comBulkExecute    = 0xfa // MariaDB
	comUnknown        = 0xff
)

// kind is the shape of the answer to a command.
type kind uint8

const (
	kindNone    kind = iota // no such command
	kindOne                 // one packet: OK, EOF, ERR or a text
	kindResult              // OK, ERR, a request for a file, or result sets
	kindPrepare             // the numbers of columns and parameters, and their definitions
	kindRows                // rows of a cursor
	kindFields              // definitions of columns, not counted beforehand
	kindAuth                // login again
	kindStream              // events without end
	kindSilent              // no answer
)

type command struct {
	name string
	kind kind
}

var commands = [256]command{
	0x00:              {"Sleep", kindOne},
	comQuit:           {"Quit", kindSilent},
	comInitDB:         {"InitDB", kindOne},
	comQuery:          {"Query", kindResult},
	comFieldList:      {"FieldList", kindFields},
	0x05:              {"CreateDB", kindOne},
	0x06:              {"DropDB", kindOne},
	0x07:              {"Refresh", kindOne},
	0x08:              {"Shutdown", kindOne},
	comStatistics:     {"Statistics", kindOne},
	comProcessInfo:    {"ProcessInfo", kindResult},
	comConnect:        {"Connect", kindOne},
	0x0c:              {"ProcessKill", kindOne},
	comDebug:          {"Debug", kindOne},
	0x0e:              {"Ping", kindOne},
	0x0f:              {"Time", kindOne},
	0x10:              {"DelayedInsert", kindOne},
	comChangeUser:     {"ChangeUser", kindAuth},
	comBinlogDump:     {"BinlogDump", kindStream},
	comTableDump:      {"TableDump", kindStream},
	0x14:              {"ConnectOut", kindOne},
	0x15:              {"RegisterReplica", kindOne},
	comStmtPrepare:    {"Prepare", kindPrepare},
	comStmtExecute:    {"Execute", kindResult},
	comStmtLongData:   {"SendLongData", kindSilent},
	comStmtClose:      {"CloseStmt", kindSilent},
	0x1a:              {"ResetStmt", kindOne},
	0x1b:              {"SetOption", kindOne},
	comStmtFetch:      {"Fetch", kindRows},
	0x1d:              {"Daemon", kindOne},
	comBinlogDumpGTID: {"BinlogDumpGTID", kindStream},
	comResetConn:      {"ResetConnection", kindOne},
	comClone:          {"Clone", kindStream},
	comSubscribeGroup: {"SubscribeGroup", kindStream},
	comBulkExecute:    {"BulkExecute", kindResult},
}

// least is the shortest packet of a command.
func least(cmd byte) int {
	switch cmd {
	case comQuery, comStmtPrepare:
		return 2
	case comStmtExecute:
		return 10
	case comStmtFetch:
		return 9
	case comStmtLongData, comBulkExecute:
		return 7
	case comStmtClose, 0x1a:
		return 5
	case 0x1b:
		return 3
	}
	return 1
}

// exact is the length of the packet of a command that always has the same; 0 if
// it has none.
func exact(cmd byte) int {
	switch cmd {
	case comQuit, comStatistics, comProcessInfo, comDebug, 0x0e, comResetConn:
		return 1
	case comStmtClose, 0x1a, 0x0c:
		return 5
	case comStmtFetch:
		return 9
	case 0x1b:
		return 3
	}
	return 0
}

// fits says whether a packet can be a command.
func fits(cmd byte, length uint32) bool {
	if commands[cmd].kind == kindNone || int(length) < least(cmd) {
		return false
	}
	n := exact(cmd)
	return n == 0 || int(length) == n
}

// fullSegment is the size from which a segment may be one of several: TCP's
// smallest default maximum (RFC 9293, 3.7.1) less options.
const fullSegment = 500

// plausible says whether bytes at the beginning of a chunk of size bytes are
// commands: complete ones, or one that a full segment does not hold.
func plausible(data []byte, size int) bool {
	for at := 0; ; {
		rest := data[min(at, len(data)):]
		if len(rest) < 5 {
			// The rest is cut off, or the segment was too small for all.
			return at > 0 && (len(data) < size || size >= fullSegment)
		}
		length := le24(rest)
		if rest[3] != 0 || rest[4] == 0 || !fits(rest[4], length) {
			return false
		}
		at += 4 + int(length)
		if at == size {
			return true
		}
		if at > size {
			// Only a command that is long enough is sent in several segments.
			return size >= fullSegment
		}
	}
}
