package throughput

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
)

func median(list []reading, of func(*reading) int64) int64 {
	if len(list) == 0 {
		return 0
	}
	values := make([]int64, len(list))
	for i := range list {
		values[i] = of(&list[i])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// cpus is how much each CPU of this host worked, in ticks since boot.
type cpus map[string][2]float64 // busy, all

func readCPUs() cpus {
	f, err := os.Open("/proc/stat")
	if err != nil {
		return nil
	}
	defer f.Close()
	list := cpus{}
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) < 6 || !strings.HasPrefix(fields[0], "cpu") || fields[0] == "cpu" {
			continue
		}
		var all, idle float64
		for i, text := range fields[1:] {
			if i >= 8 {
				break // guests count in user
			}
			n, _ := strconv.ParseFloat(text, 64)
			all += n
			if i == 3 || i == 4 {
				idle += n
			}
		}
		list[fields[0]] = [2]float64{all - idle, all}
	}
	return list
}

// busiest is how busy the busiest CPU was since another reading, as a share.
func (c cpus) busiest(before cpus) float64 {
	most := 0.0
	for name, now := range c {
		if was, ok := before[name]; ok && now[1] > was[1] {
			most = max(most, (now[0]-was[0])/(now[1]-was[1]))
		}
	}
	return most
}
