package actor

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// jobServer WORKERS MILLISECONDS ADDRESS:PORT...: an HTTP server whose every
// request is a job of so many milliseconds that one of its workers does; when
// all of them are at work, requests wait in line. It listens on all addresses.
func jobServer(args []string) error {
	workers, err := number(args, 0, "workers")
	if err != nil {
		return err
	}
	millis, err := number(args, 1, "milliseconds of a job")
	if err != nil {
		return err
	}
	if len(args) < 3 {
		return errors.New("missing argument 3: address to listen on")
	}
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
