package socket

import (
	"bytes"
	"strings"
	"time"

	"rtrail/internal/probe/netproc"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// count reads the counters of a namespace. A file that cannot be read any more
// is given up: its path would lead to another namespace. With settings, what
// hardly ever moves is read as well, and counters at 0 are recorded for later
// ones to be told from.
func (p *Probe) count(n *namespace, w *recording.Writer, settings bool) {
	at := time.Now()
	for name, f := range n.files {
		if name == "netlink" && !settings { // it lists each socket
			continue
		}
		b, err := f.Read()
		if err != nil {
			delete(n.files, name)
			w.Lost(1)
			continue
		}
		switch name {
		case "snmp", "netstat":
			p.counters, err = p.parser.Table(p.counters, at, n.NetNS, b)
		case "snmp6":
			p.counters, err = p.parser.SNMP6(p.counters, at, n.NetNS, b)
		case "sockstat", "sockstat6":
			p.counters, err = p.parser.Sockstat(p.counters, at, n.NetNS, b)
		case "dev":
			before := len(p.devices)
			p.devices, err = p.parser.Devices(p.devices, at, n.NetNS, b)
			n.describe(p.devices[before:])
		case "stat/nf_conntrack":
			var row recording.ConntrackSample
			if row, err = p.parser.Conntrack(at, n.NetNS, b); err == nil {
				row.Max, row.Buckets = n.conntrackMax, n.conntrackBuckets
				recording.Append(w, row)
			}
		case "xfrm_stat":
			p.counters, err = p.parser.Pairs(p.counters, at, n.NetNS, "Xfrm", settings, b)
		case "tls_stat":
			p.counters, err = p.parser.Pairs(p.counters, at, n.NetNS, "Tls", settings, b)
		case "sctp/snmp":
			p.counters, err = p.parser.Pairs(p.counters, at, n.NetNS, "Sctp", settings, b)
		case "netlink":
			p.counters = n.netlink.Read(p.counters, at, n.NetNS, b)
		default:
			p.counters, err = p.parser.Stat(p.counters, at, n.NetNS, name, b)
		}
		if err != nil {
			w.Lost(1)
		}
	}
}

// settings reads what changes seldom: kernel settings and firewall rules.
func (p *Probe) settings(n *namespace, w *recording.Writer, missed *unseen) {
	n.configured = true
	var rows []recording.SysctlSample
	at := time.Now()
	err := enter(n.fd, func() error {
		buf := make([]byte, 512)
		for _, name := range netproc.Sysctls {
			b, err := procfile.ReadOnce("/proc/sys/"+strings.ReplaceAll(name, ".", "/"), buf)
			if err != nil {
				continue // this kernel or namespace has no such setting
			}
			value := string(bytes.TrimSpace(b))
			rows = append(rows, recording.SysctlSample{At: at, NetNS: n.NetNS, Name: name, Value: value})
		}
		n.legacy = n.legacy || legacyTables()
		n.readLinks()
		return nil
	})
	if err != nil {
		w.Lost(1)
		return
	}
	for _, row := range rows {
		switch row.Name {
		case "net.netfilter.nf_conntrack_max":
			n.conntrackMax = number(row.Value)
		case "net.netfilter.nf_conntrack_buckets":
			n.conntrackBuckets = number(row.Value)
		}
	}
	recording.Append(w, rows...)
	servers := n.nameServers(at)
	recording.Append(w, servers...)
	if p.asker != nil {
		p.asker.ask(n.fd, servers)
	}
	p.rules(n, w, missed)
}

// describe adds to rows what was read by readLinks. Interfaces that came since
// are looked up when settings are read the next time.
func (n *namespace) describe(rows []recording.NetDeviceSample) {
	if n.links == nil {
		return
	}
	for i := range rows {
		l, ok := n.links[rows[i].Interface]
		if !ok {
			n.configured = false
			continue
		}
		rows[i].MTU, rows[i].SpeedMbps, rows[i].Up = l.mtu, l.speed, l.up
		rows[i].Physical, rows[i].Master = l.physical, l.master
		rows[i].Kind, rows[i].Index, rows[i].Link = l.kind, l.index, l.below
	}
}

func number(s string) int64 {
	n, ok := procfile.Int([]byte(s))
	if !ok {
		return recording.Unknown
	}
	return n
}
