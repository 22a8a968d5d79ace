package privilege

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/outfile"
	"rtrail/internal/safefile"
)

// What is given up is gone forever, so the tests run their own binary again.
func TestMain(m *testing.M) {
	if spec := os.Getenv("CONFINED"); spec != "" {
		var o order
		if err := json.Unmarshal([]byte(spec), &o); err != nil {
			panic(err)
		}
		_ = json.NewEncoder(os.NewFile(3, "report")).Encode(o.run())
		return
	}
	os.Exit(m.Run())
}

// order is what a confined process is to try.
type order struct {
	Needs           Needs
	Read, Write     []string // by name; Write as outputs are written
	TCP, Abstract   string
	Signals         int
	Start           string // a program to start; "": none
	Watches, Writes bool
	Without         uintptr // a capability that it lacks to begin with
}

// report is what it could do.
type report struct {
	Failed              string
	Threads             bool // a build that cannot
	UID                 int
	Caps, Bounds        uint64
	Can                 []string
	NoNewPrivs, Ambient int
	Preempted           bool
}

func (o order) run() report {
	var r report
	if o.Without != 0 {
		_, sets, err := ownCapabilities()
		if err == nil {
			err = keep(uint64(sets[0].Permitted)&^(1<<o.Without) | uint64(sets[1].Permitted)<<32)
		}
		if errors.Is(err, unix.ENOTSUP) {
			return report{Threads: true}
		} else if err != nil {
			return report{Failed: err.Error()}
		}
	}
	if o.Watches {
		if err := Watch(o.Writes); err != nil {
			return report{Failed: err.Error(), Threads: errors.Is(err, ErrThreads)}
		}
		r.own()
		return r
	}
	if err := Confine(o.Needs); err != nil {
		return report{Failed: err.Error(), Threads: errors.Is(err, ErrThreads)}
	}
	can := func(what string, err error) {
		if err == nil {
			r.Can = append(r.Can, what)
		}
	}
	for _, path := range o.Read {
		_, err := os.ReadFile(path)
		can("read "+path, err)
	}
	for _, path := range o.Write {
		can("write "+path, outfile.Write(context.Background(), path, func(f *outfile.File) error { _, err := io.WriteString(f, "written"); return err }))
	}
	if o.Start != "" {
		can("start "+o.Start, exec.Command(o.Start).Run())
	}
	c, err := net.Dial("tcp", o.TCP)
	can("dial", err)
	if err == nil {
		c.Close()
	}
	c, err = net.Dial("unix", o.Abstract)
	can("dial abstract", err)
	if err == nil {
		c.Close()
	}
	can("signal", unix.Kill(o.Signals, 0))
	can("signal itself", unix.Kill(os.Getpid(), 0))
	// Another thread is as poor as this one.
	done := make(chan error)
	go func() { runtime.LockOSThread(); done <- unix.Sethostname([]byte("x")) }()
	can("administer", <-done)
	r.own()
	r.Preempted = preempted()
	return r
}

// own reads what a thread has that is none of the first.
func (r *report) own() {
	done := make(chan bool)
	go func() {
		runtime.LockOSThread()
		r.thread()
		close(done)
	}()
	<-done
}

func (r *report) thread() {
	r.UID = os.Getuid()
	_, sets, err := ownCapabilities()
	if err != nil {
		r.Failed = err.Error()
	}
	r.Caps = uint64(sets[0].Permitted|sets[0].Effective|sets[0].Inheritable) | uint64(sets[1].Permitted|sets[1].Effective|sets[1].Inheritable)<<32
	for c := range 64 {
		if in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0); err == nil && in == 1 {
			r.Bounds |= 1 << c
		}
	}
	r.NoNewPrivs, _ = unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	r.Ambient, _ = unix.PrctlRetInt(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_IS_SET, unix.CAP_DAC_READ_SEARCH, 0, 0)
}

// preempted says that the runtime can still interrupt a loop by a signal.
func preempted() bool {
	runtime.GOMAXPROCS(2)
	busy, collected := make(chan bool), make(chan bool)
	go func() {
		close(busy)
		for n := 0; n >= 0; { // nothing in it lets others in
		}
	}()
	<-busy
	go func() { runtime.GC(); close(collected) }()
	select {
	case <-collected:
		return true
	case <-time.After(10 * time.Second):
		return false
	}
}

