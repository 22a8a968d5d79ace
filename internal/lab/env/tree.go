package env

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// children lists the processes whose parent is one, dead ones included.
func children(pid int) []int { return familyTree()[pid] }

// familyTree lists the children of every process.
func familyTree() map[int][]int {
	tree := map[int][]int{}
	paths, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		if s, err := readStat(pid); err == nil {
			tree[s.ppid] = append(tree[s.ppid], pid)
		}
	}
	return tree
}

// Descendants lists the living processes below one, itself not included.
func Descendants(pid int) []int {
	tree := familyTree()
	var all []int
	for next := tree[pid]; len(next) > 0; next = next[1:] {
		if s, err := readStat(next[0]); err == nil && s.state != 'Z' {
			all = append(all, next[0])
		}
		next = append(next, tree[next[0]]...)
	}
	slices.Sort(all)
	return all
}

// threadStates returns the state letters of a process's threads.
func threadStates(pid int) (states []byte) {
	paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if i := strings.LastIndexByte(string(b), ')'); err == nil && i > 0 && i+2 < len(b) {
			states = append(states, b[i+2])
		}
	}
	return states
}

// OpenFiles counts the file descriptors of a process.
func OpenFiles(pid int) (int, error) {
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(fds), err
}

// TreeCPU returns the CPU time that a process and those below it have used.
func TreeCPU(pid int) (total time.Duration) {
	for _, p := range append(Descendants(pid), pid) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", p))
		if err != nil {
			continue
		}
		if f := strings.Fields(string(b)); len(f) > 0 {
			ns, _ := strconv.ParseInt(f[0], 10, 64)
			total += time.Duration(ns)
		}
	}
	return total
}

// AddTree moves a process and those below it into the group.
func (g *Cgroup) AddTree(pid int) error {
	for _, p := range append(Descendants(pid), pid) {
		if err := g.Add(&Proc{PID: p}); err != nil {
			return err
		}
	}
	return nil
}

// InState counts the lab's own processes one thread of which is in a state.
func (e *Env) InState(state byte) (n int) {
	e.mu.Lock()
	procs := e.procs
	e.mu.Unlock()
	for _, p := range procs {
		for _, s := range threadStates(p.PID) {
			if s == state {
				n++
				break
			}
		}
	}
	return n
}

// ZombiesOf counts the children of a process that ended and were not waited for.
func ZombiesOf(parent int) (n int) {
	for _, pid := range children(parent) {
		if s, err := readStat(pid); err == nil && s.state == 'Z' {
			n++
		}
	}
	return n
}

// procStat is what the lab needs of /proc/PID/stat.
type procStat struct {
	state byte
	ppid  int
	pgrp  int
	start uint64 // clock ticks since boot, field 22: with it a PID names one process forever
}

func readStat(pid int) (procStat, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return procStat{}, fmt.Errorf("read the state of process %d: %w", pid, err)
	}
	// The name in field 2 may hold anything; the last bracket ends it.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return procStat{}, fmt.Errorf("read the state of process %d: /proc/%d/stat is too short", pid, pid)
	}
	s := procStat{state: fields[0][0]}
	s.ppid, _ = strconv.Atoi(fields[1])
	s.pgrp, _ = strconv.Atoi(fields[2])
	s.start, err = strconv.ParseUint(fields[19], 10, 64)
	return s, err
}

func startTime(pid int) (uint64, error) {
	s, err := readStat(pid)
	return s.start, err
}
