package session

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netns"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/pcap/live"
)

// Packets are the packets of captures, or of an interface.
type Packets struct {
	Files []string // "-": Stdin
	Stdin io.Reader

	Interface string        // instead of Files: its name, or live.Any; "": none
	NetNS     string        // its network namespace: a name, a path or a PID; "": rtrail's own
	Ports     []uint16      // on either side; none: all packets
	Whole     bool          // also bytes that decoders can do without, for whoever keeps the packets
	Tick      time.Duration // see live.Options
	Length    time.Duration // of the capture; 0: until ctx ends

	// Confine gives up privileges that reading does not need; nil: none. The first
	// Open calls it, when the socket of the interface is there, or before a file is
	// opened.
	Confine func()
}

// Open opens the files, or begins to capture. Length is for Read.
func (p *Packets) Open(ctx context.Context) (pcap.Source, error) {
	if p.Interface == "" {
		p.confine()
		return pcap.Open(ctx, p.Files, p.Stdin)
	}
	o := live.Options{Interface: p.Interface, Ports: p.Ports, Tick: p.Tick}
	if !p.Whole {
		o.Trim = engine.Trims()
	}
	src, id, err := openLive(o, p.NetNS)
	if err != nil {
		return nil, err // not a nil *live.Source
	}
	p.confine()
	if p.NetNS != "" && p.Tick > 0 {
		return &named{Source: src, name: p.NetNS, id: id, looked: time.Now()}, nil
	}
	return src, nil
}

// named is a capture in a network namespace with a name, which another one may get: its socket
// keeps the first one alive, in which nothing happens any more.
type named struct {
	*live.Source
	name, id string
	looked   time.Time
}

// lookAgain is the time between two looks at what has the name.
const lookAgain = time.Second

// Next implements pcap.Source. The capture ends when another namespace has the name.
func (n *named) Next(ctx context.Context) (*pcap.Batch, error) {
	if now := time.Now(); now.Sub(n.looked) >= lookAgain {
		n.looked = now
		if there, err := findNetNS(n.name); err == nil { // a process that has ended had it to the end
			id := there.UniqueId()
			there.Close()
			if id != n.id {
				return nil, io.EOF
			}
		}
	}
	return n.Source.Next(ctx)
}

func (p *Packets) confine() {
	if p.Confine != nil {
		p.Confine()
		p.Confine = nil
	}
}

// Read opens the packets for use, whose context ends with the capture.
func (p *Packets) Read(ctx context.Context, use func(context.Context, pcap.Source) error) error {
	src, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	if p.Length > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, p.Length)
		defer stop()
	}
	return use(ctx, src)
}

// openLive opens a live capture, in another network namespace if one is named, and says which
// one that is. The socket stays in the namespace in which it was made.
func openLive(o live.Options, namespace string) (src *live.Source, id string, err error) {
	if namespace == "" {
		src, err = live.Open(o)
		return src, "", err
	}
	there, err := findNetNS(namespace)
	if err != nil {
		return nil, "", fmt.Errorf("entering network namespace %s: %w (ip netns list shows names; a PID or a path is taken too)", namespace, err)
	}
	defer there.Close()
	runtime.LockOSThread()
	home, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return nil, "", fmt.Errorf("entering network namespace %s: %w", namespace, err)
	}
	defer home.Close()
	if err := netns.Set(there); err != nil {
		runtime.UnlockOSThread()
		return nil, "", fmt.Errorf("entering network namespace %s: %w; run as root", namespace, err)
	}
	src, err = live.Open(o)
	// A thread that cannot go home must not serve others: it ends with its
	// goroutine if it stays locked.
	if netns.Set(home) == nil {
		runtime.UnlockOSThread()
	}
	return src, there.UniqueId(), err
}

func findNetNS(name string) (netns.NsHandle, error) {
	if pid, err := strconv.Atoi(name); err == nil {
		return netns.GetFromPid(pid)
	}
	if strings.Contains(name, "/") {
		return netns.GetFromPath(name)
	}
	return netns.GetFromName(name)
}
