package httpclient

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// child says that this process only sends a request, and to whom.
const child = "RTRAIL_TEST_URL"

// TestMain sends a request in a process of its own: net/http reads the environment once.
func TestMain(m *testing.M) {
	address := os.Getenv(child)
	if address == "" {
		os.Exit(m.Run())
	}
	c := New(5*time.Second, 5*time.Second, nil)
	resp, err := c.Get(address)
	if err != nil {
		fmt.Println(Cause(err))
		os.Exit(1)
	}
	resp.Body.Close()
	fmt.Println(resp.Status)
}

// asked is what a process says that sends a request with this environment.
func asked(t *testing.T, address string, env ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(env, child+"="+address)
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return string(out)
}

// A value that is no address of a proxy is an error that does not hold it.
func TestProxy(t *testing.T) {
	const target = "http://0.0.0.0:1/?key=secret" // not over loopback, which never goes through a proxy
	for value, want := range map[string]string{
		"http://bob:secret@127.0.0.1:1":     "proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused",
		"bob:secret@127.0.0.1:1":            "proxyconnect tcp: dial tcp 127.0.0.1:1: connect: connection refused",
		"http://bob:secret@127.0.0.1:port":  errProxy.Error(),
		"http://bob:sec#secret@127.0.0.1:1": errProxy.Error(),
		"http://bob:sec secret@127.0.0.1:1": errProxy.Error(),
		"http://bob:secret@[::1":            errProxy.Error(),
		"bob:sec/secret@127.0.0.1:1":        errProxy.Error(),
		"http://":                           errProxy.Error(),
		"http://bob:secret%zz@127.0.0.1:1":  "refused", // net/http takes it for none
	} {
		got := asked(t, target, "HTTP_PROXY="+value)
		if !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
		if got := asked(t, target, "HTTP_PROXY="+value, "NO_PROXY=0.0.0.0"); !strings.HasPrefix(got, "dial tcp 0.0.0.0:1") {
			t.Errorf("%s, which does not count: %q", value, got)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "0.0.0.0:1" || r.Header.Get("Proxy-Authorization") == "" {
			t.Errorf("%s, %v", r.Host, r.Header)
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	defer s.Close()
	if got := asked(t, target, "HTTP_PROXY="+strings.Replace(s.URL, "//", "//bob:secret@", 1)); !strings.HasPrefix(got, "418") {
		t.Error(got)
	}
}

// What stands in a URL is in no cause.
func TestCause(t *testing.T) {
	c := New(5*time.Second, 5*time.Second, nil)
	_, err := c.Get("http://127.0.0.1:1/?key=secret")
	if err == nil || !strings.Contains(err.Error(), "secret") || strings.Contains(Cause(err).Error(), "secret") {
		t.Error(err)
	}
	other := errors.New("other")
	if Cause(other) != other {
		t.Error(Cause(other))
	}
}

// Waits and headers are bounded, and certificates are verified.
func TestBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeader)) }, "headers exceeded"},
		"wait":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "Timeout"},
	} {
		s := httptest.NewServer(tc.serve)
		c := New(300*time.Millisecond, time.Second, nil)
		if _, err := c.Get(s.URL); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.StartTLS()
	defer s.Close()
	c := New(5*time.Second, 5*time.Second, nil)
	if _, err := c.Get(s.URL); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}
