package audit

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
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
		Explains: []string{"cpu/interrupts-on-one-core", "cpu/softirq", "net/softnet", "net/nic-drops"}, Proves: []string{"cpu/interrupts-on-one-core"},
		Look: lookAffinity,
	},
	{
		ID: "audit/clock-source", Title: "to ask for the time is slow",
		Reads:    "current_clocksource and available_clocksource of /sys/devices/system/clocksource/clocksource0",
		Why:      "With tsc or the clock of the hypervisor a program reads the time in 20 ns without a system call. hpet and acpi_pm take 1 to 5 µs each time, in the kernel, one after the other; databases and Java ask tens of thousands of times a second.",
		When:     "It is hpet, acpi_pm, jiffies or pit.",
		Change:   "If tsc is available, choose it. If it is not, the kernel found that it does not run evenly: `dmesg | grep -i tsc` has the reason, often the firmware.",
		Price:    "A TSC that runs unevenly makes time jump: do not force it.",
		Leave:    "Hosts on which the kernel rejected tsc, until the cause is known.",
		Explains: []string{"cpu/hot-function", "cpu/syscall-storm"},
		Look:     lookClock,
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
		if _, err := strconv.Atoi(cpus[0]); err != nil || len(slices.Compact(slices.Clone(cpus))) > 1 {
			continue
		}
		first := card.Lines[0].IRQ
		list = append(list, Remark{Subject: view.InterfaceEntity(card.Interface, v.Manifest().Host.NetNS), Words: rule.T("all %d interrupt lines of %s that fired may interrupt CPU %s only, and RPS is off", len(cpus), card.Interface, cpus[0]),
			See: shell.Line("grep . /proc/irq/*/smp_affinity_list; cat /proc/interrupts"), Change: shell.Line("echo 0-%d > /proc/irq/%d/smp_affinity_list", v.CPUCount()-1, first)})
	}
	return list, seen
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
	r := Remark{Subject: v.HostEntity(), See: shell.Line("grep . /sys/devices/system/clocksource/clocksource0/*_clocksource; dmesg | grep -i tsc")}
	r.Words = rule.T("the clock source is %s: each question for the time takes microseconds in the kernel; none that is faster is available", current)
	if better != "" {
		r.Words = rule.T("the clock source is %s, although %s is available: each question for the time takes microseconds in the kernel", current, better)
		r.Change = shell.Line("echo %s > /sys/devices/system/clocksource/clocksource0/current_clocksource", better)
	}
	return found(r)
}
