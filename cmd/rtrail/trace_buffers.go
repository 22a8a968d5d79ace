package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/probe/event/buffers"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

func newBuffersTrace(j *traceJob, out io.Writer) tracer {
	var holders socketHolders
	return &sumTrace[recording.ReceiveBuffer, recording.ReceiveBuffer]{
		traceJob: j, out: out, reads: buffers.Growing(), sum: view.SumReceiveBuffers,
		columns: []document.Column{
			{Name: "times", Right: true}, {Name: "kind"}, {Name: "buffer", Right: true}, {Name: "largest", Right: true, Drop: 2}, {Name: "limit", Right: true, Drop: 1}, {Name: "bytes", Right: true, Drop: 3},
			{Name: "pid", Right: true}, {Name: "process"}, {Name: "proto"}, {Name: "local"}, {Name: "remote", Drop: 4}, {Name: "netns", Right: true, Drop: 5},
		},
		wanted: func(r *recording.ReceiveBuffer) bool {
			holders.name(r)
			return j.wants(r.PID, r.Process)
		},
		took: func(*recording.ReceiveBuffer) time.Duration { return 0 },
		cells: func(r *recording.ReceiveBuffer) []string {
			pid := ""
			if r.PID != 0 {
				pid = strconv.Itoa(int(r.PID))
			}
			return []string{strconv.FormatInt(r.Times, 10), r.Kind, bytesCell(r.Buffer), bytesCell(r.Largest), bufferLimit(r), strconv.FormatInt(r.Bytes, 10),
				pid, r.Process, r.Protocol, endpoint(r.Local, r.LocalPort), endpoint(r.Remote, r.RemotePort), strconv.FormatUint(r.NetNS, 10)}
		},
		line: func(_ time.Time, r *recording.ReceiveBuffer) any { return receiveBufferLine(r) },
	}
}

func bytesCell(n int64) string { return unit.Bytes(float64(n)).String() }

// bufferLimit says up to which size a buffer grows.
func bufferLimit(r *recording.ReceiveBuffer) string {
	switch {
	case r.Set:
		return "SO_RCVBUF"
	case r.Limit > 0:
		return bytesCell(r.Limit)
	}
	return ""
}

// socketHolders finds the processes that hold sockets. Where the kernel cannot be asked,
// as in a PID namespace of one's own, sockets stay without one.
type socketHolders struct {
	files  *kernel.SocketFiles
	failed bool
	last   time.Time
	pids   map[uint64]int32 // by inode
}

// name notes the process that holds the socket of a row, if it has none.
func (h *socketHolders) name(r *recording.ReceiveBuffer) {
	if r.PID != 0 || r.Inode == 0 {
		return
	}
	pid, ok := h.pids[r.Inode]
	if !ok && time.Since(h.last) > time.Second {
		h.look()
		pid = h.pids[r.Inode]
	}
	comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if pid == 0 || err != nil {
		return
	}
	r.PID, r.Process = pid, strings.ToValidUTF8(strings.TrimSuffix(string(comm), "\n"), "?")
}

// look reads the descriptors of all processes. The programs end with rtrail.
func (h *socketHolders) look() {
	if h.failed {
		return
	}
	if h.files == nil {
		files, err := kernel.OpenSocketFiles(&kernel.Loader{})
		if err != nil {
			h.failed = true
			return
		}
		h.files = files
	}
	h.last, h.pids = time.Now(), map[uint64]int32{}
	_ = h.files.Each(func(f kernel.SocketFile) {
		if _, ok := h.pids[f.Inode]; !ok {
			h.pids[f.Inode] = f.PID
		}
	})
}

// tracedReceiveBuffer is the JSON form of a row.
type tracedReceiveBuffer struct {
	At         time.Time `json:"at"`
	Times      int64     `json:"times"`
	Kind       string    `json:"kind"`
	Buffer     int64     `json:"rcv_buf_bytes"`
	Largest    int64     `json:"max_rcv_buf_bytes"`
	Limit      int64     `json:"limit_bytes,omitempty"`
	Set        bool      `json:"set"`
	Bytes      int64     `json:"bytes"`
	PID        int32     `json:"pid,omitempty"`
	Process    string    `json:"process,omitempty"`
	Protocol   string    `json:"protocol"`
	Local      string    `json:"local,omitempty"`
	LocalPort  uint16    `json:"local_port,omitempty"`
	Remote     string    `json:"remote,omitempty"`
	RemotePort uint16    `json:"remote_port,omitempty"`
	Inode      uint64    `json:"inode,omitempty"`
	NetNS      uint64    `json:"netns,omitempty"`
}

func receiveBufferLine(r *recording.ReceiveBuffer) tracedReceiveBuffer {
	return tracedReceiveBuffer{At: r.At, Times: r.Times, Kind: r.Kind, Buffer: r.Buffer, Largest: r.Largest, Limit: r.Limit, Set: r.Set, Bytes: r.Bytes, PID: r.PID, Process: r.Process,
		Protocol: r.Protocol, Local: r.Local, LocalPort: r.LocalPort, Remote: r.Remote, RemotePort: r.RemotePort, Inode: r.Inode, NetNS: r.NetNS}
}
