package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
)

// atop measures atop writing its own recording, one sample a second.
func atop(samples int) (cost, error) {
	dir, err := os.MkdirTemp("", "rtrail-cost-")
	if err != nil {
		return cost{}, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(samples+10)*time.Second)
	defer cancel()
	// The first sample, since boot, is taken at once; then one a second.
	cmd := exec.CommandContext(ctx, "atop", "-w", filepath.Join(dir, "raw"), "1", strconv.Itoa(samples+1))
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return cost{}, fmt.Errorf("run atop: %w", err)
	}
	time.Sleep(time.Second - margin)
	start, err := processCPU(cmd.Process.Pid)
	if waited := cmd.Wait(); err == nil && waited != nil {
		err = fmt.Errorf("run atop: %w", waited)
	}
	if err != nil {
		return cost{}, err
	}
	state := cmd.ProcessState
	c := cost{start: start, sample: (state.UserTime() + state.SystemTime() - start) / time.Duration(samples)}
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		c.rss = u.Maxrss << 10
	}
	return c, nil
}

// exporter measures node_exporter while it is scraped once a second.
func exporter(samples int) (cost, error) {
	address, err := freeAddress()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.Command("prometheus-node-exporter", "--web.listen-address="+address)
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return cost{}, fmt.Errorf("run node_exporter: %w", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	url := "http://" + address + "/metrics"
	for try := 0; ; try++ {
		// The first scrape sets things up: it belongs to the start.
		if err = scrape(url); err == nil {
			break
		}
		if try == 50 {
			return cost{}, fmt.Errorf("node_exporter does not answer: %w", err)
		}
		time.Sleep(100 * time.Millisecond)
	}
	start, err := processCPU(cmd.Process.Pid)
	if err != nil {
		return cost{}, err
	}
	for range samples {
		time.Sleep(time.Second)
		if err := scrape(url); err != nil {
			return cost{}, err
		}
	}
	end, err := processCPU(cmd.Process.Pid)
	return cost{start: start, sample: (end - start) / time.Duration(samples), rss: peakRSS(strconv.Itoa(cmd.Process.Pid))}, err
}

func scrape(url string) error {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("scrape: %s", answer.Status)
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

func processCPU(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	s, ok := census.ParseStat(b, func(b []byte) string { return string(b) })
	if !ok {
		return 0, errors.New("cannot read its CPU time")
	}
	return s.User + s.System, nil
}
