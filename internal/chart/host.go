package chart

import "rtrail/internal/metric"

// host are the charts that say how busy the host was, whatever was found.
var host = []picture{
	{name: "CPU time", metrics: []*metric.Metric{metric.CPUUser, metric.CPUSystem, metric.CPUIowait, metric.CPUSteal}},
	{name: "Tasks", metrics: []*metric.Metric{metric.SchedLoad, metric.SchedRunning, metric.SchedBlocked}},
	{name: "Pressure", metrics: []*metric.Metric{metric.PressureCPUSome, metric.PressureIO, metric.PressureMemorySome}},
	{name: "Memory", metrics: []*metric.Metric{metric.MemoryAvailable, metric.MemoryCached, metric.MemoryDirty}},
	{name: "Disk utilisation", metrics: []*metric.Metric{metric.DiskUtilisation}},
	{name: "Network traffic", metrics: []*metric.Metric{metric.InterfaceBytes}},
	{name: "MySQL connections", metrics: []*metric.Metric{metric.MySQLConnections}},
}