// confined runs an order, as the user who calls sudo if there is one.
func confined(t *testing.T, o order, stdout *os.File, env ...string) report {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("privileges are given up by root only")
	}
	spec, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Open("/proc/self/exe") // other users may not enter its folder
	if err != nil {
		t.Fatal(err)
	}
	defer exe.Close()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	cmd := exec.CommandContext(t.Context(), "/proc/self/fd/4")
	cmd.ExtraFiles = []*os.File{out, exe}
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "SUDO_") }), append(env, "CONFINED="+string(spec))...)
	cmd.Stdout, cmd.Stderr = stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	var r report
	if err := json.NewDecoder(in).Decode(&r); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if r.Threads {
		t.Skip(ErrThreads)
	}
	if r.Failed != "" {
		t.Fatal(r.Failed)
	}
	return r
}

// sudo is the environment of a user's sudo.
var sudo = []string{"SUDO_UID=4242", "SUDO_GID=4242"}

const (
	caller = 4242
	third  = 4711
)

// open makes the folders above dir enterable for all users.
func open(t *testing.T) string {
	dir := t.TempDir()
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		must(t, os.Chmod(at, 0o755))
	}
	return dir
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// abi is the version of Landlock, 0: there is none.
func abi() (version uintptr, signals bool) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, false
	}
	errata, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	return version, errno == 0 && errata&signalsWork != 0
}

func TestConfine(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("privileges are given up by root only")
	}
	dir := open(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	mk := func(name string, mode os.FileMode, uid int) {
		must(t, os.Mkdir(at(name), mode), os.Chown(at(name), uid, uid))
	}
	mk("roots", 0o755, 0)
	mk("callers", 0o755, caller)
	mk("locked", 0o555, 0)
	mk("sticky", 0o755, 0)
	must(t, os.Chmod(at("sticky"), os.ModeSticky|0o777))
	for name, f := range map[string]struct {
		mode os.FileMode
		uid  int
	}{
		"public": {0o644, third}, "private": {0o600, third}, "other": {0o600, third}, "own": {0o600, caller},
		"sticky/roots": {0o600, 0}, "sticky/thirds": {0o600, third},
	} {
		must(t, os.WriteFile(at(name), nil, f.mode), os.Chown(at(name), f.uid, f.uid))
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer tcp.Close()
	abstract, err := net.Listen("unix", "@"+strings.ReplaceAll(dir, "/", "-"))
	must(t, err)
	defer abstract.Close()
	version, signals := abi()

	const r, w = readers, writers
	for name, tc := range map[string]struct {
		needs Needs
		env   []string
		uid   int
		caps  uint64
		no    []string // of needs
	}{
		"root reads what all may":             {Needs{Read: []string{at("public")}}, nil, 65534, 0, nil},
		"root reads":                          {Needs{Read: []string{at("public"), at("private")}}, nil, 65534, r, nil},
		"root reads a directory":              {Needs{Read: []string{at("roots")}}, nil, 65534, r, []string{at("roots")}},
		"root reads nothing":                  {Needs{}, nil, 65534, 0, nil},
		"root reads what is not there":        {Needs{Read: []string{at("none")}}, nil, 65534, 0, []string{at("none")}},
		"root writes":                         {Needs{Read: []string{at("public")}, Write: []string{at("roots/out")}}, nil, 0, 0, nil},
		"root reads anybody's and writes":     {Needs{Read: []string{at("private")}, Write: []string{at("roots/out")}}, nil, 0, r, nil},
		"root replaces another's":             {Needs{Write: []string{at("sticky/thirds")}}, nil, 0, 0, nil},
		"root writes in spite of a mode":      {Needs{Write: []string{at("locked/out")}}, nil, 0, w, nil},
		"root makes a directory":              {Needs{Dirs: []string{at("roots/a/b")}}, nil, 0, 0, nil},
		"the caller reads":                    {Needs{Read: []string{at("own"), at("public")}}, sudo, caller, 0, nil},
		"the caller reads with root's rights": {Needs{Read: []string{at("private")}}, sudo, caller, r, nil},
		"the caller writes":                   {Needs{Read: []string{at("private")}, Write: []string{at("callers/out")}}, sudo, caller, r, nil},
		"the caller makes a directory":        {Needs{Dirs: []string{at("callers/a/b")}}, sudo, caller, 0, nil},
		"the caller writes for all":           {Needs{Write: []string{at("sticky/new")}}, sudo, caller, 0, nil},
		"the caller replaces root's":          {Needs{Write: []string{at("sticky/roots")}}, sudo, 0, givers, nil},
		"root's directory under sudo":         {Needs{Write: []string{at("roots/out")}}, sudo, 0, givers, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := order{Needs: tc.needs, Read: append(slices.Clone(tc.needs.Read), at("other"), "/etc/shadow"), Write: append(slices.Clone(tc.needs.Write), at("elsewhere")),
				TCP: tcp.Addr().String(), Abstract: abstract.Addr().String(), Signals: os.Getpid()}
			want := []string{"signal itself"}
			for _, path := range tc.needs.Read {
				want = append(want, "read "+path)
			}
			for _, path := range tc.needs.Write {
				want = append(want, "write "+path)
			}
			for _, path := range tc.needs.Dirs {
				o.Write = append(o.Write, path+"/file")
				want = append(want, "write "+path+"/file")
			}
			for _, path := range tc.no {
				want = slices.DeleteFunc(want, func(s string) bool { return s == "read "+path })
			}
			got := confined(t, o, nil, tc.env...)
			if version < 4 || !signals { // what only Landlock forbids
				got.Can = slices.DeleteFunc(got.Can, func(s string) bool { return !slices.Contains(want, s) })
			}
			slices.Sort(want)
			slices.Sort(got.Can)
			if !slices.Equal(got.Can, want) {
				t.Errorf("can %q, want %q", got.Can, want)
			}
			if got.UID != tc.uid || got.Caps != tc.caps {
				t.Errorf("user %d with capabilities %#x, want %d with %#x", got.UID, got.Caps, tc.uid, tc.caps)
			}
			if got.Bounds != 0 || got.Ambient != 0 || got.NoNewPrivs != 1 {
				t.Errorf("bounds %#x, ambient %d, no_new_privs %d", got.Bounds, got.Ambient, got.NoNewPrivs)
			}
			if !got.Preempted {
				t.Error("the runtime cannot interrupt its threads any more")
			}
		})
	}
}

