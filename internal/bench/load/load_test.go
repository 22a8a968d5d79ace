package load

import (
	"errors"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
)

func TestFull(t *testing.T) {
	for _, tt := range []struct {
		err  error
		full bool
	}{
		{nil, false},
		{errors.New("run sysbench: FATAL: error 1040: Too many connections (exit status 1)"), true},
		{errors.New("FATAL: error 1203: User app already has more than 'max_user_connections' active connections"), true},
		{errors.New("FATAL: error 1146: Table 'sbtest.sbtest1' doesn't exist"), false},
		{errors.New("FATAL: error 2003: Can't connect to MySQL server (111)"), false},
		{errors.New("terror 1040: no word of a server"), false},
		{fmt.Errorf("open 64 connections: %w", &mysql.MySQLError{Number: 1226}), true},
		{fmt.Errorf("open 64 connections: %w", &mysql.MySQLError{Number: 1045}), false},
	} {
		if got := Full(tt.err); got != tt.full {
			t.Errorf("%v: %v", tt.err, got)
		}
	}
}
