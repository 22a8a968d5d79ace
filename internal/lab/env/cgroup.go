package env

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const cgroupRoot = "/sys/fs/cgroup"

// Cgroup is a control group of the lab: one folder per controller where the
// machine mounts version 1, a single one where it mounts version 2.
type Cgroup struct {
	Name  string            // "rtrail-lab-1a2b3c4d-web", also the path below the hierarchy's root
	paths map[string]string // folder by controller; "" for version 2
}

// Cgroup makes a group with the named controllers: "cpu", "memory", "blkio"
// ("io" in version 2), "pids".
func (e *Env) Cgroup(name string, controllers ...string) (*Cgroup, error) {
	g := &Cgroup{Name: namePrefix + e.ID + "-" + name, paths: map[string]string{}}
	if unified(cgroupRoot) {
		for _, c := range controllers {
			// Fails when the controller is on already or absent; the latter
			// shows when the limit is set.
			_ = os.WriteFile(cgroupRoot+"/cgroup.subtree_control", []byte("+"+strings.Replace(c, "blkio", "io", 1)), 0)
		}
		return g, e.makeCgroup(g, "", filepath.Join(cgroupRoot, g.Name))
	}
	for _, c := range controllers {
		if err := e.makeCgroup(g, c, filepath.Join(cgroupRoot, c, g.Name)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (e *Env) makeCgroup(g *Cgroup, controller, path string) error {
	if err := e.journal.add(made{Kind: madeCgroup, Name: path}); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		return fmt.Errorf("make a control group: %w", err)
	}
	g.paths[controller] = path
	return nil
}

// unified says whether version 2 is mounted at root.
func unified(root string) bool {
	_, err := os.Stat(root + "/cgroup.controllers")
	return err == nil
}

func (g *Cgroup) dirs() []string {
	var dirs []string
	for _, p := range g.paths {
		dirs = append(dirs, p)
	}
	return dirs
}

// v2 says which version the group is of.
func (g *Cgroup) v2() bool { return g.paths[""] != "" }

// Path returns a file of the group: of the controller's folder in version 1.
func (g *Cgroup) Path(controller, file string) string {
	if g.v2() {
		return filepath.Join(g.paths[""], file)
	}
	return filepath.Join(g.paths[controller], file)
}

func (g *Cgroup) set(controller, file, value string) error {
	path := g.Path(controller, file)
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		return fmt.Errorf("limit the control group: write %q to %s: %w", value, path, err)
	}
	return nil
}

// cpuPeriod is the kernel's default period of the CPU quota, in microseconds.
const cpuPeriod = 100_000

// LimitCPU allows the group that many CPUs: 0.1 is a quota of 10 %. 0 lifts
// the limit.
func (g *Cgroup) LimitCPU(cpus float64) error {
	quota := int(cpus * cpuPeriod)
	if g.v2() {
		if quota == 0 {
			return g.set("", "cpu.max", "max "+strconv.Itoa(cpuPeriod))
		}
		return g.set("", "cpu.max", fmt.Sprintf("%d %d", quota, cpuPeriod))
	}
	if quota == 0 {
		quota = -1
	}
	return g.set("cpu", "cpu.cfs_quota_us", strconv.Itoa(quota))
}

// LimitMemory allows the group that many bytes; 0 lifts the limit.
func (g *Cgroup) LimitMemory(bytes int64) error {
	value := strconv.FormatInt(bytes, 10)
	if g.v2() {
		if bytes == 0 {
			value = "max"
		}
		return g.set("", "memory.max", value)
	}
	if bytes == 0 {
		value = "-1"
	}
	return g.set("memory", "memory.limit_in_bytes", value)
}

// LimitTasks allows the group that many processes and threads; 0 lifts the limit.
func (g *Cgroup) LimitTasks(n int) error {
	value := strconv.Itoa(n)
	if n == 0 {
		value = "max"
	}
	return g.set("pids", "pids.max", value)
}

// Tasks is how many processes and threads the group has.
func (g *Cgroup) Tasks() (int, error) {
	b, err := os.ReadFile(g.Path("pids", "pids.current"))
	if err != nil {
		return 0, fmt.Errorf("count the tasks of the control group: %w", err)
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// Memory is how many bytes are charged to the group.
func (g *Cgroup) Memory() (int64, error) {
	file := "memory.usage_in_bytes"
	if g.v2() {
		file = "memory.current"
	}
	b, err := os.ReadFile(g.Path("memory", file))
	if err != nil {
		return 0, fmt.Errorf("ask how much memory the control group uses: %w", err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// NoSwap keeps the memory of the group out of swap, on hosts that have some.
func (g *Cgroup) NoSwap() error {
	if !g.v2() {
		return g.set("memory", "memory.swappiness", "0")
	}
	if err := g.set("", "memory.swap.max", "0"); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil // the kernel has no swap for groups
}

// LimitIO allows the group that many reads and writes a second, each, on a
// block device given by its path; 0 lifts the limit.
func (g *Cgroup) LimitIO(device string, perSecond int) error {
	number, err := deviceNumber(device)
	if err != nil {
		return err
	}
	if g.v2() {
		limit := strconv.Itoa(perSecond)
		if perSecond == 0 {
			limit = "max"
		}
		return g.set("", "io.max", fmt.Sprintf("%s riops=%s wiops=%s", number, limit, limit))
	}
	value := fmt.Sprintf("%s %d", number, perSecond)
	return errors.Join(
		g.set("blkio", "blkio.throttle.read_iops_device", value),
		g.set("blkio", "blkio.throttle.write_iops_device", value),
	)
}

// deviceNumber returns "7:0" for "/dev/loop0".
func deviceNumber(device string) (string, error) {
	b, err := os.ReadFile("/sys/class/block/" + filepath.Base(device) + "/dev")
	if err != nil {
		return "", fmt.Errorf("find the number of device %s: %w", device, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// Add moves a running process and all its threads into the group.
func (g *Cgroup) Add(p *Proc) error {
	for controller := range g.paths {
		if err := g.set(controller, "cgroup.procs", strconv.Itoa(p.PID)); err != nil {
			return err
		}
	}
	return nil
}
