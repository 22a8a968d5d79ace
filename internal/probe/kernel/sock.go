package kernel

import (
	_ "embed"
	"errors"
	"fmt"
	"hash/maphash"
	"time"
	"unsafe"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"
)

//go:generate ./build sock

//go:embed sock.o
var sockObject []byte

// Sockets reads the TCP sockets of all network namespaces with one pass over
// the kernel's hash tables. It needs Linux 6.2. It is not for concurrent use.
type Sockets struct {
	program *ebpf.Program
	maps    *ebpf.Map
	memory  []byte // of the map, shared with the program
	clock   SocketClock
}

// OpenSockets loads the program. The error is a *probe.MissingError where
// something can be done about it.
func OpenSockets(l *Loader) (*Sockets, error) {
	all, err := l.Load(sockObject, nil)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	s := &Sockets{program: all.DetachProgram("sockets"), maps: all.DetachMap("sock_walk")}
	if s.program == nil || s.maps == nil {
		return nil, errors.Join(errors.New("open the BPF program sockets: it is not in its object"), s.Close())
	}
	if want := int(unsafe.Sizeof(socketWalk{})); int(s.maps.ValueSize()) != want {
		return nil, errors.Join(fmt.Errorf("open the BPF program sockets: its map has %d bytes, not %d", s.maps.ValueSize(), want), s.Close())
	}
	page := unix.Getpagesize()
	size := (int(s.maps.ValueSize()) + page - 1) / page * page
	if s.memory, err = unix.Mmap(s.maps.FD(), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, errors.Join(missing("map the rows of the BPF program sockets", err), s.Close())
	}
	return s, nil
}

// Close removes the program from the kernel.
func (s *Sockets) Close() error {
	var errs []error
	if s.memory != nil {
		errs = append(errs, unix.Munmap(s.memory))
		s.memory = nil
	}
	if s.program != nil {
		errs = append(errs, s.program.Close())
	}
	if s.maps != nil {
		errs = append(errs, s.maps.Close())
	}
	return errors.Join(errs...)
}

// SocketTable is a pair of hash tables, of connections and of listeners. All
// network namespaces share one unless net.ipv4.tcp_child_ehash_entries is set.
// It is the address in the kernel.
type SocketTable uint64

// What a run is asked for, as in bpf/sock.c.
const (
	walkLocate = iota
	walkConnections
	walkListeners
)

// Table returns the tables of the network namespace of the calling thread,
// which must be locked.
func (s *Sockets) Table() (SocketTable, error) {
	w := s.walk()
	w.what, w.bucket = walkLocate, 0
	if err := s.run(); err != nil {
		return 0, err
	}
	if w.hashinfo == 0 {
		return 0, fmt.Errorf("find the hash tables of TCP sockets: %w", ErrOtherKernel)
	}
	return SocketTable(w.hashinfo), nil
}

// ErrOtherKernel means that the kernel keeps its sockets or its time in a way
// that is not understood.
var ErrOtherKernel = errors.New("this kernel keeps them in another way")

// Connections visits the TCP sockets that do not listen, those in TIME_WAIT
// and half-open ones included. Rows are valid during the call; visit returns
// false to end the pass. lost counts sockets, or groups of them, that changed
// their place too often to be read.
func (s *Sockets) Connections(t SocketTable, visit func(rows []SocketRow, c SocketClock) bool) (lost int, err error) {
	return s.pass(t, walkConnections, visit)
}

// Listeners visits the TCP sockets that listen.
func (s *Sockets) Listeners(t SocketTable, visit func(rows []SocketRow, c SocketClock) bool) (lost int, err error) {
	return s.pass(t, walkListeners, visit)
}

func (s *Sockets) pass(t SocketTable, what uint32, visit func([]SocketRow, SocketClock) bool) (lost int, err error) {
	w := s.walk()
	for next := uint32(0); ; {
		w.what, w.bucket, w.hashinfo = what, next, uint64(t)
		if err := s.run(); err != nil {
			return lost, err
		}
		lost += int(w.lost)
		if !s.clock.read(w.jiffies, time.Duration(w.ktime)) {
			return lost, fmt.Errorf("find out the length of a jiffy: %w", ErrOtherKernel)
		}
		if n := min(int(w.rows), len(w.row)); n > 0 && !visit(w.row[:n], s.clock) {
			return lost, nil
		}
		if w.bucket >= w.buckets {
			return lost, nil
		}
		if w.bucket <= next {
			return lost, fmt.Errorf("read the hash table of TCP sockets: it ended at bucket %d of %d", next, w.buckets)
		}
		next = w.bucket
	}
}

func (s *Sockets) walk() *socketWalk { return (*socketWalk)(unsafe.Pointer(&s.memory[0])) }

func (s *Sockets) run() error {
	if _, err := s.program.Run(&ebpf.RunOptions{}); err != nil {
		return missing("run the BPF program sockets", err)
	}
	return nil
}

// socketWalk is struct walk of bpf/sock.c.
type socketWalk struct {
	what, bucket              uint32
	hashinfo                  uint64
	buckets, rows, lost, torn uint32
	jiffies, ktime            uint64
	_                         [7]uint64
	_                         [8]uint32
	_                         [1024]uint64 // words of the table
	row                       [2048]SocketRow
}

