package cgroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
)

func makeGroup(t *testing.T, path ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(path...), 0o755); err != nil {
		t.Fatal(err)
	}
}

func refreshed(t *testing.T, h *hierarchy, most int) (paths []string) {
	t.Helper()
	if _, err := h.refresh(t.Context(), most); err != nil {
		t.Fatal(err)
	}
	h.tree(func(at *place) { paths = append(paths, at.path) })
	return paths
}

// TestTreeIsBounded: groups that somebody makes without end do not take the place
// of those nearer to the root.
func TestTreeIsBounded(t *testing.T) {
	const most, all = 20, 84
	dir := t.TempDir()
	for i := range 40 {
		makeGroup(t, dir, "crowd", fmt.Sprintf("%02d", i), "below")
	}
	makeGroup(t, dir, "system", "nginx")
	h := &hierarchy{dir: dir, version: 2}
	if paths := refreshed(t, h, all); len(paths) != all || h.lost != 0 {
		t.Errorf("%d groups, %d lost", len(paths), h.lost)
	}
	for i := range 5 {
		paths := refreshed(t, h, most)
		if len(paths) != most || h.lost == 0 || !slices.Contains(paths, "/system") || !slices.Contains(paths, "/crowd/00") {
			t.Errorf("refresh %d: %d lost, groups %q", i, h.lost, paths)
		}
		makeGroup(t, dir, "crowd", fmt.Sprintf("new%d", i))
	}
	if paths := refreshed(t, h, all+5); len(paths) != all+5 || h.lost != 0 {
		t.Errorf("with room for all: %d groups, %d lost", len(paths), h.lost)
	}
	refreshed(t, h, most)
	if err := os.RemoveAll(filepath.Join(dir, "crowd")); err != nil {
		t.Fatal(err)
	}
	if paths := refreshed(t, h, most); !slices.Equal(paths, []string{"/", "/system", "/system/nginx"}) || h.lost != 0 {
		t.Errorf("afterwards: %d lost, groups %q", h.lost, paths)
	}
}

// TestRefreshEnds: the tree is whole again after a refresh that had no time.
func TestRefreshEnds(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		makeGroup(t, dir, fmt.Sprintf("%02d", i))
	}
	h := &hierarchy{dir: dir, version: 2}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := h.refresh(ended, maxPlaces); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if paths := refreshed(t, h, maxPlaces); len(paths) != 101 || h.lost != 0 {
		t.Errorf("%d groups, %d lost", len(paths), h.lost)
	}
}

// TestManyEmptyGroupsBesideVersion1: in systemd's hybrid mode groups of version 2
// have no rows, but each is asked whether groups came or went.
func TestManyEmptyGroupsBesideVersion1(t *testing.T) {
	root := t.TempDir()
	makeGroup(t, root, "proc/self")
	const mounts = "30 31 0:30 / /v1 rw - cgroup cgroup rw,memory\n40 31 0:40 / /v2 rw - cgroup2 cgroup2 rw\n"
	if err := os.WriteFile(filepath.Join(root, "proc/self/mountinfo"), []byte(mounts), 0o600); err != nil {
		t.Fatal(err)
	}
	makeGroup(t, root, "v1/docker")
	for i := range maxPlaces + 10 {
		makeGroup(t, root, "v2", fmt.Sprintf("crowd%d", i))
	}
	p := newAt(root)
	for second := range int64(2) {
		w := recording.NewWriter(time.Unix(100+second, 0))
		if err := p.Sample(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		if w.LostRows() == 0 {
			t.Error("nothing is lost")
		}
		n := 0
		for _, h := range p.mounted {
			h.tree(func(*place) { n++ })
		}
		if n != maxPlaces+2 || len(p.groups) != 2 {
			t.Errorf("%d places, want %d; %d groups", n, maxPlaces+2, len(p.groups))
		}
		makeGroup(t, root, "v2", fmt.Sprintf("late%d", second))
	}
}
