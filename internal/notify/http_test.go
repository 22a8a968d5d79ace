package notify

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/report"
	"rtrail/internal/watch"
)

func full(e watch.Event) *watch.Notice {
	at := time.Date(2026, 1, 31, 3, 0, 0, 0, time.UTC)
	n := &watch.Notice{Event: e, At: at, Fault: "0123456789ab", Times: 1, Host: "db1", Key: watch.Key{Rule: "disk/full", Subject: "db1/mount//var"}, Since: at.Add(-10 * time.Second),
		Brief: report.Brief{Confidence: "certain", Headline: "/var is full\x1b[31m", Impact: "2 writes/s fail", Look: "df -h /var", Change: "delete old logs"}}
	if e == watch.Ended {
		n.Until = &at
	}
	return n
}

// serve answers posts and keeps what was sent.
func serve(t *testing.T, answer http.HandlerFunc) (url string, bodies chan string) {
	t.Helper()
	bodies = make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies <- r.Method + " " + r.URL.RequestURI() + " " + string(b)
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, bodies
}

func send(t *testing.T, name string, n *watch.Notice) error {
	t.Helper()
	target, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return target.send(t.Context(), n)
}

func TestWebhook(t *testing.T) {
	url, bodies := serve(t, nil)
	if err := send(t, url+"/hook?token=x", full(watch.Began)); err != nil {
		t.Fatal(err)
	}
	line, body, _ := strings.Cut(<-bodies, " {")
	if line != "POST /hook?token=x" {
		t.Error(line)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte("{"+body), &got); err != nil {
		t.Fatal(err)
	}
	if got["event"] != "began" || got["rule"] != "disk/full" || got["host"] != "db1" || got["until"] != nil || !strings.Contains(got["text"].(string), "LOOK    df -h /var\n") {
		t.Errorf("%v", got)
	}
	if strings.Contains(body, "\x1b") || strings.Contains(got["text"].(string), "\x1b") {
		t.Errorf("%q", body)
	}
}

func TestAlertmanager(t *testing.T) {
	url, bodies := serve(t, nil)
	changed := full(watch.Changed)
	changed.Was = &watch.Cause{Key: watch.Key{Rule: "proc/uninterruptible", Subject: "db1/process/cp"}, Headline: "cp waits"}
	for _, n := range []*watch.Notice{full(watch.Began), changed, full(watch.Ended)} {
		if err := send(t, "alertmanager+"+url, n); err != nil {
			t.Fatal(err)
		}
	}
	var resolved [][]bool
	var names [][]string
	for range 3 {
		body, ok := strings.CutPrefix(<-bodies, "POST /api/v2/alerts ")
		if !ok {
			t.Fatal(body)
		}
		var list []alert
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(err)
		}
		var r []bool
		var n []string
		for _, a := range list {
			r = append(r, !a.EndsAt.After(time.Now()))
			n = append(n, a.Labels["alertname"])
			if a.Labels["instance"] != "db1" || a.StartsAt.IsZero() || !a.EndsAt.After(a.StartsAt) {
				t.Errorf("%+v", a)
			}
		}
		resolved, names = append(resolved, r), append(names, n)
	}
	if diff := cmp.Diff([][]bool{{false}, {false, true}, {true}}, resolved); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"disk/full"}, {"disk/full", "proc/uninterruptible"}, {"disk/full"}}, names); diff != "" {
		t.Error(diff)
	}
}

func TestFailures(t *testing.T) {
	elsewhere, taken := serve(t, nil)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		final  bool
	}{
		{"error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "it answered 503 Service Unavailable", false},
		{"refused", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) }, "it answered 400 Bad Request", true},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+"/x", http.StatusTemporaryRedirect)
		}, "it answered 307, a redirect to \"" + strings.TrimPrefix(elsewhere, "http://") + "\": these are not followed", false},
		{"large header", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "server response headers exceeded", false},
		{"no HTTP", func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_, _ = c.Write([]byte("\x1b[2J no\n"))
			c.Close()
		}, "malformed HTTP", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, _ := serve(t, c.answer)
			err := send(t, url+"/secret-path", full(watch.Began))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret-path") {
				t.Errorf("%v", err)
			}
			if _, final := err.(*refusedError); final != c.final {
				t.Errorf("final: %v", final)
			}
		})
	}
	if len(taken) > 0 {
		t.Errorf("a redirect was followed: %s", <-taken)
	}
}

// An answer without end is not read to its end.
func TestEndlessReply(t *testing.T) {
	url, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		b := make([]byte, 1<<16)
		for range 1000 {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	})
	if err := send(t, url, full(watch.Began)); err != nil {
		t.Error(err)
	}
}

// An alert does not end before it begins, although the clock was set back meanwhile.
func TestAlertOfAnotherClock(t *testing.T) {
	n := full(watch.Ended)
	now := n.Since.Add(-time.Hour)
	if a := alertOf(n, n.Key, now, now); a.EndsAt.Before(a.StartsAt) {
		t.Errorf("from %v to %v", a.StartsAt, a.EndsAt)
	}
}

// A server that does not answer is given up when the run ends.
func TestHangingServer(t *testing.T) {
	stop := make(chan struct{})
	url, asked := serve(t, func(http.ResponseWriter, *http.Request) { <-stop })
	t.Cleanup(func() { close(stop) })
	target, err := Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if err := target.send(ctx, full(watch.Began)); err == nil {
		t.Error("no error")
	}
}

// Certificates are verified.
func TestUnknownCertificate(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	if err := send(t, s.URL, full(watch.Began)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, want, wrong string }{
		{"https://user:secret@chat.example/hook/secret?key=secret", "https://chat.example", ""},
		{"http://10.0.0.1:8080", "http://10.0.0.1:8080", ""},
		{"alertmanager+http://localhost:9093", "alertmanager+http://localhost:9093", ""},
		{"exec:true --token secret", "exec:true", ""},
		{"exec:", "", "names no command"},
		{"exec:/no/such/command secret", "", "/no/such/command"},
		{"ftp://secret.example", "", "a receiver is one of"},
		{"https://", "", "a receiver is one of"},
		{"https://x.example/#secret", "", "no fragment"},
		{"http://[secret", "", "no URL"},
		{"secret", "", "a receiver is one of"},
		{"", "", "a receiver is one of"},
	} {
		target, err := Parse(c.name)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", c.name, err)
			}
		case err != nil || target.Name != c.want || len(target.ID) != 12:
			t.Errorf("%s: %+v, %v", c.name, target, err)
		}
	}
}