// A program can be started that is named, and no other one.
func TestConfinedStarts(t *testing.T) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || version == 0 {
		t.Skip("no Landlock")
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		t.Fatal(err)
	}
	for run, want := range map[string]bool{program: true, "": false, "/usr/bin/env": false} {
		got := confined(t, order{Needs: Needs{Run: run}, Start: program, Signals: os.Getpid()}, nil)
		if started := slices.Contains(got.Can, "start "+program); started != want {
			t.Errorf("allowed %q: %s started: %v, want %v", run, program, started, want)
		}
	}
}

// Outputs are written where their names really lead, and nowhere else.
func TestPlaces(t *testing.T) {
	if v, _ := abi(); v == 0 {
		t.Skip("the kernel has no Landlock")
	}
	for name, tc := range map[string]struct {
		needs      Needs
		write, not []string
	}{
		"file":           {Needs{Write: []string{"a/out"}}, []string{"a/out"}, []string{"new", "b/new"}},
		"link":           {Needs{Write: []string{"link"}}, []string{"link", "b/real"}, []string{"new", "a/new"}},
		"linked parent":  {Needs{Write: []string{"lnk/../out"}}, []string{"lnk/../out", "b/out"}, []string{"out", "a/new"}},
		"dangling link":  {Needs{Write: []string{"dangling"}}, []string{"dangling"}, []string{"new", "a/new"}},
		"missing parent": {Needs{Write: []string{"none/out"}}, nil, []string{"none/out", "new"}},
		"directories":    {Needs{Dirs: []string{"x/y/z"}}, []string{"x/y/z/out"}, []string{"new", "x/new", "x/y/new"}},
		"linked":         {Needs{Dirs: []string{"lnk/../x"}}, []string{"b/x/out"}, []string{"new", "b/new", "x/new"}},
		"there already":  {Needs{Dirs: []string{"lnk"}}, []string{"lnk/out"}, []string{"new", "b/new"}},
		"slash":          {Needs{Dirs: []string{"x/"}}, []string{"x/out"}, []string{"new"}},
		"fifo":           {Needs{Write: []string{"fifo"}}, []string{"fifo"}, []string{"new"}},
		"standard output": {Needs{Write: []string{"/dev/stdout"}}, []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"},
			[]string{"new", "/dev/rtrail-test", "/dev/pts/rtrail-test"}},
		"descriptor": {Needs{Write: []string{"/dev/fd/1"}}, []string{"/dev/fd/1"}, []string{"new", "/dev/rtrail-test"}},
		"null":       {Needs{Write: []string{"/dev/null"}}, []string{"/dev/null"}, []string{"new", "/dev/rtrail-test", "/dev/zero"}},
	} {
		for _, stdout := range []string{"file", "pipe"} {
			t.Run(name+" "+stdout, func(t *testing.T) {
				dir := open(t)
				must(t, os.MkdirAll(dir+"/b/deep", 0o755), os.Mkdir(dir+"/a", 0o755), os.Mkdir(dir+"/std", 0o755), os.WriteFile(dir+"/b/real", nil, 0o644),
					os.Symlink("b/deep", dir+"/lnk"), os.Symlink("lnk/../real", dir+"/link"), os.Symlink("b/lost", dir+"/dangling"), unix.Mkfifo(dir+"/fifo", 0o600))
				reader, err := os.OpenFile(dir+"/fifo", os.O_RDWR, 0)
				must(t, err)
				defer reader.Close()
				under := func(paths []string) []string {
					var all []string
					for _, p := range paths {
						if !filepath.IsAbs(p) {
							p = dir + "/" + p // without cleaning
						}
						all = append(all, p)
					}
					return all
				}
				o := order{Needs: Needs{Write: under(tc.needs.Write), Dirs: under(tc.needs.Dirs)}, Write: under(slices.Concat(tc.write, tc.not, []string{"std/new"}))}
				var to *os.File
				if stdout == "file" {
					to, err = os.Create(dir + "/std/out")
				} else {
					var r *os.File
					r, to, err = os.Pipe()
					must(t, err)
					defer r.Close()
				}
				must(t, err)
				defer to.Close()
				got := confined(t, o, to)
				for _, path := range o.Write {
					if can, want := slices.Contains(got.Can, "write "+path), slices.Contains(under(tc.write), path); can != want {
						t.Errorf("write %s: %v, want %v", path, can, want)
					}
				}
			})
		}
	}
}

