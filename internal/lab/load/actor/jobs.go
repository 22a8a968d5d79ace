package actor

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// jobServer is an HTTP server whose every
// request is a job of so many milliseconds that one of its workers does; when
// all of them are at work, requests wait in line. It listens on all addresses.
func jobServer(args []string) error {
	workers := number(args, 0)
	millis := number(args, 1)
	pool := make(chan struct{}, workers)
	job := time.Duration(millis) * time.Millisecond
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pool <- struct{}{}
		time.Sleep(job)
		<-pool
		fmt.Fprintln(w, "done")
	})
	failed := make(chan error)
	for _, address := range args[2:] {
		l, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		go func() { failed <- http.Serve(l, handler) }()
	}
	return <-failed
}
