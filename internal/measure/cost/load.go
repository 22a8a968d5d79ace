package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// load is what the benchmark added to the machine.
type load struct {
	sleepers []*exec.Cmd
	sockets  *exec.Cmd
	input    io.Closer // the process with the sockets ends when it is closed
}

// loadLasts is longer than the benchmark takes, not forever.
const loadLasts = 10 * time.Minute

// startLoad starts processes and sockets. They die with this process, however
// it ends.
func startLoad(processes, sockets int) (*load, error) {
	// Pdeathsig is sent when the thread that started the child ends.
	runtime.LockOSThread()
	l := &load{}
	for range max(0, processes-activeProcesses) {
		cmd := exec.Command("sleep", fmt.Sprint(int(loadLasts.Seconds())))
		cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
		if err := cmd.Start(); err != nil {
			return l, fmt.Errorf("start process %d of %d: %w", len(l.sleepers)+1, processes, err)
		}
		l.sleepers = append(l.sleepers, cmd)
	}
	if err := l.startActive(min(processes, activeProcesses)); err != nil {
		return l, err
	}
	return l, l.startSockets(sockets)
}

func (l *load) startSockets(sockets int) error {
	cmd := again(nil, "-role", "sockets", "-sockets", fmt.Sprint(sockets))
	cmd.Stdout = nil
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNET
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the process that holds sockets: %w", err)
	}
	l.sockets, l.input = cmd, input
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		return fmt.Errorf("wait for %d sockets: %w", sockets, err)
	}
	return nil
}

// stop removes everything.
func (l *load) stop() {
	if l.sockets != nil {
		l.input.Close()
		_ = l.sockets.Wait()
	}
	for _, cmd := range l.sleepers {
		_ = cmd.Process.Kill()
	}
	for _, cmd := range l.sleepers {
		_ = cmd.Wait()
	}
}

// holdSockets opens connections to itself until its input ends.
func holdSockets(sockets int) error {
	if err := loopbackUp(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	held := make([]net.Conn, 0, sockets)
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for len(held) < sockets {
		client, err := net.Dial("tcp4", listener.Addr().String())
		if err != nil {
			return fmt.Errorf("open socket %d of %d: %w", len(held)+1, sockets, err)
		}
		held = append(held, client)
		server, err := listener.Accept()
		if err != nil {
			return err
		}
		held = append(held, server)
	}
	var pairs [][2]net.Conn
	for i := 0; i+1 < min(len(held), activeSockets); i += 2 {
		pairs = append(pairs, [2]net.Conn{held[i], held[i+1]})
	}
	go talk(pairs)
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// loopbackUp switches lo on: in a new namespace it is down.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, request); err != nil {
		return fmt.Errorf("read flags of lo: %w", err)
	}
	if request.Uint16()&unix.IFF_UP != 0 {
		return nil
	}
	request.SetUint16(request.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("switch lo on: %w", err)
	}
	return nil
}