// What a trial takes from a thread comes back.
func TestTrialEnds(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can try to be another user")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_, before, err := ownCapabilities()
	must(t, err)
	for _, r := range []rights{{nobody, 0}, {nobody, readers}, {safefile.ID{UID: 4294967295, GID: 0}, 0}} {
		var as int
		_ = r.try(func() { as, _ = unix.SetfsuidRetUid(-1) })
		if as != 0 && as != 65534 {
			t.Errorf("tried as %d", as)
		}
		uid, _ := unix.SetfsuidRetUid(-1)
		gid, _ := unix.SetfsgidRetGid(-1)
		_, after, err := ownCapabilities()
		must(t, err)
		if uid != 0 || gid != 0 || *after != *before {
			t.Errorf("after a trial: user %d, group %d, %v, before %v", uid, gid, after, before)
		}
	}
}

// Where the user cannot be changed, root stays, with what it needs.
func TestUserCannotChange(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("privileges are given up by root only")
	}
	dir := open(t)
	must(t, os.WriteFile(dir+"/file", nil, 0o600), os.Chown(dir+"/file", third, third))
	for _, missing := range []uintptr{unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SETPCAP} {
		got := confined(t, order{Needs: Needs{Read: []string{dir + "/file"}}, Read: []string{dir + "/file"}, Without: missing}, nil)
		uid := 0
		if missing == unix.CAP_SETPCAP {
			uid = 65534
		}
		if got.UID != uid || got.Caps != readers || !slices.Contains(got.Can, "read "+dir+"/file") {
			t.Errorf("without capability %d: %+v", missing, got)
		}
	}
}

func TestWatch(t *testing.T) {
	for _, writes := range []bool{false, true} {
		got := confined(t, order{Watches: true, Writes: writes}, nil)
		_, sets, err := ownCapabilities()
		must(t, err)
		has := uint64(sets[0].Permitted) | uint64(sets[1].Permitted)<<32
		want := uint64(watching)
		if writes {
			want |= givers
		}
		if got.UID != 0 || got.Caps != want&has || got.Bounds&^want != 0 || got.NoNewPrivs != 1 {
			t.Errorf("%+v, want capabilities %#x", got, want&has)
		}
		for _, c := range []int{unix.CAP_SYS_MODULE, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME, unix.CAP_SYS_RAWIO, unix.CAP_MKNOD, unix.CAP_SETUID} {
			if (got.Caps|got.Bounds)&(1<<c) != 0 {
				t.Errorf("capability %d stayed: %+v", c, got)
			}
		}
	}
}

func TestHandled(t *testing.T) {
	for version, want := range map[uintptr]struct {
		fs, net, scoped uint64
		size            uintptr
	}{
		1: {0x1fff, 0, 0, 8}, 2: {0x3fff, 0, 0, 8}, 3: {0x7fff, 0, 0, 8}, 4: {0x7fff, 3, 0, 16}, 5: {0xffff, 3, 0, 16}, 6: {0xffff, 3, 1, 24}, 7: {0xffff, 3, 1, 24},
	} {
		if h := handled(version, 0); h.Handled_access_fs != want.fs || h.Handled_access_net != want.net || h.Scoped != want.scoped || size(version) != want.size {
			t.Errorf("version %d: %+v, %d bytes", version, h, size(version))
		}
		if h := handled(version, signalsWork); version >= 6 && h.Scoped != 3 {
			t.Errorf("version %d with the erratum: %+v", version, h)
		}
	}
}
