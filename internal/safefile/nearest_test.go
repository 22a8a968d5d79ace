package safefile

import (
	"os"
	"testing"
)

func TestNearest(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/a/b", 0o755), os.Symlink("a/b", dir+"/c"), os.Symlink("a/lost/x", dir+"/dangling"), os.WriteFile(dir+"/file", nil, 0o600))
	for path, want := range map[string]string{
		"": "", "/": "", "/a/b": "/a/b", "/a/b/": "/a/b", "/a/x": "/a", "/x/y/z": "", "/c": "/a/b", "/c/x": "/a/b", "/c/../x/y": "/a", "/dangling/y": "/a",
		"/file": "none", "/file/x": "none",
	} {
		d, err := Nearest(dir + path)
		if want == "none" {
			if err == nil {
				t.Errorf("%s: %s", path, d.Path())
			}
			continue
		}
		must(t, err)
		a, errA := os.Stat(dir + want)
		b, errB := d.File().Stat()
		if errA != nil || errB != nil || !os.SameFile(a, b) {
			t.Errorf("%s: %s, want %s", path, d.Path(), want)
		}
		d.Close()
	}
}
