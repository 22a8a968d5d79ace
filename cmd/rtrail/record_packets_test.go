package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
)

// Requests that are on the wire while a recorder runs are in each of its intervals, and the
// moments that diagnose looks at know them.
func TestRecordKeepsSumsOfPackets(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("captures on lo: needs root, and seconds")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':')+1:]
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		for t.Context().Err() == nil {
			answer, err := server.Client().Get(server.URL)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			select {
			case <-t.Context().Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	dir := filepath.Join(t.TempDir(), "rec")
	root := newRootCommand()
	var errs bytes.Buffer
	root.SetArgs([]string{"record", "-o", dir, "-i", "lo", "-p", port, "--for", "23s", "--events", "off", "--mysql", "off"})
	root.SetOut(io.Discard)
	root.SetErr(&errs)
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err, errs.String())
	}
	server.Close()
	<-asked
	rec, err := recording.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	intervals, requests := map[time.Time]bool{}, int64(0)
	for _, r := range recording.Rows[recording.PacketService](rec) {
		if r.Proto == "http" {
			intervals[r.Interval] = true
			requests += r.Count
		}
	}
	if len(intervals) < 2 || requests < 20 {
		t.Errorf("%d requests in %d intervals, want some in each ten seconds of 23\n%s", requests, len(intervals), errs.String())
	}
	var probes []string
	for _, p := range rec.Manifest().Probes {
		if p.Name == capture.Name && p.Missing == "" {
			probes = append(probes, p.Name)
		}
	}
	if len(probes) != 1 {
		t.Errorf("probes of packets in the manifest: %q", probes)
	}
}
