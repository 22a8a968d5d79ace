package cpu

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestInterruptsOnOneCore(t *testing.T) {
	receiving := func(h *ruletest.Host, name string, packets, size float64) *ruletest.Host {
		h.SoftIRQ("NET_RX", 1, packets/8).SoftIRQ("TIMER", 1, 1000)
		return h.NetDevice(ruletest.NetDevice{Name: name, RxPackets: packets, RxBytes: packets * size})
	}
	quiet, full := ruletest.CPU{User: 0.1}, ruletest.CPU{System: 0.2, SoftIRQ: 0.79}
	daemon := ruletest.Process{PID: 20, Comm: "ksoftirqd/1", Kernel: true, CPU: 0.6}
	// card is one with two queues, the lines of which interrupt CPU 1.
	card := func(h *ruletest.Host) *ruletest.Host {
		for name, value := range map[string]string{"/sys/class/net/eth0/device/msi_irqs": "30 31", "/proc/irq/30/smp_affinity_list": "1", "/proc/irq/30/effective_affinity_list": "1",
			"/sys/class/net/eth0/queues/rx-0/rps_cpus": "0", "/sys/class/net/eth0/queues/rx-1/rps_cpus": "0"} {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: name, Value: value})
		}
		return ruletest.Every(h, func(at time.Time, s float64) recording.InterruptSample {
			return recording.InterruptSample{At: at, IRQ: "30", Device: "PCI-MSIX-0000:00:03.0 1-edge eth0-TxRx-0", CPU: 1, Count: uint64(7 + 9000*s)}
		})
	}
	// lineOf is one line of a card that interrupts a CPU so often a second.
	lineOf := func(h *ruletest.Host, name, irq string, cpu int32, rate float64) *ruletest.Host {
		for setting, value := range map[string]string{"/sys/class/net/" + name + "/device/msi_irqs": irq, "/proc/irq/" + irq + "/effective_affinity_list": fmt.Sprint(cpu)} {
			ruletest.Add(h, recording.SysctlSample{At: ruletest.Start, Name: setting, Value: value})
		}
		return ruletest.Every(h, func(at time.Time, s float64) recording.InterruptSample {
			return recording.InterruptSample{At: at, IRQ: irq, Device: "PCI-MSIX-0000:00:04.0 1-edge " + name + "-TxRx-0", CPU: cpu, Count: uint64(7 + rate*s)}
		})
	}
	four := func(busiest ruletest.CPU) *ruletest.Host {
		return ruletest.New(4, 10).CPUs(quiet, busiest, quiet, quiet)
	}
	// many are 96 CPUs, of which CPU 1 is full; the others have so much interrupt time.
	many := func(background float64) *ruletest.Host {
		cpus := slices.Repeat([]ruletest.CPU{{User: 0.1, SoftIRQ: background}}, 96)
		cpus[1] = full
		return ruletest.New(96, 10).CPUs(cpus...)
	}
	ruletest.Check(t, interruptsOnOneCore, []ruletest.Situation{
		{Name: "a card whose queues interrupt one CPU", Host: func() *ruletest.Host {
			return card(receiving(four(full), "eth0", 90000, 700)).Process(daemon)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4, Says: "CPU 1 is full with received packets of eth0, while CPU 3 is 90 % idle"},
		{Name: "rounds that leave packets", Host: func() *ruletest.Host {
			return ruletest.Every(receiving(four(full), "eth0", 90000, 700), func(at time.Time, s float64) recording.SoftnetSample {
				return recording.SoftnetSample{At: at, CPU: 1, Squeezed: uint64(200 * s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "nothing seen to wait", Host: func() *ruletest.Host { return receiving(four(full), "eth0", 90000, 700) },
			Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "a full backlog", Host: func() *ruletest.Host {
			return ruletest.Every(receiving(four(full), "eth0", 90000, 700), func(at time.Time, s float64) recording.SoftnetSample {
				return recording.SoftnetSample{At: at, CPU: 1, Dropped: uint64(3 * s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "packets dropped by another CPU", Host: func() *ruletest.Host {
			return ruletest.Every(receiving(four(full), "eth0", 90000, 700), func(at time.Time, s float64) recording.SoftnetSample {
				return recording.SoftnetSample{At: at, CPU: 0, Dropped: uint64(300 * s), Squeezed: uint64(300 * s)}
			})
		}, Want: rule.Possible, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "two CPUs", Host: func() *ruletest.Host {
			return receiving(ruletest.New(2, 5).CPUs(quiet, full), "eth0", 90000, 700).Process(daemon)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "96 CPUs, each with timers of its own", Host: func() *ruletest.Host {
			return receiving(many(0.003), "eth0", 90000, 700).Process(daemon)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4, Proof: "took 79 % of CPU 1, 73 % of those of all CPUs"},
		{Name: "96 CPUs, all of which receive packets", Host: func() *ruletest.Host {
			return receiving(many(0.05), "eth0", 90000, 700).Process(daemon)
		}},
		{Name: "four CPUs, all of which receive packets", Host: func() *ruletest.Host {
			busy := ruletest.CPU{User: 0.1, SoftIRQ: 0.3}
			return receiving(ruletest.New(4, 10).CPUs(busy, full, busy, busy), "eth0", 90000, 700).Process(daemon)
		}},
		{Name: "one CPU", Host: func() *ruletest.Host {
			return ruletest.New(1, 10).CPUs(full).SoftIRQ("NET_RX", 0, 9000).NetDevice(ruletest.NetDevice{Name: "eth0", RxPackets: 90000, RxBytes: 6e7})
		}},
		{Name: "balanced", Host: func() *ruletest.Host {
			return receiving(ruletest.New(2, 10).CPUs(full, full), "eth0", 90000, 700).SoftIRQ("NET_RX", 0, 11000)
		}},
		{Name: "no CPU is idle", Host: func() *ruletest.Host {
			busy := ruletest.CPU{User: 0.8}
			return receiving(ruletest.New(4, 10).CPUs(busy, full, busy, busy), "eth0", 90000, 700).Process(daemon)
		}},
		{Name: "time left", Host: func() *ruletest.Host {
			return receiving(four(ruletest.CPU{System: 0.2, SoftIRQ: 0.7}), "eth0", 90000, 700)
		}},
		{Name: "full of a program", Host: func() *ruletest.Host {
			return receiving(four(ruletest.CPU{User: 0.6, SoftIRQ: 0.39}), "eth0", 90000, 700)
		}},
		{Name: "a flood of tiny packets", Host: func() *ruletest.Host { return receiving(four(full), "eth0", 400000, 60).Process(daemon) }},
		{Name: "tiny packets that programs take", Host: func() *ruletest.Host {
			return ruletest.Every(receiving(four(full), "eth0", 90000, 70).Process(daemon), func(at time.Time, s float64) recording.ProtocolSample {
				return recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Tcp", Name: "InSegs", Value: int64(90000 * s)}
			})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "a benchmark over loopback", Host: func() *ruletest.Host { return receiving(four(full), "lo", 90000, 700).Process(daemon) }},
		{Name: "a polled card beside one that interrupts much for little", Host: func() *ruletest.Host {
			h := card(receiving(four(full), "eth0", 90000, 700)).Process(daemon).NetDevice(ruletest.NetDevice{Name: "eth1", RxPackets: 3000, RxBytes: 3e5})
			return lineOf(h, "eth1", "40", 1, 20000)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4, Proof: "interrupt 30 (eth0-TxRx-0)"},
		{Name: "a card that is polled all the time", Host: func() *ruletest.Host {
			return lineOf(receiving(four(full), "eth0", 90000, 700), "eth0", "30", 1, 0).Process(daemon)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4, Proof: "interrupt 30 (eth0-TxRx-0)"},
		{Name: "a busier card that interrupts another CPU", Host: func() *ruletest.Host {
			h := card(receiving(four(full), "eth0", 90000, 700)).Process(daemon).NetDevice(ruletest.NetDevice{Name: "eth1", RxPackets: 200000, RxBytes: 2e8})
			return lineOf(h, "eth1", "40", 3, 200)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "a proxy with a backend on 127.0.0.1", Host: func() *ruletest.Host {
			return card(receiving(four(full), "eth0", 90000, 700)).Process(daemon).NetDevice(ruletest.NetDevice{Name: "lo", RxPackets: 190000, RxBytes: 2e8})
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "a benchmark over loopback on the CPU that a quiet card interrupts", Host: func() *ruletest.Host {
			return card(receiving(four(full), "eth0", 300, 700)).Process(daemon).NetDevice(ruletest.NetDevice{Name: "lo", RxPackets: 190000, RxBytes: 2e8})
		}},
		{Name: "disks interrupt other CPUs", Host: func() *ruletest.Host {
			return card(receiving(four(full), "eth0", 90000, 700)).Process(daemon).SoftIRQ("BLOCK", 3, 30000)
		}, Want: rule.Certain, Kind: view.KindInterface, Subject: "eth0", Low: 0.39, High: 0.4},
		{Name: "a disk's interrupts", Host: func() *ruletest.Host { return four(full).SoftIRQ("BLOCK", 1, 90000).SoftIRQ("NET_RX", 1, 100) }},
	})
}

func TestCPUMask(t *testing.T) {
	var all []int32
	for n := range int32(64) {
		all = append(all, n)
	}
	for _, c := range []struct {
		cpus []int32
		want string
	}{
		{all[:1], "1"}, {all[:2], "3"}, {all[:12], "fff"}, {all[:32], "ffffffff"}, {all[:33], "1,ffffffff"}, {all, "ffffffff,ffffffff"},
		{[]int32{0, 2, 4, 6}, "55"}, {[]int32{40, 1}, "100,00000002"},
	} {
		if got := cpuMask(c.cpus); got != c.want {
			t.Errorf("CPUs %v: %s, want %s", c.cpus, got, c.want)
		}
	}
}
