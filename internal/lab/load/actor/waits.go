package actor

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// newsPeriods are the times between two news in turn: no period that a rule could
// take for a timer.
var newsPeriods = []time.Duration{400 * time.Millisecond, 1300 * time.Millisecond, 250 * time.Millisecond, 1900 * time.Millisecond, 700 * time.Millisecond}

// newsServer is an HTTP server of which /wait is answered when there
// are news, at the latest after a second and a half (204), and all else at once.
func newsServer(args []string) error {
	var mu sync.Mutex
	news := make(chan struct{})
	next := func() chan struct{} {
		mu.Lock()
		defer mu.Unlock()
		return news
	}
	go func() {
		for i := 0; ; i++ {
			time.Sleep(newsPeriods[i%len(newsPeriods)])
			mu.Lock()
			close(news)
			news = make(chan struct{})
			mu.Unlock()
		}
	}()
	return http.ListenAndServe(args[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			select {
			case <-next():
			case <-time.After(1500 * time.Millisecond):
				w.WriteHeader(http.StatusNoContent)
				return
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, "news")
	}))
}

// sink reads what clients send over TCP and never answers.
func sink(args []string) error {
	return serve(args[0], func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}
