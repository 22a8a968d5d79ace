package audit

import (
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// found is what a look at one thing gives.
func found(r ...Remark) ([]Remark, bool) { return r, true }

// only is a Fits of a value that explains some of the rules of its check, and of these
// proves all that the check proves.
func only(rules ...string) func(*rule.Finding) (explains, proves bool) {
	return func(f *rule.Finding) (explains, proves bool) {
		is := slices.Contains(rules, f.Rule)
		return is, is
	}
}

// valueOf is the number that a finding has of something; ok is false where it has none.
func valueOf(f *rule.Finding, m *metric.Metric) (value float64, ok bool) {
	i := slices.IndexFunc(f.Evidence, func(e rule.Evidence) bool { return e.Metric == m })
	if i < 0 {
		return 0, false
	}
	return f.Evidence[i].Value, true
}

// chosen is the choice in brackets of "always [madvise] never".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	choice, _, _ := strings.Cut(rest, "]")
	return choice
}

// space is a network namespace with the value of a setting.
type space struct {
	ns    uint64
	value string
}

// spacesWith lists the network namespaces in which a setting was read, this host's
// first.
func spacesWith(v *view.View, name string) (list []space) {
	for _, n := range v.NetNamespaces() {
		if value, ok := v.Sysctl(n.NetNS, name); ok {
			list = append(list, space{n.NetNS, value})
		}
	}
	return list
}

// inSpaces remarks on a setting of network namespaces that is wrong in some of them:
// once for all that have the same value. The words get the value and where that is,
// the command the namespace and the value.
func inSpaces(v *view.View, name string, wrong func(space) bool, words func(value, where string) rule.Text, change func(enter shell.Command) shell.Command) ([]Remark, bool) {
	all := spacesWith(v, name)
	var list []Remark
	for _, s := range all {
		if !wrong(s) {
			continue
		}
		if i := slices.IndexFunc(list, func(r Remark) bool { v, _ := v.Sysctl(r.Spaces[0], name); return v == s.value }); i >= 0 {
			list[i].Spaces = append(list[i].Spaces, s.ns)
			continue
		}
		enter := v.EnterNetNS(s.ns)
		list = append(list, Remark{Subject: v.NetNSEntity(s.ns), Spaces: []uint64{s.ns}, See: shell.Line("%s sysctl %s", enter, name), Change: change(enter)})
	}
	for i := range list {
		value, _ := v.Sysctl(list[i].Spaces[0], name)
		list[i].Words = words(value, where(v, list[i].Spaces))
	}
	return list, len(all) > 0
}

// where names network namespaces.
func where(v *view.View, spaces []uint64) string {
	text := " on this host"
	if !v.OwnNetNS(spaces[0]) {
		text = v.InNetNS(spaces[0])
	}
	if more := len(spaces) - 1; more > 0 {
		text += " and in " + unit.Plural(more, "more network namespace", "more network namespaces")
	}
	return text
}

// is says whether a setting has a number.
func is(n int64) func(space) bool {
	return func(s space) bool {
		value, err := strconv.ParseInt(s.value, 10, 64)
		return err == nil && value == n
	}
}

// atMost says whether the last of the numbers of a setting is at most that.
func atMost(limit int64) func(space) bool {
	return func(s space) bool {
		fields := strings.Fields(s.value)
		if len(fields) == 0 {
			return false
		}
		n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
		return err == nil && n <= limit
	}
}

// ofHost is a setting of the whole host that is one number.
func ofHost(v *view.View, name string) (int64, bool) { return v.SysctlNumber(0, name) }

// interfaces lists the last reading of each interface.
func interfaces(v *view.View) (list []recording.NetDeviceSample) {
	type key struct {
		ns   uint64
		name string
	}
	keys, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) key { return key{s.NetNS, s.Interface} })
	for _, k := range keys {
		list = append(list, series[k][len(series[k])-1])
	}
	return list
}

// memoryOf is the memory of the host, 0 if it is not known.
func memoryOf(v *view.View) int64 { return v.Manifest().Host.MemoryBytes }
