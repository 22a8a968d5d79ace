package cgname

import (
	"strings"
	"testing"
)

func TestName(t *testing.T) {
	id := strings.Repeat("3f2a91c04b7d", 5) + "abcd"
	uid := "9f3c1a52-77b1-4a53-8d22-0c7e5a9b1f00"
	tests := []struct{ in, want string }{
		{"", "/"},
		{"/", "/"},
		{"/system.slice/nginx.service", "nginx.service"},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"},
		{`/system.slice/dev-disk\x2dby\x2dlabel.swap`, "dev-disk-by-label.swap"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice", "user@1000.service"},
		{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
		{"/user.slice", "user.slice"},
		{"/docker/" + id, "docker 3f2a91c04b7d"},
		{"/system.slice/docker-" + id + ".scope", "docker 3f2a91c04b7d"},
		{"/system.slice/docker-" + id + ".scope/init.scope", "docker 3f2a91c04b7d"},
		{"/system.slice/docker-" + id + ".scope/system.slice/cron.service", "docker 3f2a91c04b7d cron.service"},
		{"/machine.slice/libpod-" + id + ".scope", "podman 3f2a91c04b7d"},
		{"/machine.slice/machine-web.scope", "machine web"},
		{"/default/" + id, "container 3f2a91c04b7d"},
		{"/lxc/web1", "lxc web1"},
		{"/kubepods/burstable/pod" + uid + "/" + id, "pod 9f3c1a52 container 3f2a91c04b7d"},
		{"/kubepods/burstable/pod" + uid, "pod 9f3c1a52"},
		{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod9f3c1a52_77b1.slice/cri-containerd-" + id + ".scope", "pod 9f3c1a52 container 3f2a91c04b7d"},
		{"/kubepods.slice/kubepods-pod9f3c1a52_77b1.slice/crio-" + id + ".scope", "pod 9f3c1a52 container 3f2a91c04b7d"},
		{"/system.slice/containerd.service/kubepods-besteffort-pod9f3c1a52_77b1.slice:cri-containerd:" + id, "pod 9f3c1a52 container 3f2a91c04b7d"},
		{"/kubepods.slice", "kubepods.slice"},
		{"/rtrail-lab/web", "web"},
		{"web/", "web"},
		{"/docker-notanid.scope", "docker-notanid.scope"},
	}
	for _, tt := range tests {
		if got := Name(tt.in); got != tt.want {
			t.Errorf("Name(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("/kubepods/burstable/pod9f3c1a52-77/" + strings.Repeat("a", 64))
	f.Add(`/a\x2`)
	f.Fuzz(func(t *testing.T, s string) {
		if Name(s) == "" {
			t.Errorf("Name(%q) is empty", s)
		}
	})
}

func TestUnit(t *testing.T) {
	for group, want := range map[string]string{
		"/system.slice/nginx.service":                                       "nginx.service",
		"/system.slice/nginx.service/workers":                               "nginx.service",
		`/system.slice/my\x2dapp.service`:                                   `my\x2dapp.service`,
		"/system.slice/docker-3f2a91c04b7d.scope":                           "docker-3f2a91c04b7d.scope",
		"/user.slice/user-0.slice/session-3.scope":                          "",
		"/user.slice/user-1000.slice/user@1000.service/app.slice/x.service": "",
		"/system.slice/docker-3f2a91c04b7d.scope/system.slice/cron.service": "docker-3f2a91c04b7d.scope",
		"/lxc.payload.web/system.slice/nginx.service":                       "",
		"/machine.slice": "", "/lab/web": "", "/": "", "": "",
	} {
		if got := Unit(group); got != want {
			t.Errorf("%s: %q, want %q", group, got, want)
		}
	}
}

func TestUnitAt(t *testing.T) {
	for group, want := range map[string]string{
		"/system.slice/nginx.service":               "nginx.service",
		"/system.slice/nginx.service/workers":       "",
		"/system.slice/nginx.service/a.slice":       "",
		"/system.slice/nginx.service/nginx.service": "",
		"/init.scope": "init.scope",
		"/system.slice/docker-3f2a91c04b7d.scope":                           "docker-3f2a91c04b7d.scope",
		"/system.slice/docker-3f2a91c04b7d.scope/system.slice/cron.service": "",
		"/machine.slice/libpod-3f2a91c04b7d.scope":                          "libpod-3f2a91c04b7d.scope",
		"/machine.slice":                                                               "machine.slice",
		"/user.slice/user-1000.slice":                                                  "user-1000.slice",
		"/user.slice/user-1000.slice/session-3.scope":                                  "",
		"/user.slice/user-1000.slice/user@1000.service/app.slice":                      "",
		"/kubepods.slice":                                                              "",
		"/kubepods.slice/kubepods-pod9f3c1a52_77b1.slice":                              "",
		"/kubepods.slice/kubepods-pod9f3c1a52_77b1.slice/cri-containerd-3f2a91c.scope": "",
		"/docker/3f2a91c04b7d":                                                         "", "/": "", "": "",
		"/nomad.slice": "", "/nomad.slice/share.slice/0a1b.web.scope": "",
	} {
		if got := UnitAt(group); got != want {
			t.Errorf("%s: %q, want %q", group, got, want)
		}
	}
}

func TestInPod(t *testing.T) {
	for group, want := range map[string]bool{
		"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod9f3c1a52_77b1.slice": true,
		"/kubepods.slice/kubepods-pod9f3c1a52_77b1.slice/cri-containerd-3f2a91c04b7d.scope":  true,
		"/kubepods/burstable/pod9f3c1a52-77b1/3f2a91c04b7d":                                  true,
		"/kubepods.slice": false, "/kubepods": false, "/docker/3f2a91c04b7d": false, "/": false,
	} {
		if got := InPod(group); got != want {
			t.Errorf("%s: %v", group, got)
		}
	}
}
