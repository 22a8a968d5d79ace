// Package explain holds what rtrail knows about its own words: the page of
// every rule and the dictionary of every number a verdict can show.
package explain

import "slices"

// Metrics is the dictionary, domain by domain.
func Metrics() []Metric {
	return slices.Concat(generalMetrics, cpuMetrics, memoryMetrics, diskMetrics, procMetrics, netMetrics)
}

// MetricByID finds the entry of a metric.
func MetricByID(id string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.ID == id {
			return m, true
		}
	}
	return Metric{}, false
}
