package refusal

import (
	"fmt"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// diskCounters are those of disks in the SCSI layer, which SATA, SAS and USB disks
// and most virtual ones that are named sd are in (drivers/scsi/scsi_lib.c). NVMe
// and virtio disks have none; their errors stand in the kernel log.
var diskCounters = []Counter{
	{Names: "ioerr_cnt", Kind: Refused, Unit: "commands", Resource: "disks",
		Means: "a command that a disk ended with an error; those of reading and writing stand in the kernel log",
		Why:   "smartd, udev and the like ask disks for what they do not know, dozens of times in a row", PerSecond: 0.2, Least: 50},
	{Names: "iotmo_cnt", Kind: Refused, Unit: "commands", Resource: "disks", Rules: []string{"disk/errors"}, Least: 1,
		Means: "a command that a disk did not answer in time (30 s by default): it is taken back and sent again while everything behind it waits"},
}

var disks = source{name: "disk", file: "/sys/block/DISK/device", resource: "disks", counters: diskCounters, scopes: diskScopes}

func diskScopes(v *view.View) (list []Scope) {
	type sample = recording.DiskSample
	names, series := view.Group(view.Rows[sample](v), func(s sample) string { return s.Device })
	for _, name := range names {
		rows := series[name]
		list = append(list, Scope{
			Subject: view.DeviceEntity(name), Where: name, Seconds: view.Elapsed(rows).Seconds(),
			Delta: deltas(rows, map[string]func(sample) int64{
				"ioerr_cnt": func(s sample) int64 { return s.Errors }, "iotmo_cnt": func(s sample) int64 { return s.Timeouts },
			}),
			Check: func(counter string) shell.Command {
				return shell.Line("cat %s", shell.Path(fmt.Sprintf("/sys/block/%s/device/%s", name, counter)))
			},
		})
	}
	return list
}
