package infile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNobodyWrites reads a FIFO that has no writer yet until the context ends.
func TestNobodyWrites(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f, err := Open(ctx, fifo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := make(chan error, 1)
	go func() {
		_, err := f.Read(make([]byte, 1))
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("a read did not wait for the writer: %v", err)
	case <-time.After(2 * pollInterval):
	}
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}

// TestWriterComes reads all that a late writer writes.
func TestWriterComes(t *testing.T) {
	path := fifo(t)
	f, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	go func() {
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, _ = io.WriteString(w, "first ")
			_, _ = io.WriteString(w, "second")
			err = w.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}()
	if b, err := io.ReadAll(f); err != nil || string(b) != "first second" {
		t.Errorf("%q %v", b, err)
	}
}

func TestReader(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Reader(ctx, r).Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a silent pipe: %v", err)
	}
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "x" {
		t.Errorf("a file: %q %v", b, err)
	}
	if !Regular(path) || Regular(fifo(t)) || Regular(filepath.Dir(path)) {
		t.Error("regular files")
	}
}
