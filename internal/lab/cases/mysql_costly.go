package cases

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/server"
)

// costlyRows is how many rows the table of these cases has: a scan of them takes
// some ten milliseconds.
const costlyRows = 40_000

// costlyForm is a way to ask that no index serves, and how to ask instead.
type costlyForm struct {
	name, title, says string
	costly, cheap     func(i int64) string
}

// costlyForms ask for the i-th row, or a random one, of a table with an index on
// each of its columns.
var costlyForms = []costlyForm{
	{
		name: "like", title: "finds rows by a pattern that begins with a wildcard", says: `wildcard, so that the index code cannot be used`,
		costly: func(i int64) string {
			return fmt.Sprintf("SELECT id, body FROM note WHERE code LIKE '%%%s%%'", code(i)[:12])
		},
		cheap: func(i int64) string {
			return fmt.Sprintf("SELECT id, body FROM note WHERE code LIKE '%s%%'", code(i)[:12])
		},
	}, {
		name: "function", title: "finds rows by a function of an indexed column", says: `the result of LOWER on code, so that the index code cannot be used`,
		costly: func(i int64) string {
			return fmt.Sprintf("SELECT id, body FROM note WHERE LOWER(code) = '%s'", code(i))
		},
		cheap: func(i int64) string { return fmt.Sprintf("SELECT id, body FROM note WHERE code = '%s'", code(i)) },
	}, {
		name: "cast", title: "compares an indexed VARCHAR with a number", says: `text of phone \(varchar\(20\)\) with a number, so that the index phone cannot be used`,
		costly: func(i int64) string { return fmt.Sprintf("SELECT id, body FROM note WHERE phone = %d", 1_000_000+i) },
		cheap:  func(i int64) string { return fmt.Sprintf("SELECT id, body FROM note WHERE phone = '%d'", 1_000_000+i) },
	}, {
		name: "rand", title: "sorts all rows by RAND() to return one", says: `RAND\(\) sorts all rows`,
		costly: func(int64) string { return "SELECT id, body FROM note ORDER BY RAND() LIMIT 1" },
		cheap: func(i int64) string {
			return fmt.Sprintf("SELECT id, body FROM note WHERE id >= %d ORDER BY id LIMIT 1", 1+i*7919%costlyRows)
		},
	},
}

func mysqlCostlyCases() (list []Case) {
	for _, f := range costlyForms {
		list = append(list, costlyCase(f, f.name, server.MariaDB10(), "mariadbd"))
	}
	return append(list, costlyCase(costlyForms[0], "like97", server.MySQL9(), "mysqld"), costlyCase(costlyForms[2], "cast97", server.MySQL9(), "mysqld"))
}

// costlyCase has four connections ask in a way that no index serves, which keeps
// all CPUs busy.
func costlyCase(f costlyForm, name string, v server.MySQLVersion, process string) Case {
	s := &mysqlScene{}
	var costly atomic.Bool
	return Case{
		ID:    variant("mysql/costly-statement", name),
		Title: v.Name + " " + f.title,
		Rule:  "mysql/costly-statement", Kind: "process", Name: process, Says: f.says,
		Needs: v.Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, v); err != nil {
				return err
			}
			if err := notes(ctx, s.m, costlyRows, "VARCHAR(200)", 3); err != nil {
				return err
			}
			_, err := s.m.Query(ctx, "ALTER TABLE note ADD COLUMN phone VARCHAR(20) NOT NULL DEFAULT ''; UPDATE note SET phone = 1000000 + id; "+
				"ALTER TABLE note ADD INDEX code (code), ADD INDEX phone (phone); ANALYZE TABLE note")
			return err
		},
		Inject: doing(func() { costly.Store(true) }),
		Fix:    doing(func() { costly.Store(false) }),
		Measure: s.asking(4, 10*time.Millisecond, func(i int64) string {
			if i %= costlyRows; costly.Load() {
				return f.costly(i)
			}
			return f.cheap(i)
		}),
	}
}
