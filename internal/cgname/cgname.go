// Package cgname turns paths of control groups into the names people know:
// units of systemd, containers, pods.
package cgname

import (
	"path"
	"strings"
)

// Name returns what people call the group at a path as /proc/PID/cgroup shows
// it: "nginx.service", "docker 3f2a91c04b7d", "pod 9f3c1a52 container
// 3f2a91c04b7d", else the last element. The root has the name "/".
func Name(cgroup string) string {
	cgroup = path.Clean("/" + cgroup)
	if cgroup == "/" {
		return "/"
	}
	parts := strings.Split(cgroup[1:], "/")
	last := parts[len(parts)-1]
	pod := podOf(parts)
	// The group of a container may have groups of its own below, as an init
	// system inside of it makes them; the innermost container counts.
	for i := len(parts) - 1; i >= 0; i-- {
		runtime, id, ok := container(parts, i)
		if !ok {
			continue
		}
		name := runtime + " " + id
		if pod != "" {
			name = "pod " + pod + " container " + id
		}
		if below := parts[i+1:]; len(below) > 0 && !strings.HasPrefix(below[0], "init.scope") {
			name += " " + unescape(below[len(below)-1])
		}
		return name
	}
	if pod != "" {
		return "pod " + pod
	}
	// Delegated groups below a unit belong to it: user@1000.service/app.slice.
	for i := len(parts) - 1; i >= 0; i-- {
		if strings.HasSuffix(parts[i], ".service") || strings.HasSuffix(parts[i], ".scope") {
			return unescape(parts[i])
		}
	}
	return unescape(last)
}

// Unit returns the unit of systemd whose properties limit the group at a path, as
// systemctl takes it: "nginx.service", "docker-3f2a91c04b7d.scope". "" if there is none
// for this group: those of a login hold whatever somebody does there, and units of users
// or within a container belong to another systemd. Above its own units there are only slices.
func Unit(cgroup string) string {
	if strings.HasPrefix(cgroup, "/user.slice/") {
		return ""
	}
	for part := range strings.SplitSeq(path.Clean("/" + cgroup)[1:], "/") {
		switch {
		case strings.HasPrefix(part, "session-"):
			return ""
		case strings.HasSuffix(part, ".service"), strings.HasSuffix(part, ".scope"):
			return part
		case !strings.HasSuffix(part, ".slice"):
			return ""
		}
	}
	return ""
}

// UnitAt returns the unit of systemd that has the group at a path itself, not one above it:
// a service, a scope or a slice. "" if there is none, and for groups of Kubernetes and Nomad,
// which set these themselves.
func UnitAt(cgroup string) string {
	above, unit := path.Split(path.Clean("/" + cgroup))
	if strings.Contains(cgroup, "kubepods") || strings.HasPrefix(path.Clean("/"+cgroup)+"/", "/nomad.slice/") || unit != Unit(cgroup) && !strings.HasSuffix(unit, ".slice") {
		return ""
	}
	for part := range strings.SplitSeq(strings.Trim(above, "/"), "/") {
		if part != "" && !strings.HasSuffix(part, ".slice") {
			return ""
		}
	}
	return unit
}

// InPod says whether the group at a path is that of a pod of Kubernetes, or one in it.
func InPod(cgroup string) bool { return podOf(strings.Split(path.Clean("/" + cgroup)[1:], "/")) != "" }

// shortID is how many digits of a container's ID tools show.
const shortID = 12

// runtimes are the prefixes of the scopes that systemd makes for containers.
var runtimes = []struct{ prefix, name string }{
	{"docker-", "docker"},
	{"cri-containerd-", "containerd"},
	{"nerdctl-", "containerd"},
	{"crio-", "cri-o"},
	{"libpod-", "podman"},
}

// container looks at one element of a path.
func container(parts []string, i int) (runtime, id string, ok bool) {
	part := parts[i]
	if scope, found := strings.CutSuffix(part, ".scope"); found {
		for _, r := range runtimes {
			if id, found := strings.CutPrefix(scope, r.prefix); found && isID(id) {
				return r.name, id[:shortID], true
			}
		}
		if name, found := strings.CutPrefix(scope, "machine-"); found && i > 0 {
			return "machine", unescape(name), true
		}
		return "", "", false
	}
	// containerd's CRI under systemd: kubepods-pod1.slice:cri-containerd:ID.
	if at := strings.LastIndexByte(part, ':'); at >= 0 && isID(part[at+1:]) {
		return "containerd", part[at+1:][:shortID], true
	}
	if i == 0 {
		return "", "", false
	}
	switch parent := parts[i-1]; {
	case parent == "lxc" || parent == "lxc.payload":
		return "lxc", part, true
	case !isID(part):
		return "", "", false
	case parent == "docker" || parent == "containerd":
		return parent, part[:shortID], true
	case strings.HasPrefix(parent, "pod"), podSlice(parent) != "":
		return "container", part[:shortID], true
	case parent == "libpod_parent" || parent == "podman":
		return "podman", part[:shortID], true
	case parts[0] == "docker" || parts[0] == "ecs" || parts[0] == "default" || parts[0] == "k8s.io" || parts[0] == "moby":
		return "container", part[:shortID], true
	}
	return "", "", false
}

// isID accepts the 64 hexadecimal digits of a container.
func isID(s string) bool {
	if len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// podOf finds the pod of a path, by the first group of its UID's digits:
// kubepods/burstable/pod9f3c1a52-.../ID with cgroupfs, or
// kubepods-burstable-pod9f3c1a52_....slice with systemd.
func podOf(parts []string) string {
	for i, part := range parts {
		uid := podSlice(part)
		if uid == "" && i > 0 && strings.HasPrefix(parts[0], "kubepods") {
			uid, _ = strings.CutPrefix(part, "pod")
			if uid == part {
				uid = ""
			}
		}
		if uid != "" {
			return firstDigits(uid)
		}
	}
	return ""
}

func podSlice(part string) string {
	slice, ok := strings.CutSuffix(part, ".slice")
	if !ok {
		if before, _, found := strings.Cut(part, ".slice:"); found {
			slice = before
		} else {
			return ""
		}
	}
	if !strings.HasPrefix(slice, "kubepods") {
		return ""
	}
	if i := strings.LastIndex(slice, "-pod"); i >= 0 {
		return slice[i+len("-pod"):]
	}
	return ""
}

func firstDigits(uid string) string {
	if i := strings.IndexAny(uid, "-_"); i > 0 {
		return uid[:i]
	}
	return uid[:min(len(uid), shortID)]
}

// unescape undoes systemd's \x2d for a dash in unit names.
func unescape(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && s[i+1] == 'x' {
			high, low := hex(s[i+2]), hex(s[i+3])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hex(c byte) int { return strings.IndexByte("0123456789abcdef", c) }
