package rule

import (
	"slices"
	"strings"

	"rtrail/internal/cgname"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Controller is one of those of control groups that have limits.
type Controller struct {
	folder string // of its groups in version 1
	host   string // what sets its limits on the host of a container
	pod    string // what sets them in Kubernetes, where kubelet writes the files; "": it does not write them
}

var (
	CPUGroups = Controller{"cpu", "docker update --cpus, or resources.limits.cpu of the pod",
		"resources.limits.cpu of the container in the pod's spec: kubelet sets both the container and the pod by it"}
	MemoryGroups = Controller{"memory", "docker update --memory with --memory-swap, or resources.limits.memory of the pod",
		"resources.limits.memory of the container in the pod's spec: kubelet sets both the container and the pod by it"}
	CPUWeights = Controller{"cpu", "docker run --cpu-shares without --cpus, or requests.cpu without limits.cpu in the pod",
		"requests.cpu, and no limits.cpu, of the container in the pod's spec: kubelet sets both the container and the pod by it"}
	TaskGroups = Controller{"pids", "docker update --pids-limit, or podPidsLimit of kubelet", "podPidsLimit of kubelet, which sets the pod by it"}
	IOGroups   = Controller{"blkio", "docker run --device-read-bps and its like, with a new container", ""}
)

// File is where a file of a group lies on most systems. Version 1 may have another name for it.
func (k Controller) File(version int32, group, v2, v1 string) shell.Path {
	dir, name := "/sys/fs/cgroup", v2
	if version == 1 {
		dir, name = dir+"/"+k.folder, v1
	}
	return shell.Path(dir + strings.TrimSuffix(group, "/") + "/" + name)
}

// Setting is something that a control group is given.
type Setting struct {
	Property shell.Command // of its unit of systemd: "MemoryMax=1500"; none: units do not have it
	Value    shell.Command // the word to write
	File     shell.Path    // where to
}

// SetGroup is the command that gives a group some settings: those of its unit of systemd if it is that
// of one, which outlast a restart of the service and a reload of systemd, else in its files. There is none
// for "/": that has limits only within a container, where nobody may write them.
func SetGroup(group string, settings ...Setting) shell.Command {
	if group == "/" || len(settings) == 0 {
		return shell.Command{}
	}
	if unit := cgname.UnitAt(group); unit != "" && !settings[0].Property.Empty() {
		set := shell.Line("systemctl set-property %s", unit)
		for _, s := range settings {
			set = set.With("%s", s.Property)
		}
		return set
	}
	var writes []shell.Command
	for _, s := range settings {
		writes = append(writes, shell.Line("echo %s > %s", s.Value, s.File))
	}
	return inTurn(writes)
}

// inTurn runs commands as long as they succeed.
func inTurn(list []shell.Command) (all shell.Command) {
	for i, c := range list {
		if i == 0 {
			all = c
		} else {
			all = shell.Line("%s && %s", all, c)
		}
	}
	return all
}

// Loosen completes a fix that raises or removes a limit of a group. The limits of the groups above bind
// what is in it, too, and those of groups below bind what is in them: a pod of one container has its
// limit twice. So the command is for all of these that settings has something for; below the group only
// for those that hold inner, the group of a process ("": none). The outermost comes first: in version 1
// the kernel refuses a quota above that of the parent.
func (k Controller) Loosen(v *view.View, f Fix, c view.Cgroup, inner string, settings func(view.Cgroup) []Setting) Fix {
	f.Loosens = true
	outside := c.Path == "/"
	var commands []shell.Command
	for _, g := range around(v, c, inner) {
		if list := settings(g); len(list) > 0 {
			outside = outside || g.Path == "/"
			commands = append(commands, SetGroup(g.Path, list...))
		}
	}
	switch {
	case outside:
		f.Text = T("%s; do this on the container's host: %s", f.Text, k.host)
		return f
	case k.pod != "" && len(commands) > 0 && cgname.InPod(c.Path):
		f.Text = T("%s; to make it last, set %s, and writes the files again", f.Text, k.pod)
	}
	f.Command = inTurn(commands)
	return f
}

// around lists a group, those above it and those between it and inner, from the outside in. Above a
// pod of Kubernetes lies what kubelet leaves to all pods together: that is no pod's to raise.
func around(v *view.View, c view.Cgroup, inner string) []view.Cgroup {
	list := []view.Cgroup{c}
	for _, g := range v.Cgroups() {
		above := view.InGroup(c.Path, g.Path) && (!cgname.InPod(c.Path) || cgname.InPod(g.Path))
		if g.Version == c.Version && g.Path != c.Path && (above || view.InGroup(g.Path, c.Path) && view.InGroup(inner, g.Path)) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b view.Cgroup) int { return len(a.Path) - len(b.Path) })
	return list
}
