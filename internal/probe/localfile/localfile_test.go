package localfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func parsed(t *testing.T, text string) mounts {
	t.Helper()
	m, err := parseMounts(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Whether a file is opened is decided by the mount that it lies on.
func TestAnswers(t *testing.T) {
	host := parsed(t, `27 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw
30 27 0:40 / /home/u/mnt rw - fuse.sshfs u@server: rw
31 27 0:41 / /srv rw - nfs4 server:/srv rw
32 27 0:42 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw,lowerdir=/a
33 27 8:17 / /media/stick rw - fuseblk /dev/sdb1 rw
34 27 0:43 / /net rw - autofs auto rw
35 27 0:44 / /mnt/host rw - virtiofs host rw
`)
	theirs := parsed(t, `101 100 0:42 / / rw - overlay overlay rw,lowerdir=/a
102 101 8:1 /var/data /data rw - ext4 /dev/sda1 rw
103 101 0:40 / /files rw - fuse.sshfs u@server: rw
104 101 0:41 / /srv rw - nfs4 server:/srv rw
105 101 0:60 / /own rw - fuse own rw
106 101 0:61 / /over rw - overlay overlay rw,lowerdir=/own
107 101 8:17 / /stick rw - fuseblk /dev/sdb1 rw
108 101 0:43 / /net rw - autofs auto rw
109 101 0:44 / /h rw - virtiofs host rw
`)
	o := opener{theirs: theirs, trusted: []mounts{host}}
	for name, tc := range map[string]struct {
		id   string
		want bool
	}{
		"a container's root":             {"101", true},
		"a directory of the host":        {"102", true},
		"served by a program":            {"103", false},
		"on another machine":             {"104", false},
		"served in a namespace":          {"105", false},
		"an overlay over what is served": {"106", false},
		"a disk that a program reads":    {"107", false},
		"mounted when it is used":        {"108", false},
		"a directory of the hypervisor":  {"109", false},
		"a mount that is not listed":     {"500", false},
		"above the root after chroot":    {"27", true},
		"served, above the root":         {"30", false},
	} {
		if got := o.answers(tc.id); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
	diskless := parsed(t, "27 1 0:20 / / rw - nfs4 server:/root rw\n")
	if o := (opener{theirs: diskless, trusted: []mounts{diskless}}); !o.answers("27") {
		t.Error("no file of a host without disks is opened")
	}
	served := parsed(t, "27 1 0:20 / / rw - fuse.root x rw\n")
	if o := (opener{theirs: served, trusted: []mounts{served}}); o.answers("27") {
		t.Error("files of a root directory that a program serves are opened")
	}
}

func TestOpen(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	for _, err := range []error{os.WriteFile(file, []byte("text"), 0o600), os.Symlink(file, dir+"/link"), os.Symlink(dir, dir+"/folder"), unix.Mkfifo(dir+"/fifo", 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	own := int32(os.Getpid())
	f, err := Open(own, file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, err := io.ReadAll(f); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	for name, want := range map[string]error{"link": errKind, "folder/file": syscall.ENOTDIR, "fifo": errKind, "none": os.ErrNotExist, ".": errKind} {
		if f, err := Open(own, dir+"/"+name); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}
