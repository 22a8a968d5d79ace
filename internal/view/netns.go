package view

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// NetNamespaces lists the network namespaces seen in the window, rtrail's own
// first, each with its last reading.
func (v *View) NetNamespaces() []recording.NetNSSample {
	return Memo(v, "net-namespaces", func() []recording.NetNSSample {
		keys, series := Group(Rows[recording.NetNSSample](v), func(s recording.NetNSSample) uint64 { return s.NetNS })
		list := make([]recording.NetNSSample, 0, len(keys))
		for _, k := range keys {
			list = append(list, series[k][len(series[k])-1])
		}
		slices.SortStableFunc(list, func(a, b recording.NetNSSample) int {
			if a.Own != b.Own {
				if a.Own {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.Name, b.Name)
		})
		return list
	})
}

// NetNamespace is the last reading of one network namespace.
func (v *View) NetNamespace(ns uint64) (recording.NetNSSample, bool) {
	for _, n := range v.NetNamespaces() {
		if n.NetNS == ns {
			return n, true
		}
	}
	return recording.NetNSSample{}, false
}

// OwnNetNS says whether a network namespace is the one rtrail runs in. With a
// recording that does not tell, every namespace 0 is.
func (v *View) OwnNetNS(ns uint64) bool {
	if n, ok := v.NetNamespace(ns); ok {
		return n.Own
	}
	return ns == 0 || ns == v.Manifest().Host.NetNS
}

// NetNSName is how people know a network namespace: the name `ip netns` lists,
// "this host" for rtrail's own, else a process that lives in it.
func (v *View) NetNSName(ns uint64) string {
	if v.OwnNetNS(ns) {
		return "this host"
	}
	switch n, _ := v.NetNamespace(ns); {
	case n.Name != "":
		return n.Name
	case n.PID != 0:
		return fmt.Sprintf("namespace of %s (%d)", n.Comm, n.PID)
	}
	return fmt.Sprintf("net:[%d]", ns)
}

// InNetNS is " in NAME" for a sentence, empty for rtrail's own namespace.
func (v *View) InNetNS(ns uint64) string {
	if v.OwnNetNS(ns) {
		return ""
	}
	return " in " + v.NetNSName(ns)
}

// lastingName is how people know a network namespace.
type lastingName struct {
	name  string
	alone bool // no other one has it
}

// LastingNetNS is how people know a network namespace that is not rtrail's own, in words that
// outlive its processes and the host: its name, else the unit or container of a process that
// lives in it, else what that is called. The kernel's number, which is another one after each
// start, stands only where there is nothing else, and where several namespaces share the words;
// alone is false then.
func (v *View) LastingNetNS(ns uint64) (name string, alone bool) {
	l := Memo(v, "lasting-net-namespaces", func() map[uint64]lastingName {
		names, count := map[uint64]lastingName{}, map[string]int{}
		for _, n := range v.NetNamespaces() {
			if n.Own {
				continue
			}
			name := n.Name
			if p, ok := v.Process(n.PID); ok && name == "" && n.PID != 0 {
				name = Unit(p.Cgroup)
			}
			name = cmp.Or(name, n.Comm)
			names[n.NetNS] = lastingName{name, name != ""}
			count[name]++
		}
		for ns, l := range names {
			if l.alone && count[l.name] > 1 {
				names[ns] = lastingName{fmt.Sprintf("%s net:[%d]", l.name, ns), false}
			}
		}
		return names
	})[ns]
	return cmp.Or(l.name, fmt.Sprintf("net:[%d]", ns)), l.alone
}

// lastingNetNS is the name alone.
func (v *View) lastingNetNS(ns uint64) string {
	name, _ := v.LastingNetNS(ns)
	return name
}

// EnterNetNS is what to put before a command so that it runs in a network
// namespace; empty for rtrail's own.
func (v *View) EnterNetNS(ns uint64) shell.Command {
	if v.OwnNetNS(ns) {
		return shell.Command{}
	}
	switch n, _ := v.NetNamespace(ns); {
	case n.Name != "":
		return shell.Line("ip netns exec %s", n.Name)
	case n.PID != 0:
		return shell.Line("nsenter --net -t %d", n.PID)
	}
	return shell.Command{}
}

// InSysfs is a command for a shell that runs where /sys shows a network namespace's interfaces:
// what a program sees there is a matter of its mounts, and nsenter changes the namespace only.
func (v *View) InSysfs(ns uint64, script shell.Command) shell.Command {
	if n, ok := v.NetNamespace(ns); ok && !n.Own && n.Name == "" && n.PID != 0 {
		return shell.Line("%s unshare --mount sh -c %s", v.EnterNetNS(ns), shell.Script(shell.Line("mount -t sysfs sysfs /sys && %s", script)))
	}
	return shell.Line("%s sh -c %s", v.EnterNetNS(ns), shell.Script(script)) // ip netns exec mounts one, too
}

// ResolvConf is the file that names the resolvers of a network namespace, as a process that
// lives there sees it.
func (v *View) ResolvConf(ns uint64) shell.Path { return v.fileIn(ns, "/etc/resolv.conf") }

// UpstreamConf is the file that names the servers that systemd-resolved of a network namespace asks.
func (v *View) UpstreamConf(ns uint64) shell.Path {
	return v.fileIn(ns, "/run/systemd/resolve/resolv.conf")
}

func (v *View) fileIn(ns uint64, path string) shell.Path {
	if n, ok := v.NetNamespace(ns); ok && !n.Own && n.PID != 0 {
		return shell.Path(fmt.Sprintf("/proc/%d/root%s", n.PID, path))
	}
	return shell.Path(path)
}

// setting is one kernel setting; those of the host are in namespace 0.
type setting struct {
	ns   uint64
	name string
}

// settings are the last values of all settings.
func (v *View) settings() map[setting]string {
	return Memo(v, "sysctls", func() map[setting]string {
		m := map[setting]string{}
		for _, s := range Rows[recording.SysctlSample](v) {
			m[setting{s.NetNS, s.Name}] = s.Value
		}
		return m
	})
}

// Sysctl is the value of a kernel setting in a network namespace; a setting
// that is not per namespace is found under any.
func (v *View) Sysctl(ns uint64, name string) (string, bool) {
	if s, ok := v.settings()[setting{ns, name}]; ok {
		return s, true
	}
	s, ok := v.settings()[setting{0, name}]
	return s, ok
}

// SettingsLike lists the names of the host's settings that a pattern (path.Match)
// matches, in the order of their numbers.
func (v *View) SettingsLike(pattern string) (names []string) {
	for s := range v.settings() {
		if ok, _ := path.Match(pattern, s.name); ok && s.ns == 0 {
			names = append(names, s.name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), cmp.Compare(a, b)) })
	return names
}

// SysctlNumber is a setting that is one number; ok is false where it is not known.
func (v *View) SysctlNumber(ns uint64, name string) (n int64, ok bool) {
	text, ok := v.Sysctl(ns, name)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return n, err == nil
}