// SocketRow is struct sock_row of bpf/sock.c: one TCP socket as the kernel
// keeps it. Times are in jiffies where a SocketClock says what they mean.
type SocketRow struct {
	Family, State, Retransmits, Backoff uint8
	LocalPort                           uint16
	RemotePort                          [2]byte // big endian
	Local, Remote                       [16]byte
	NetNS, Inode, UID                   uint32

	RecvQueue, SendQueue, NotSent uint32 // bytes; of a listener: connections and their limit
	SRTT                          uint32 // us, eight times
	MDev                          uint32 // us, four times
	MinRTT                        uint32 // us; all ones: not measured
	RTO                           uint32 // jiffies
	Cwnd, MSS, Unacked, Lost      uint32
	TotalRetrans                  uint32
	SegsOut, SegsIn               uint32
	DataSegsOut, DataSegsIn       uint32
	LastSend, LastReceive         uint32    // jiffies since boot, the low bits
	ChronoStart                   uint32    // jiffies since boot, the low bits
	Chrono                        [3]uint32 // jiffies: busy, held by the peer's window, by the send buffer
	PeerWindow                    uint32
	RmemAlloc, RcvBuf             uint32
	WmemQueued, SndBuf            uint32
	Drops                         uint32

	ChronoType uint8 // what has gone on since ChronoStart: 1 + index in Chrono; 0: nothing
	Full       uint8 // 0: half-open or in TIME_WAIT, of which all below RecvQueue is not known
	_          [2]byte

	BytesAcked, BytesReceived, BytesSent, BytesRetrans uint64

	Congestion [16]byte
}

// Hash returns one hash of which socket this is and one of everything that was
// read of it, times excepted that go on by themselves.
func (r *SocketRow) Hash(seed maphash.Seed) (socket, all uint64) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(r)), unsafe.Sizeof(*r))
	const from = unsafe.Offsetof(r.LocalPort)
	const to = unsafe.Offsetof(r.Inode) + unsafe.Sizeof(r.Inode)
	return maphash.Bytes(seed, b[from:to]), maphash.Bytes(seed, b)
}

// Waits says whether time goes on that adds to what SocketClock.Busy tells.
func (r *SocketRow) Waits() bool { return r.ChronoType != 0 }

// SocketClock turns jiffies into times.
type SocketClock struct {
	hz  uint64 // jiffies a second; 0: not known yet
	now uint64 // jiffies
}

// read takes a reading of both clocks of the kernel. Jiffies begin at
// 2^32 - 300*HZ (INITIAL_JIFFIES of include/linux/jiffies.h), and HZ, which the
// kernel tells nobody, is the one that makes both clocks agree.
func (c *SocketClock) read(jiffies uint64, monotonic time.Duration) bool {
	c.now = jiffies
	if c.hz == 0 {
		c.hz = frequency(jiffies, monotonic)
	}
	return c.hz != 0
}

// frequencies that kernel/Kconfig.hz and the architectures offer.
var frequencies = []uint64{100, 128, 250, 256, 300, 512, 1000, 1024}

// frequency is 0 when no frequency, or more than one, makes the clocks agree:
// about five minutes after booting all do.
func frequency(jiffies uint64, monotonic time.Duration) uint64 {
	const agree = 2.0 // seconds: the clock runs a little before ticks do
	found := uint64(0)
	for _, hz := range frequencies {
		seconds := (float64(jiffies) - float64(uint64(1)<<32)) / float64(hz)
		if off := seconds + 300 - monotonic.Seconds(); off > -agree && off < agree {
			if found != 0 {
				return 0
			}
			found = hz
		}
	}
	return found
}

// Span is how long a number of jiffies takes.
func (c SocketClock) Span(jiffies uint64) time.Duration {
	const most = uint64(1<<63-1) / uint64(time.Second)
	return time.Duration(min(jiffies, most) * uint64(time.Second) / c.hz)
}

// Since is how long ago it was, from the low bits of a time in jiffies.
func (c SocketClock) Since(then uint32) time.Duration {
	return c.Span(uint64(uint32(c.now) - then))
}

// Busy is how long the socket had data to send, and of that, how long it was
// held by the peer's window and by the send buffer.
func (c SocketClock) Busy(r *SocketRow) (busy, window, buffer time.Duration) {
	var spent [3]uint64
	all := uint64(0)
	for i := range spent {
		spent[i] = uint64(r.Chrono[i])
		if int(r.ChronoType) == i+1 {
			spent[i] += uint64(uint32(c.now) - r.ChronoStart)
		}
		all += spent[i]
	}
	return c.Span(all), c.Span(spent[1]), c.Span(spent[2])
}

// ReadSocketClock makes a clock of one reading of both clocks of the kernel:
// jiffies_64 and the time since boot. ok is false where the length of a jiffy
// does not follow from them.
func ReadSocketClock(jiffies uint64, monotonic time.Duration) (c SocketClock, ok bool) {
	ok = c.read(jiffies, monotonic)
	return c, ok
}
