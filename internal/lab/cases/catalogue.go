package cases

import "slices"

// All returns every case, in the order of the documentation. The literals
// are made again by each call, so that what their functions share is fresh for
// every run.
func All() []Case {
	return slices.Concat(
		cpuCases(),
		memoryCases(),
		diskCases(),
		processCases(),
		netCases(),
		rtHopCases(),
		rtExchangeCases(),
		rtLineCases(),
		rtProtocolCases(),
		packetCases(),
		dnsHostCases(),
		mysqlWorkCases(),
		mysqlCostlyCases(),
		mysqlLockCases(),
		mysqlPoolCases(),
		mysqlContentionCases(),
		mysqlVersionCases(),
		[]Case{chainWebAppLock(), chainLockDisk()},
		pairCases(),
		[]Case{fiveLimits()},
		throughputCases(),
		pingCases(),
		controlCases(),
	)
}
