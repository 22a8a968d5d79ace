package mysql

import (
	"strings"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// disksOf are the block devices that a server's files lie on, where the server
// runs on this host: that of its data folder and, for a loop device or a volume,
// those below it.
func disksOf(v *view.View, s *view.MySQLServer) []view.BlockDevice {
	dir, ok := s.Variable("datadir")
	if !ok || s.Process == nil {
		return nil
	}
	return disksUnder(v, dir)
}

func disksUnder(v *view.View, dir string) []view.BlockDevice {
	best, length := "", -1
	for _, f := range v.Filesystems() {
		if under(dir, f.MountPoint) && len(f.MountPoint) > length && f.Disk != "" {
			best, length = f.Disk, len(f.MountPoint)
		}
	}
	d, ok := v.BlockDevice(best)
	if !ok {
		return nil
	}
	list := []view.BlockDevice{d}
	for _, below := range v.Underlying(d.Device) {
		if u, ok := v.BlockDevice(below); ok {
			list = append(list, u)
		}
	}
	return list
}

func under(path, mount string) bool {
	return mount == "/" || path == mount || strings.HasPrefix(path, strings.TrimSuffix(mount, "/")+"/")
}

// direction of bytes between a server and its disks: by program, and by disk.
type direction struct {
	program func(view.Process) float64
	disk    func(view.DiskRates) float64
}

var (
	readBytes = direction{func(p view.Process) float64 { return p.ReadBytes }, func(d view.DiskRates) float64 { return d.ReadBytes }}
	// Bytes are counted when they are dirtied, so for a program that syncs what it
	// writes they are those of the disk, less the file system's own.
	writeBytes = direction{func(p view.Process) float64 { return p.WriteBytes }, func(d view.DiskRates) float64 { return d.WrittenBytes }}
)

var mostBytes = rule.Threshold{Name: "most-bytes", Value: 0.5, Unit: "share", Source: rule.Judgement,
	Reason: "Share of all bytes moved. From here on this server is what loads the disk."}

// loaded are the things a server uses up, for findings that explain why: the
// disks that it reads or writes most of, and the host's CPUs.
func loaded(v *view.View, s *view.MySQLServer, moved direction) []view.Entity {
	if s.Process == nil {
		return nil
	}
	var list []view.Entity
	if movesMost(v, s, moved) {
		for _, d := range disksOf(v, s) {
			list = append(list, view.DeviceEntity(d.Device))
		}
	}
	cores := 0.0
	for _, p := range v.Processes() {
		cores += p.CPU
	}
	if s.Process.CPU >= mostBytes.Value*cores {
		list = append(list, v.HostEntity())
	}
	return list
}

// movesMost says whether a server moves most of the bytes of its disk, or of
// all programs.
func movesMost(v *view.View, s *view.MySQLServer, moved direction) bool {
	own, sum := moved.program(*s.Process), 0.0
	if !(own > 0) {
		return false
	}
	for _, p := range v.Processes() {
		if n := moved.program(p); n > 0 && !p.Own && !p.Kernel {
			sum += n
		}
	}
	if own >= mostBytes.Value*sum {
		return true
	}
	for _, d := range disksOf(v, s) {
		if own >= mostBytes.Value*moved.disk(d.DiskRates) {
			return true
		}
	}
	return false
}
