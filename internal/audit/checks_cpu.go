package audit

import (
	"fmt"
	"path"
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

var (
	timeShare = rule.Threshold{Name: "time-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a process's CPU time in calls that ask for the time. From here on a clock that is read without a call halves it."}
	fullCPU = rule.Threshold{Name: "full-cpu", Value: 0.95, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the one CPU that a card may interrupt in use. With more time left it reads the card's rings as packets come."}
	idleCPU = rule.Threshold{Name: "idle-cpu", Value: 0.4, Unit: "share", Source: rule.Judgement,
		Reason: "Idle share of another CPU meanwhile: it could take the interrupts."}
	oneSided = rule.Threshold{Name: "one-sided", Value: 0.8, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the one CPU in the softirq time of all. On two CPUs even work gives each a half."}
)

var cpuChecks = []Check{
	{
		ID: "audit/governor", Title: "the CPUs run at their lowest clock rate",
		Reads:    "scaling_governor and scaling_driver of /sys/devices/system/cpu/cpufreq",
		Why:      "The governor powersave of drivers without hardware control holds the lowest clock rate, whatever there is to do: all work takes two or three times as long.",
		When:     "The governor is powersave and the driver is not intel_pstate or amd-pstate-epp, where powersave only is the balanced mode. What runs as a guest has no such setting.",
		Change:   "Set the governor to schedutil or performance; the latter also for the quickest answers.",
		Price:    "Power and heat.",
		Leave:    "Hosts that run on batteries or a power budget.",
		Explains: []string{"cpu/saturated", "cpu/one-thread-limit"},
		Look:     lookGovernor,
	},
	{
		ID: "audit/irq-affinity", Title: "all queues of a network card interrupt one CPU",
		Reads:    "msi_irqs of the interface's device, affinity in /proc/irq, rps_cpus of its queues, /proc/interrupts",
		Why:      "Receiving takes 1 to 5 µs of CPU time for each packet. One CPU then is full while others are idle, and packets queue or get lost.",
		When:     "A card has several lines that fired, all may interrupt the same single CPU only, and RPS is off. A card with one queue has no choice.",
		Change:   "Let irqbalance spread them, or write CPUs to smp_affinity_list; with fewer queues than CPUs turn RPS on.",
		Price:    "Caches are shared less; RPS costs an interrupt between CPUs for each batch.",
		Leave:    "Hosts that keep CPUs free of interrupts on purpose.",
		Explains: []string{"cpu/interrupts-on-one-core", "cpu/softirq", "net/nic-drops"}, Proves: []string{"cpu/softirq", "net/nic-drops"},
		Thresholds: []*rule.Threshold{&fullCPU, &idleCPU, &oneSided},
		Look:       lookAffinity,
	},
	{
		ID: "audit/clock-source", Title: "to ask for the time is slow",
		Reads:    "current_clocksource and available_clocksource of /sys/devices/system/clocksource/clocksource0",
		Why:      "With tsc or the clock of the hypervisor a program reads the time in 20 ns without a system call. hpet and acpi_pm take 1 to 5 µs each time, in the kernel, one after the other; databases and Java ask tens of thousands of times a second.",
		When:     "It is hpet, acpi_pm, jiffies or pit.",
		Change:   "If tsc is available, choose it. If it is not, the kernel found that it does not run evenly: `dmesg | grep -i tsc` has the reason, often the firmware.",
		Price:    "A TSC that runs unevenly makes time jump: do not force it.",
		Leave:    "Hosts on which the kernel rejected tsc, until the cause is known.",
		Explains: []string{"cpu/hot-function", "cpu/syscall-storm"}, Proves: []string{"cpu/syscall-storm"},
		Thresholds: []*rule.Threshold{&timeShare},
		Look:       lookClock,
	},
}

// hardwareControl are drivers with which the CPU chooses its clock rate, and the
// governor only says how eagerly.
var hardwareControl = []string{"intel_pstate", "amd-pstate-epp", "amd_pstate_epp"}

func lookGovernor(v *view.View) ([]Remark, bool) {
	slow, all, named := 0, 0, ""
	for _, name := range v.SettingsLike("/sys/devices/system/cpu/cpufreq/*/scaling_governor") {
		governor, _ := v.Sysctl(0, name)
		driver, ok := v.Sysctl(0, path.Dir(name)+"/scaling_driver")
		if !ok {
			continue
		}
		all++
		if governor == "powersave" && !slices.Contains(hardwareControl, driver) {
			slow++
			named = driver
		}
	}
	if slow == 0 {
		return nil, all > 0
	}
	return found(Remark{Subject: v.HostEntity(), Words: rule.T("%d of %s of CPUs have the governor powersave (driver %s): they stay at their lowest clock rate", slow, unit.Plural(all, "group", "groups"), named),
		See: shell.Line("grep . /sys/devices/system/cpu/cpufreq/policy*/scaling_governor; grep MHz /proc/cpuinfo"), Change: shell.Line("cpupower frequency-set -g schedutil")})
}

func lookAffinity(v *view.View) (list []Remark, seen bool) {
	if v.CPUCount() < 2 {
		return nil, false
	}
	for _, card := range v.Cards() {
		var cpus []string
		for _, l := range card.Lines {
			if l.Fired {
				cpus = append(cpus, l.Allowed())
			}
		}
		if len(cpus) < 2 || card.Queues < 2 || card.RPS {
			continue
		}
		seen = true
		cpu, err := strconv.ParseInt(cpus[0], 10, 32)
		if err != nil || len(slices.Compact(slices.Clone(cpus))) > 1 {
			continue
		}
		list = append(list, Remark{Subject: view.InterfaceEntity(card.Interface, v.Manifest().Host.NetNS), Words: rule.T("all %d interrupt lines of %s that fired may interrupt CPU %s only, and RPS is off", len(cpus), card.Interface, cpus[0]),
			See: shell.Line("grep . /proc/irq/*/smp_affinity_list; cat /proc/interrupts"), Change: toAllCPUs(v, card.Lines),
			Fits: onOneCPU(v, card.Interface, int32(cpu))})
	}
	return list, seen
}

// toAllCPUs is the command with which interrupts of lines may come to all CPUs that are online:
// these are not always the first ones.
func toAllCPUs(v *view.View, lines []view.Line) shell.Command {
	var cpus []string
	for _, n := range v.OnlineCPUs() {
		cpus = append(cpus, strconv.Itoa(int(n)))
	}
	if len(cpus) == 0 {
		return shell.Command{}
	}
	var files shell.Paths
	for _, l := range lines {
		if l.Fired {
			files = append(files, "/proc/irq/"+strconv.Itoa(l.IRQ)+"/smp_affinity_list")
		}
	}
	return shell.Line("echo %s | tee %s", strings.Join(cpus, ","), files)
}

// onOneCPU says which findings about an interface come from its interrupts all going to
// one CPU.
func onOneCPU(v *view.View, name string, cpu int32) func(*rule.Finding) (explains, proves bool) {
	return func(f *rule.Finding) (explains, proves bool) {
		var one view.CPUShare
		softirq, idlest := 0.0, 0.0
		for _, c := range v.CPUs() {
			softirq += c.SoftIRQ
			if c.CPU == cpu {
				one = c
			} else {
				idlest = max(idlest, c.Idle)
			}
		}
		here := slices.ContainsFunc(f.Affects, view.Entity{Kind: view.KindCPU, Name: fmt.Sprintf("CPU %d", cpu)}.Same)
		switch f.Rule {
		case "net/nic-drops":
			// Damaged frames, and what is lost on its way out, are no fault of whoever
			// reads the rings.
			lost, _ := valueOf(f, metric.InterfaceDrops)
			ring := lostInRing(v, name)
			return ring > 0 && lost == ring, one.Busy() >= fullCPU.Value && idlest >= idleCPU.Value
		case "cpu/softirq":
			return here, one.SoftIRQ >= oneSided.Value*softirq
		}
		return here, false
	}
}

// lostInRing is how many packets found the receive ring of an interface of this host
// full in the window.
func lostInRing(v *view.View, name string) float64 {
	var rows []recording.NetDeviceSample
	for _, d := range view.Rows[recording.NetDeviceSample](v) {
		if d.Interface == name && v.OwnNetNS(d.NetNS) {
			rows = append(rows, d)
		}
	}
	lost, _ := view.Delta(rows, func(s recording.NetDeviceSample) uint64 { return s.RxFIFO })
	return lost
}

// slowClocks are read by the kernel, from a device.
var slowClocks = []string{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"}

func lookClock(v *view.View) ([]Remark, bool) {
	const dir = "/sys/devices/system/clocksource/clocksource0/"
	current, ok := v.Sysctl(0, dir+"current_clocksource")
	if !ok || !slices.Contains(slowClocks, current) {
		return nil, ok
	}
	available, _ := v.Sysctl(0, dir+"available_clocksource")
	better := ""
	for _, name := range strings.Fields(available) {
		if !slices.Contains(slowClocks, name) {
			better = name
			break
		}
	}
	r := Remark{Subject: v.HostEntity(), See: shell.Line("grep . /sys/devices/system/clocksource/clocksource0/*_clocksource; dmesg | grep -i tsc"),
		Fits: func(f *rule.Finding) (explains, proves bool) { return asksForTime(v, f) }}
	r.Words = rule.T("the clock source is %s: each question for the time takes microseconds in the kernel; none that is faster is available", current)
	if better != "" {
		r.Words = rule.T("the clock source is %s, although %s is available: each question for the time takes microseconds in the kernel", current, better)
		r.Change = shell.Line("echo %s > /sys/devices/system/clocksource/clocksource0/current_clocksource", better)
	}
	return found(r)
}

// timeCalls are the system calls that tell the time. Libraries make them only where the
// clock cannot be read without one.
var timeCalls = []string{"clock_gettime", "gettimeofday", "time"}

// asksForTime says whether a finding is about a process that asks for the time, and
// whether that is most of what it does.
func asksForTime(v *view.View, f *rule.Finding) (explains, proves bool) {
	if f.Rule == "cpu/hot-function" {
		on := v.CPUProfile(f.Subject.PID).Functions
		return len(on) > 0 && (strings.HasSuffix(on[0].Function, "clock_gettime") || strings.HasSuffix(on[0].Function, "gettimeofday")), false
	}
	profile := v.CallProfile(f.Subject.PID)
	asks := view.SampledCall{}
	for _, call := range timeCalls {
		asks.Samples += profile.Of(call).Samples
	}
	for _, s := range view.Rows[recording.OnCPUSample](v) {
		if s.PID == f.Subject.PID && strings.Contains(s.Stack, "cpu_clock_get") {
			asks.Samples -= s.Samples // how much CPU time it took, which no clock tells
		}
	}
	share, _ := profile.Share(asks)
	return share >= timeShare.Value, share >= timeShare.Value
}
