package cpu

import (
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
	four := func(busiest ruletest.CPU) *ruletest.Host {
		return ruletest.New(4, 10).CPUs(quiet, busiest, quiet, quiet)
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
		{Name: "a disk's interrupts", Host: func() *ruletest.Host { return four(full).SoftIRQ("BLOCK", 1, 90000).SoftIRQ("NET_RX", 1, 100) }},
	})
}

func TestCPUMask(t *testing.T) {
	for cpus, want := range map[int]string{1: "1", 2: "3", 12: "fff", 32: "ffffffff", 33: "1,ffffffff", 64: "ffffffff,ffffffff"} {
		if got := cpuMask(cpus); got != want {
			t.Errorf("%d CPUs: %s, want %s", cpus, got, want)
		}
	}
}
