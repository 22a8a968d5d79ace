package imported

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/probe/host"
	"rtrail/internal/probe/netproc"
	"rtrail/internal/recording"
)

// settingOf is the setting (sysctl) of a file below /proc.
var settingOf = func() map[string]string {
	names := map[string]string{}
	for _, name := range slices.Concat(host.Sysctls, netproc.Sysctls) {
		names["sys/"+strings.ReplaceAll(name, ".", "/")] = name
	}
	return names
}()

// maxSetting bounds the text of a setting, in bytes.
const maxSetting = 1024

// conntrackMax is the limit of the table of connections.
const conntrackMax = "sys/net/netfilter/nf_conntrack_max"

// network makes rows of a copy of a file of /proc/net, or of /proc/sys; false: it is none.
func (tr *tree) network(w *recording.Writer, name string, b []byte) (known bool, err error) {
	var p netproc.Parser
	switch name {
	case "net/dev":
		rows, err := p.Devices(nil, tr.at, 0, b)
		recording.Append(w, rows...)
		return true, err
	case "net/snmp", "net/netstat":
		rows, err := p.Table(nil, tr.at, 0, b)
		recording.Append(w, rows...)
		return true, err
	case "net/stat/nf_conntrack":
		row, err := p.Conntrack(tr.at, 0, b)
		if row.Max, _ = strconv.ParseInt(strings.TrimSpace(string(tr.files[conntrackMax])), 10, 64); err == nil {
			recording.Append(w, row)
		}
		return true, err
	}
	if setting := settingOf[name]; setting != "" {
		if len(b) <= maxSetting {
			recording.Append(w, recording.SysctlSample{At: tr.at, Name: setting, Value: host.SysctlText(b)})
		}
		return true, nil
	}
	return false, nil
}

// copied says which columns of the tables of the network copies of /proc tell.
func (r *rows) copied() {
	if len(r.net) > 0 {
		r.only[recording.NetDevices] = []string{"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo", "tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo", "collisions", "carrier"}
	}
	if len(r.conntrack) > 0 {
		r.only[recording.Conntrack] = []string{"count", "found", "insert", "insert_failed", "drop", "early_drop", "invalid", "chain_too_long"}
		if !slices.ContainsFunc(r.conntrack, func(s recording.ConntrackSample) bool { return s.Max <= 0 }) {
			r.only[recording.Conntrack] = append(r.only[recording.Conntrack], "max")
		}
	}
	all := len(r.told.trees) > 0
	for _, tr := range r.told.trees {
		b, ok := tr.files["loadavg"]
		all = all && ok
		for i := range r.system {
			if ok && r.system[i].At.Equal(tr.at) {
				host.ReadLoad(&r.system[i], b)
			}
		}
	}
	if all && len(r.system) > 0 {
		r.only[recording.System] = append(r.only[recording.System], "load1", "load5", "load15", "tasks")
	}
	if len(r.protocol) == 0 {
		return
	}
	times := map[string]int{}
	for _, p := range r.protocol {
		times[p.Protocol+p.Name]++
	}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if times[name] == len(r.told.trees) {
			r.only[recording.Protocol] = append(r.only[recording.Protocol], name)
		}
	}
	if len(r.only[recording.Protocol]) == 0 {
		r.only[recording.Protocol] = []string{"at"}
	}
}
