package mysql

import (
	"testing"

	"rtrail/internal/mysqlconn"
)

// TestServerThatComesUpIsFound: who records a host before its server is up asks
// it from then on.
func TestServerThatComesUpIsFound(t *testing.T) {
	up := false
	p := New(nil, nil, Options{})
	p.FindBy(func() ([]mysqlconn.Target, []mysqlconn.Hidden) {
		if !up {
			return nil, nil
		}
		target, err := mysqlconn.Parse("monitor@127.0.0.1:3306", &mysqlconn.OptionFiles{}, mysqlconn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return []mysqlconn.Target{target}, nil
	})
	for range 2 {
		if err := p.Start(); err == nil {
			t.Fatal("started without a server")
		}
	}
	up = true
	if err := p.Start(); err != nil || p.Servers() != 1 {
		t.Errorf("%d servers, %v", p.Servers(), err)
	}
	if err := p.Start(); err != nil || p.Servers() != 1 {
		t.Errorf("asked once more: %d servers, %v", p.Servers(), err)
	}
}
