package actor

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	_ "github.com/go-sql-driver/mysql" // the driver
	"golang.org/x/sys/unix"
)

// database opens the database lab of a server.
func database(address string, connections int) (*sql.DB, error) {
	db, err := sql.Open("mysql", "lab@tcp("+address+")/lab?interpolateParams=true")
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// stockApp is an HTTP server that changes a row for each request.
func stockApp(args []string) error {
	db, err := database(args[1], 16)
	if err != nil {
		return err
	}
	var asked atomic.Int64
	return http.ListenAndServe(args[0], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, err := db.Exec("UPDATE stock SET n = n + 1 WHERE id = ?", 1+asked.Add(1)%10); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	}))
}

// stockBatch changes rows and writes a journal of it to a file, synced record by record,
// before it commits; then it rests.
func stockBatch(args []string) error {
	db, err := database(args[0], 1)
	if err != nil {
		return err
	}
	journal, err := os.OpenFile(args[1], os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	record := make([]byte, 4096)
	for {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE stock SET n = n + 1 WHERE id <= 50"); err != nil {
			return err
		}
		for i := range int64(16) {
			if _, err := journal.WriteAt(record, 4096*i); err != nil {
				return err
			}
			if err := unix.Fdatasync(int(journal.Fd())); err != nil {
				return err
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}
