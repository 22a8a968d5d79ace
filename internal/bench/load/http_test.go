package load

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rtrail/internal/bench"
)

// web is a web server and the load for it.
func web(t *testing.T, f http.HandlerFunc, seconds int) *HTTP {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return &HTTP{Target: strings.TrimPrefix(s.URL, "http://"), Scheme: "http", Path: "/x", KeepAlive: true, Connections: 4, Seconds: seconds}
}

func TestHTTPAtARate(t *testing.T) {
	for _, keep := range []bool{true, false} {
		var asked atomic.Int64
		h := web(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/x" {
				w.WriteHeader(http.StatusNotFound)
			}
			asked.Add(1)
		}, 2)
		h.KeepAlive = keep
		o, err := h.Run(t.Context(), Level{Rate: 100}, patient, quiet())
		if err != nil {
			t.Fatal(err)
		}
		if n := asked.Load(); n < 100 || n > 200 || o.Load.Errors != 0 || o.Load.TPS > 100 || o.Load.P50 <= 0 || o.Alone.P50 > o.Load.P50 {
			t.Errorf("keep alive %v: %d requests, %+v", keep, n, o)
		}
	}
}

func TestHTTPByClients(t *testing.T) {
	h := web(t, func(http.ResponseWriter, *http.Request) { time.Sleep(10 * time.Millisecond) }, 2)
	o, err := h.Run(t.Context(), Level{Threads: 2}, patient, quiet())
	if err != nil || o.Load.TPS <= 0 || o.Load.TPS > 200 || o.Load.P50 < 10 {
		t.Errorf("%+v %v", o.Load, err)
	}
}

// As with MySQL: a second in which nothing is answered counts for all that were to begin.
func TestAStallOfAWebServer(t *testing.T) {
	var asked atomic.Int64
	h := web(t, func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 100 {
			time.Sleep(time.Second)
		}
	}, 5)
	h.Connections = 1
	o, err := h.Run(t.Context(), Level{Rate: 100}, patient, quiet())
	if err != nil || o.Load.P99 < 900 || o.Load.Max < 990 {
		t.Errorf("p99 %v ms, max %v ms, %v", o.Load.P99, o.Load.Max, err)
	}
}

func TestWebServersThatFail(t *testing.T) {
	h := web(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, 1)
	o, err := h.Run(t.Context(), Level{Rate: 50}, patient, quiet())
	if err != nil || !strings.Contains(strings.Join(o.Invalid, ""), "HTTP status 502") {
		t.Errorf("%v %v", o.Invalid, err)
	}
	h = web(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	}, 1)
	if o, err = h.Run(t.Context(), Level{Rate: 50}, patient, quiet()); err != nil || len(o.Invalid) > 0 && strings.Contains(strings.Join(o.Invalid, ""), "failed") {
		t.Errorf("redirect: %v %v", o.Invalid, err)
	}
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	h.Target = strings.TrimPrefix(s.URL, "http://")
	if o, err = h.Run(t.Context(), Level{Rate: 50}, patient, quiet()); err == nil || !strings.Contains(err.Error(), "connection refused") || !o.Gone {
		t.Error(err)
	}
	if _, err = h.Run(t.Context(), Level{Rate: 50}, Limits{Rate: 10, Time: time.Minute}, quiet()); err == nil {
		t.Error("a rate beyond the limit")
	}
}

func TestClientsThatExceedTheirRate(t *testing.T) {
	h := web(t, func(http.ResponseWriter, *http.Request) {}, 60)
	o, err := h.Run(t.Context(), Level{Threads: 2}, Limits{Rate: 20, Time: time.Minute}, quiet())
	if err == nil || !strings.Contains(err.Error(), "--max-rate 20") || !o.Gone {
		t.Error(err)
	}
}

func TestHTTPIsRefused(t *testing.T) {
	for want, h := range map[string]HTTP{
		"there are http": {Scheme: "ftp", Target: "h:1", Path: "/", Connections: 1},
		"with a slash":   {Scheme: "http", Target: "h:1", Path: "x", Connections: 1},
		"connections":    {Scheme: "http", Target: "h:1", Path: "/"},
	} {
		if err := h.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Requests that nobody answered say nothing of times, and nothing of the generator.
func TestNothingIsAnswered(t *testing.T) {
	s := newSchedule(10, 3*time.Second)
	s.waiting(0, 3*time.Second, 30)
	o := Outcome{Load: bench.UnknownLoad(), Alone: bench.UnknownLoad()}
	s.sum(&o, 0)
	if o.Load.TPS != 0 || !math.IsNaN(float64(o.Load.P99)) || len(o.Invalid) != 1 || o.Invalid[0] != "no request was answered in 3 s" {
		t.Errorf("%+v, %q", o.Load, o.Invalid)
	}
}
