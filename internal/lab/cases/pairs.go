package cases

import "rtrail/internal/lab/server"

// pairCases are independent faults at the same time. Each pair has a function of its own,
// so that a change of what it is made of chooses this pair and no other.
func pairCases() []Case {
	return []Case{
		pairCPUDisk(),
		pairCPULoss(),
		pairDiskRowLock(),
		pairLeakDNS(),
		pairLossFullScan(),
		pairConnectionsThrottled(),
		pairAcceptDisk(),
		pairLocalhostPorts(),
		pairFDHotFunction(),
		pairConntrackLock(),
		pairFullSyscalls(),
		pairOOMUDP(),
		pairZombiesQdisc(),
		pairTwoDisks(),
		tripleThrottledFullFirewall(),
	}
}

func pairCPUDisk() Case { return together("pair/cpu+disk", cpuSaturated(), diskSaturated()) }

func pairCPULoss() Case { return together("pair/cpu+loss", cpuSaturated(), packetLossIptables()) }

func pairDiskRowLock() Case {
	return together("pair/disk+row-lock", diskCgroupThrottled(), rowLockCase("mysql/row-lock-wait", server.MariaDB10()))
}

// pairLeakDNS takes as long as lookups without an answer do.
func pairLeakDNS() Case {
	dns := dnsUnreachableHost()
	return together("pair/leak+dns", memLeakFast(dns.Window), dns)
}

func pairLossFullScan() Case {
	return together("pair/loss+full-scan", packetLossNft(), fullScanCase("", server.MariaDB10(), "mariadbd", false))
}

func pairConnectionsThrottled() Case {
	return together("pair/connections+throttled", connectionsCase("mysql/connections-exhausted", false), cpuThrottled())
}

func pairAcceptDisk() Case {
	return together("pair/accept+disk", acceptQueueBacklog(), diskSaturated())
}

func pairLocalhostPorts() Case {
	return together("pair/localhost+ports", localhostFamily(), ephemeralPorts())
}

func pairFDHotFunction() Case {
	return together("pair/fd+hot-function", procFDLimit(), cpuHotFunctionC())
}

func pairConntrackLock() Case {
	return together("pair/conntrack+lock", conntrackFull(), procLockSleeping())
}

func pairFullSyscalls() Case { return together("pair/full+syscalls", diskFull(), cpuSyscallStorm()) }

func pairOOMUDP() Case { return together("pair/oom+udp", memCgroupOOM(), udpBuffer()) }

func pairZombiesQdisc() Case { return together("pair/zombies+qdisc", procZombies(), qdiscDrops()) }

// pairTwoDisks has two faults of the same rule.
func pairTwoDisks() Case {
	return together("pair/two-disks", diskCgroupThrottled(), diskCgroupThrottled())
}

func tripleThrottledFullFirewall() Case {
	return together("pair/throttled+full+firewall", cpuThrottled(), diskFull(), firewallDropsUncounted())
}
