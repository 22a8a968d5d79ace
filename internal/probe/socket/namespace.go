package socket

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
	"rtrail/internal/probe/kernel"
	"rtrail/internal/probe/netproc"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// namespace is one network namespace with what is kept open in it. Entering a
// namespace takes a thread of its own; so it is entered once, and what was
// opened there keeps showing that namespace.
type namespace struct {
	recording.NetNSSample
	fd      int // of the namespace, to enter it again; -1: the own one
	diag    *netlinkConn
	queues  *netlinkConn       // asks for queues of interfaces; nil: it cannot be opened
	table   kernel.SocketTable // its TCP sockets are in; 0: sock_diag is asked
	rows    int                // connections that the last dump read
	lost    int                // those that it came upon and did not read
	cut     bool               // it ended before it had seen all of them
	listens limited            // listeners of this sample
	udp     limited            // UDP sockets of it
	files   map[string]*procfile.File
	failure error // why it could not be entered
	legacy  bool  // tables of old iptables are in use
	round   int64

	links                          map[string]link  // by name
	interfaces                     map[int32]string // by index
	queued                         int              // queues in the last answer
	configured                     bool             // settings were read
	ruling                         time.Duration    // CPU time that it took to read the firewall rules; 0: they were not read
	conntrackMax, conntrackBuckets int64
	netlink                        netproc.Netlink
}

// link is what /proc/net/dev does not say about an interface.
type link struct {
	mtu, speed int64
	up         bool
	physical   bool
	master     string
	kind       string // veth, bridge, vxlan; "": a device
	index      int32
	below      int32 // interface that it is on, or its other end
}

// counterFiles are read from every namespace, below /proc/net.
var counterFiles = []string{"snmp", "netstat", "snmp6", "sockstat", "sockstat6", "dev", "stat/nf_conntrack",
	"stat/arp_cache", "stat/ndisc_cache", "stat/rt_cache", "stat/synproxy", "xfrm_stat", "tls_stat", "sctp/snmp", "netlink"}

// enter runs a function in a namespace, on a thread that is thrown away.
func enter(fd int, do func() error) error {
	result := make(chan error, 1)
	go func() {
		// Not unlocked: the thread ends with the goroutine and takes the
		// namespace with it.
		runtime.LockOSThread()
		if fd >= 0 && unix.Gettid() == os.Getpid() {
			// The first thread does not end with its goroutine, and /proc/PID shows its
			// namespace as that of the whole process. While it is held here, another
			// thread does it.
			defer runtime.UnlockOSThread()
			result <- enter(fd, do)
			return
		}
		if fd >= 0 {
			if err := unix.Setns(fd, unix.CLONE_NEWNET); err != nil {
				result <- fmt.Errorf("enter network namespace: %w", err)
				return
			}
		}
		result <- crash.Guard(do)
	}()
	return <-result
}

// open opens everything in the namespace.
func (n *namespace) open(buf []byte, walker *kernel.Sockets) error {
	return enter(n.fd, func() error {
		diag, err := openDiag(buf)
		if err != nil {
			return err
		}
		n.diag = diag
		n.queues, _ = openNetlink(unix.NETLINK_ROUTE, buf) // nil after an error
		if walker != nil {
			n.table, _ = walker.Table() // 0 after an error
		}
		n.files = map[string]*procfile.File{}
		for _, name := range counterFiles {
			if netproc.StatColumns[name].Global && !n.Own {
				continue
			}
			f := &procfile.File{Path: fmt.Sprintf("/proc/%d/task/%d/net/%s", os.Getpid(), unix.Gettid(), name)}
			// The first read opens it, here and now. A file that is not there is
			// looked for again when the namespace is entered the next time.
			if _, err := f.Read(); err == nil {
				n.files[name] = f
			}
		}
		return nil
	})
}

// unread is how many connections of the namespace the last dump left out. Where it ended
// early, the counters of the kernel tell how many there are. They count listeners too, and
// no half-open ones, so that it is about right.
func (n *namespace) unread(counters []recording.ProtocolSample, listens []recording.ListenerSample) int {
	if !n.cut {
		return n.lost
	}
	all := 0
	for i := range counters {
		switch c := &counters[i]; {
		case c.NetNS != n.NetNS:
		case c.Protocol == "SockTCP" && (c.Name == "inuse" || c.Name == "tw"), c.Protocol == "SockTCP6" && c.Name == "inuse":
			all += int(c.Value)
		}
	}
	for i := range listens {
		if listens[i].NetNS == n.NetNS {
			all--
		}
	}
	return max(all-n.listens.lost-n.rows, n.lost)
}

// reopen replaces a socket whose answer was not read to its end.
func (n *namespace) reopen(buf []byte) error {
	n.diag.close()
	return enter(n.fd, func() error {
		diag, err := openDiag(buf)
		if err == nil {
			n.diag = diag
		}
		return err
	})
}

// close gives everything back; a namespace that rtrail kept open would live on
// without its processes.
func (n *namespace) close() {
	if n.diag != nil {
		n.diag.close()
	}
	if n.queues != nil {
		n.queues.close()
	}
	for _, f := range n.files {
		f.Close()
	}
	if n.fd >= 0 {
		unix.Close(n.fd)
		n.fd = -1
	}
}

// namedDirs hold namespaces that have a name: those of ip-netns(8) and those
// of Docker.
var namedDirs = []string{"/run/netns", "/run/docker/netns"}

// namedNamespace is a name under which a namespace can be opened.
type namedNamespace struct {
	path, name string
	inode      uint64
}

// named lists namespaces with a name.
func named(root string) []namedNamespace {
	var list []namedNamespace
	for _, dir := range namedDirs {
		entries, err := os.ReadDir(filepath.Join("/", root, dir))
		if err != nil {
			continue // nobody made one
		}
		for _, e := range entries {
			path := filepath.Join("/", root, dir, e.Name())
			var st unix.Stat_t
			if unix.Stat(path, &st) == nil {
				list = append(list, namedNamespace{path, e.Name(), st.Ino})
			}
		}
	}
	return list
}

// ownNamespace is the namespace rtrail runs in.
func ownNamespace() (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/thread-self/ns/net", &st); err != nil {
		return 0, fmt.Errorf("look up own network namespace: %w", err)
	}
	return st.Ino, nil
}

// openNamespace opens a namespace and makes sure that it is the wanted one:
// the process may have ended and its PID be somebody else's.
func openNamespace(path string, inode uint64) (int, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Ino != inode {
		unix.Close(fd)
		return -1, errors.Join(fmt.Errorf("%s is no longer namespace %d", path, inode), err)
	}
	return fd, nil
}
