package verdict

import (
	"fmt"
	"math"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// vitalsOf words how busy the host was in the window, whatever was found. What
// was not read is left out.
func vitalsOf(v *view.View) (list []string) {
	add := func(name string, value any) { list = append(list, fmt.Sprintf("%s %v", name, value)) }
	if c, ok := v.CPUTotal(); ok {
		add("CPU", unit.Share(c.Busy()))
	}
	if rows := view.Rows[recording.SystemSample](v); len(rows) > 0 {
		add("load", fmt.Sprintf("%.1f", rows[len(rows)-1].Load1))
	}
	if m, ok := v.MemoryNow(); ok && m.Total > 0 {
		add("memory", fmt.Sprintf("%v free", unit.Share(float64(m.Available)/float64(m.Total))))
	}
	if disks := v.BlockDevices(); len(disks) > 0 {
		add("disk", unit.Share(disks[0].Utilisation))
	}
	if rate := networkRate(v); !math.IsNaN(rate) {
		add("net", unit.Bytes(rate).String()+"/s")
	}
	for _, s := range v.MySQLServers() {
		if _, _, connected, ok := s.Gauge("Threads_connected"); ok {
			add("MySQL", fmt.Sprintf("%v connected", unit.Count(connected)))
		}
		if rate := s.Rate("Questions"); !math.IsNaN(rate) {
			add("statements", unit.PerSecond(rate))
		}
	}
	return list
}

// networkRate is bytes per second in both directions over the host's own
// interfaces but lo; NaN if they were not read.
func networkRate(v *view.View) float64 {
	keys, series := view.Group(view.Rows[recording.NetDeviceSample](v), func(s recording.NetDeviceSample) string {
		if s.Interface == "lo" || !v.OwnNetNS(s.NetNS) {
			return ""
		}
		return s.Interface
	})
	sum := math.NaN()
	for _, k := range keys {
		rate := view.Rate(series[k], func(s recording.NetDeviceSample) uint64 { return s.RxBytes + s.TxBytes })
		if k == "" || math.IsNaN(rate) {
			continue
		}
		if math.IsNaN(sum) {
			sum = 0
		}
		sum += rate
	}
	return sum
}
