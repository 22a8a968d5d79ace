package cases

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
	"rtrail/internal/lab/server"
)

// padded is an IN list of so many markers with blanks between them, and values
// for it.
func padded(markers, blanks int) (string, []any) {
	values := make([]any, markers)
	for i := range values {
		values[i] = int64(100_000_000_000_000 + i)
	}
	return "SELECT id FROM large WHERE id IN (" + strings.Repeat("?,"+strings.Repeat(" ", blanks), markers-1) + "?)", values
}

// preparedPaddingCase has the server prepare an IN list of many markers with
// blanks between them while the slow log wants its text.
func preparedPaddingCase() Case {
	const markers, blanks = 10_000, 128
	s := &mysqlScene{}
	var prepared *sql.DB
	switched := func(on bool) step {
		return func(ctx context.Context, _ *env.Env) error {
			_, err := s.m.Query(ctx, fmt.Sprintf("SET GLOBAL slow_query_log = %t", on))
			return err
		}
	}
	text, values := padded(markers, blanks)
	return Case{
		ID:    "mysql/prepared-padding",
		Title: "MySQL 5.6 puts 10,000 parameters into a padded text for its slow log",
		Rule:  "mysql/prepared-padding", Kind: "process", Name: "mysqld",
		Needs: server.MySQL56().Needs(),
		MySQL: s.names,
		Setup: func(ctx context.Context, e *env.Env) error {
			if err := s.start(ctx, e, server.MySQL56(), "--performance-schema=OFF", "--max-allowed-packet=64M", "--long-query-time=10"); err != nil {
				return err
			}
			if _, err := s.m.Query(ctx, "CREATE TABLE large (id BIGINT PRIMARY KEY, c VARCHAR(50))"); err != nil {
				return err
			}
			var err error
			prepared, err = load.OpenPreparing(e, s.m.Socket)
			return err
		},
		Inject: switched(true), Fix: switched(false),
		Measure: func(ctx context.Context, _ *env.Env, d time.Duration) (load.Measurement, error) {
			st, err := prepared.PrepareContext(ctx, text)
			if err != nil {
				return load.Measurement{}, fmt.Errorf("prepare %d markers: %w", markers, err)
			}
			defer st.Close()
			begun, n := time.Now(), 0
			for n == 0 || time.Since(begun) < d {
				rows, err := st.QueryContext(ctx, values...)
				if err != nil {
					return load.Measurement{}, fmt.Errorf("execute with %d parameters: %w", markers, err)
				}
				for rows.Next() {
				}
				if err := rows.Err(); err != nil {
					return load.Measurement{}, err
				}
				n++
				env.Sleep(ctx, 20*time.Millisecond)
			}
			return load.Measurement{Value: float64(time.Since(begun).Milliseconds())/float64(n) - 20, Unit: "ms each", LowerBetter: true,
				Detail: fmt.Sprintf("%d executions of %d bytes", n, len(text))}, nil
		},
	}
}
