package view

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"rtrail/internal/recording"
)

// Card is a network interface of rtrail's own namespace with its interrupt lines.
type Card struct {
	Interface string
	Lines     []Line
	Queues    int  // that receive
	RPS       bool // packets of a receive queue are handed to other CPUs
}

// Line is one interrupt line over the window.
type Line struct {
	IRQ      int
	Device   string            // as /proc/interrupts prints it
	Affinity string            // CPUs that it may interrupt, as a list: "0-3"; "": not known
	Effect   string            // the one that it does interrupt; "": not known
	Fired    bool              // since the host was started
	PerCPU   map[int32]float64 // interrupts per second
}

// Allowed is where a line interrupts: a device of which the hardware takes one CPU
// only is free to move if it may interrupt several.
func (l *Line) Allowed() string { return cmp.Or(l.Affinity, l.Effect) }

// Cards lists the interfaces that have a device whose interrupt lines are known.
func (v *View) Cards() []Card {
	return Memo(v, "cards", func() (list []Card) {
		lines := v.interruptLines()
		for _, name := range v.SettingsLike("/sys/class/net/*/device/msi_irqs") {
			value, _ := v.Sysctl(0, name)
			c := Card{Interface: path.Base(path.Dir(path.Dir(name)))}
			for _, field := range strings.Fields(value) {
				irq, err := strconv.Atoi(field)
				if err != nil {
					continue
				}
				l := lines[irq]
				l.IRQ = irq
				l.Affinity, _ = v.Sysctl(0, "/proc/irq/"+field+"/smp_affinity_list")
				l.Effect, _ = v.Sysctl(0, "/proc/irq/"+field+"/effective_affinity_list")
				c.Lines = append(c.Lines, l)
			}
			c.Queues, c.RPS = v.ReceiveQueues(c.Interface)
			list = append(list, c)
		}
		return list
	})
}

// ReceiveQueues counts those of an interface; rps says whether one hands packets to
// CPUs of a mask.
func (v *View) ReceiveQueues(iface string) (queues int, rps bool) {
	for _, name := range v.SettingsLike("/sys/class/net/" + globbed(iface) + "/queues/rx-*/rps_cpus") {
		mask, _ := v.Sysctl(0, name)
		queues, rps = queues+1, rps || strings.Trim(mask, "0,") != ""
	}
	return queues, rps
}

// globbed is a name as a pattern that only it matches.
func globbed(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// interruptLines are the numbered lines of /proc/interrupts.
func (v *View) interruptLines() map[int]Line {
	type key struct {
		irq string
		cpu int32
	}
	keys, series := Group(Rows[recording.InterruptSample](v), func(s recording.InterruptSample) key { return key{s.IRQ, s.CPU} })
	lines := map[int]Line{}
	for _, k := range keys {
		irq, err := strconv.Atoi(k.irq)
		if err != nil {
			continue
		}
		l, samples := lines[irq], series[k]
		if l.PerCPU == nil {
			l.PerCPU = map[int32]float64{}
		}
		last := samples[len(samples)-1]
		l.Device, l.Fired = last.Device, true
		if rate := Rate(v, samples, func(s recording.InterruptSample) uint64 { return s.Count }); rate > 0 {
			l.PerCPU[k.cpu] = rate
		}
		lines[irq] = l
	}
	return lines
}
