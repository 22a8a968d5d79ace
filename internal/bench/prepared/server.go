package prepared

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/mysqlconn"
)

// Conn is a connection to the server.
type Conn interface {
	Query(ctx context.Context, statement string) (*mysqlconn.Result, error)
	Prepare(ctx context.Context, statement string) (Statement, error)
	Close()
	// PID is the server's, if it runs on this host; 0 otherwise.
	PID() int32
}

// Statement is a prepared one.
type Statement interface {
	Execute(ctx context.Context, values []driver.NamedValue) (rows int, err error)
}

const (
	// asking is how long the server may take to answer what is no load.
	asking = 20 * time.Second
	// owner is the comment of our table.
	owner = "made by rtrail bench prepared, may be dropped"
)

// told are the settings that decide what statements cost.
var told = []string{"version", "version_comment", "slow_query_log", "long_query_time", "general_log", "log_output", "query_cache_type", "query_cache_size",
	"max_allowed_packet", "log_bin", "binlog_format", "read_only"}

// settings asks for them, and for audit plugins.
func (b *bench) settings(ctx context.Context, c Conn) error {
	r, err := c.Query(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('"+strings.Join(told, "', '")+"')")
	if err != nil {
		return fmt.Errorf("ask for its settings: %w", err)
	}
	values := map[string]string{}
	for row := range r.Rows() {
		values[strings.ToLower(row.At(0))] = row.At(1)
	}
	for _, name := range told {
		value, ok := values[name]
		if !ok {
			value = "not known to this server"
		}
		b.result.Settings = append(b.result.Settings, Setting{name, value})
	}
	b.result.now = Logs{isOn(values["slow_query_log"]), isOn(values["general_log"])}
	b.maxPacket, err = strconv.Atoi(values["max_allowed_packet"])
	if err != nil || b.maxPacket < 1 {
		return errors.New("ask for its settings: max_allowed_packet is no number")
	}
	audit := "none"
	r, err = c.Query(ctx, "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_TYPE = 'AUDIT' AND PLUGIN_STATUS = 'ACTIVE'")
	if err != nil {
		audit = "not known: " + mysqlconn.Text(err)
	} else if r.Len() > 0 {
		var names []string
		for row := range r.Rows() {
			names = append(names, row.At(0))
		}
		audit = strings.Join(names, ", ")
	}
	b.result.Settings = append(b.result.Settings, Setting{"audit plugins", audit})
	return nil
}

func isOn(value string) bool { return strings.EqualFold(value, "ON") || value == "1" }

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func text(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

// table is the name of our table.
func (b *bench) table() string { return quote(b.Database) + "." + quote(Table) }

// ours says whether the table is there, and refuses one that is not ours.
func (b *bench) ours(ctx context.Context, c Conn) (there bool, err error) {
	r, err := c.Query(ctx, "SELECT TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = "+text(b.Database)+" AND TABLE_NAME = '"+Table+"'")
	if err != nil || r.Len() == 0 {
		return false, err
	}
	if row := r.Row(0); row.At(0) != "BASE TABLE" || row.At(1) != owner {
		return true, fmt.Errorf("a table %s is there that rtrail did not make: rename or drop it, or name another --database", b.table())
	}
	r, err = c.Query(ctx, "SELECT 1 FROM "+b.table()+" LIMIT 1")
	if err == nil && r.Len() > 0 {
		err = fmt.Errorf("the table %s has rows, and rtrail fills none in: drop it, or name another --database", b.table())
	}
	return true, err
}

// noDatabase is the error of a server without the database.
const noDatabase = 1049

// lock has only one run at a time use the table.
func (b *bench) lock(ctx context.Context, c Conn) error {
	r, err := c.Query(ctx, "SELECT GET_LOCK('"+Table+"', 2)")
	if err != nil {
		return fmt.Errorf("lock the table: %w", err)
	}
	if r.Len() != 1 || r.Row(0).At(0) != "1" {
		return errors.New("another rtrail bench prepared is running on this server: wait until it has ended")
	}
	return nil
}

// create makes the table.
func (b *bench) create(ctx context.Context, c Conn) error {
	if err := b.lock(ctx, c); err != nil {
		return err
	}
	there, err := b.ours(ctx, c)
	if err != nil {
		return err
	}
	if there {
		b.Say("dropping %s, which an earlier run left", b.table())
		if _, err := c.Query(ctx, "DROP TABLE "+b.table()); err != nil {
			return fmt.Errorf("drop %s: %w", b.table(), err)
		}
	}
	b.Say("making the empty table %s; it is dropped at the end", b.table())
	var columns strings.Builder
	for i := range 20 {
		fmt.Fprintf(&columns, ", c%d VARCHAR(50)", i+1)
	}
	_, err = c.Query(ctx, "CREATE TABLE "+b.table()+" (id INT NOT NULL PRIMARY KEY"+columns.String()+") CHARACTER SET utf8mb4 COMMENT='"+owner+"'")
	if _, code := mysqlconn.Classify(err); code == noDatabase {
		return fmt.Errorf("there is no database %s: name one by --database", escape.Text(b.Database))
	}
	if err != nil {
		return fmt.Errorf("make %s: %w", b.table(), err)
	}
	b.changed.table = true
	b.left()
	return nil
}

// toggle switches the logs.
func (b *bench) toggle(ctx context.Context, c Conn, to Logs) error {
	b.changed.logs = true
	b.left()
	_, err := c.Query(ctx, to.set("slow_query_log", to.Slow))
	if err == nil {
		_, err = c.Query(ctx, to.set("general_log", to.General))
	}
	if err != nil {
		return fmt.Errorf("switch logs: %w", err)
	}
	return nil
}

func (l Logs) set(name string, on bool) string {
	if on {
		return "SET GLOBAL " + name + " = ON"
	}
	return "SET GLOBAL " + name + " = OFF"
}

// statements switch the logs to this.
func (l Logs) statements() string {
	return l.set("slow_query_log", l.Slow) + "; " + l.set("general_log", l.General) + ";"
}

// left tells what would be left changed if the program ended now.
func (b *bench) left() {
	var parts []string
	if b.changed.logs {
		parts = append(parts, "logs may be switched; as before: "+b.result.now.statements())
	}
	if b.changed.table {
		parts = append(parts, "the table "+b.table()+" is left: DROP TABLE "+b.table()+";")
	}
	b.Left(strings.Join(parts, "\n"))
}

// restore puts back what was changed, over a connection of its own: what interrupted the others
// may have cut them.
func (b *bench) restore(ctx context.Context) error {
	if b.changed == (changed{}) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*asking)
	defer cancel()
	c, err := b.Connect(ctx)
	if err == nil {
		defer c.Close()
		if b.changed.logs {
			if err = b.toggle(ctx, c, b.result.now); err == nil {
				b.changed.logs = false
				b.Say("logs are as before: slow_query_log %s, general_log %s", onOff(b.result.now.Slow), onOff(b.result.now.General))
			}
		}
		if b.changed.table {
			err = errors.Join(err, b.drop(ctx, c))
		}
	}
	b.left()
	if err != nil {
		return fmt.Errorf("put back what was changed: %w", err)
	}
	return nil
}

// drop drops our table, if it still is ours.
func (b *bench) drop(ctx context.Context, c Conn) error {
	if _, err := c.Query(ctx, "SET SESSION lock_wait_timeout = 10"); err != nil {
		return err
	}
	there, err := b.ours(ctx, c)
	if err == nil && there {
		_, err = c.Query(ctx, "DROP TABLE "+b.table())
	}
	if err != nil {
		return fmt.Errorf("drop %s: %w", b.table(), err)
	}
	b.changed.table = false
	b.Say("dropped %s", b.table())
	return nil
}

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

// prepares is how often a session had statements prepared; -1: not known.
func prepares(ctx context.Context, c Conn) int64 {
	r, err := c.Query(ctx, "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'")
	if err != nil || r.Len() != 1 {
		return -1
	}
	n, err := strconv.ParseInt(r.Row(0).At(1), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
