package load

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/bench"
	"rtrail/internal/crash"
	"rtrail/internal/mysqlconn"
)

// OpenMySQL asks a MySQL server for single rows at a rate, whatever it answers. One thread does
// all of it: it sends what is due, and waits for answers or for the next time at once. That
// costs two system calls and a wait per request, and no switch between threads.
type OpenMySQL struct {
	Scenario    string // point_select
	Server      mysqlconn.Target
	Database    string
	Tables      int
	Rows        int
	Text        bool // statements as text; else they are prepared
	Connections int
	Warmup      int // seconds
	Seconds     int
}

const (
	// DefaultConnections of an open loop: what is slow must not be asked less for lack of
	// connections too early, and servers have 151 by default.
	DefaultConnections = 64
	// maxPrepared bounds prepared statements: a server has 16,382 by default for all.
	maxPrepared = 10_000
	// drain is how long the load waits for answers when its time is over.
	drain = time.Second
	// connectWithin is how long connecting may take.
	connectWithin = 30 * time.Second
)

// Check refuses what the driver cannot do.
func (m *OpenMySQL) Check() error {
	switch {
	case m.Scenario != Scenarios[0]:
		return fmt.Errorf("scenario %q: an open loop has %s", m.Scenario, Scenarios[0])
	case m.Server.TLS == mysqlconn.TLSVerified || m.Server.TLS == mysqlconn.TLSUnverified:
		return errors.New("an open loop speaks without TLS: its packets are to be read; use tls=false, or --threads")
	case m.Connections < 1:
		return errors.New("an open loop needs connections")
	case !m.Text && m.Connections*m.Tables > maxPrepared:
		return fmt.Errorf("%d connections would prepare a statement for each of %d tables: use --statements text, or fewer of them", m.Connections, m.Tables)
	}
	return nil
}

// session is a connection.
type session struct {
	file       *os.File
	fd         int
	statements []uint32 // by table
	answer     answer
	busy       bool
	intended   time.Duration
	began      time.Duration
	free       time.Duration // since when it has nothing to do
	request    [128]byte
}

// connect logs in, and prepares the statements.
func (m *OpenMySQL) connect(ctx context.Context) (*session, error) {
	t := m.Server
	t.TLS = mysqlconn.TLSOff
	conn, err := (&net.Dialer{}).DialContext(ctx, t.Network, t.Address)
	if err != nil {
		return nil, err
	}
	if _, err := t.LogIn(ctx, conn); err != nil {
		return nil, err
	}
	// A descriptor of its own, that the runtime does not wait for.
	filer, ok := conn.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.Join(errors.New("a connection without a file"), conn.Close())
	}
	file, err := filer.File()
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	s := &session{file: file, fd: int(file.Fd())}
	if err := m.prepare(s); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	// The kernel tells when an answer came, whenever this thread gets to read it. Where it does
	// not, the time of reading is taken.
	_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	return s, unix.SetNonblock(s.fd, true)
}

func (m *OpenMySQL) prepare(s *session) error {
	patience := unix.NsecToTimeval(int64(connectWithin))
	if err := errors.Join(unix.SetNonblock(s.fd, false), unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience)); err != nil {
		return err
	}
	if err := s.ask(appendPacket(nil, comQuery, "USE `"+strings.ReplaceAll(m.Database, "`", "``")+"`"), false); err != nil {
		return fmt.Errorf("use the database %s: %w", m.Database, err)
	}
	for i := 1; i <= m.Tables && !m.Text; i++ {
		if err := s.ask(appendPacket(nil, comPrepare, "SELECT c FROM sbtest"+strconv.Itoa(i)+" WHERE id=?"), true); err != nil {
			return fmt.Errorf("prepare the statement of sbtest%d: %w", i, err)
		}
		s.statements = append(s.statements, s.answer.statement)
	}
	return nil
}

// ask sends a request and waits for its answer.
func (s *session) ask(request []byte, prepared bool) error {
	if _, err := unix.Write(s.fd, request); err != nil {
		return err
	}
	s.answer.begin(prepared)
	buffer := make([]byte, 16<<10)
	for {
		n, err := unix.Read(s.fd, buffer)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n <= 0:
			return errClosed
		}
		ended, err := s.answer.read(buffer[:n])
		if err != nil {
			return err
		}
		if ended {
			if s.answer.failed != 0 {
				return serverError(s.answer.failed)
			}
			return nil
		}
	}
}

var errClosed = errors.New("the server closed the connection")

// build makes a request for a row.
func (m *OpenMySQL) build(s *session, draw *rand.Rand) []byte {
	table, id := draw.IntN(m.Tables), 1+draw.Int64N(int64(m.Rows))
	if !m.Text {
		return appendExecute(s.request[:0], s.statements[table], id)
	}
	b := append(s.request[:0], 0, 0, 0, 0, comQuery)
	b = strconv.AppendInt(append(b, "SELECT c FROM sbtest"...), int64(table+1), 10)
	b = strconv.AppendInt(append(b, " WHERE id="...), id, 10)
	b[0] = byte(len(b) - 4)
	return b
}

// Run implements Driver.
func (m *OpenMySQL) Run(ctx context.Context, level Level, limits Limits, tell Telling) (Outcome, error) {
	o := Outcome{Load: bench.UnknownLoad(), Alone: bench.UnknownLoad(), Generator: UnknownUsage(), Settings: map[string]string{"rand_type": "uniform", "statements": "prepared", "connections": strconv.Itoa(m.Connections)}}
	if m.Text {
		o.Settings["statements"] = "text"
	}
	if level.Rate <= 0 || level.Rate > limits.Rate {
		return o, fmt.Errorf("a rate of %v a second: more than 0, and at most %v", level.Rate, limits.Rate)
	}
	l := &openLoop{m: m, tell: tell, schedule: newSchedule(level.Rate, time.Duration(m.Warmup+m.Seconds)*time.Second)}
	defer l.close()
	connecting, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	for range m.Connections {
		s, err := m.connect(connecting)
		if err != nil {
			o.Gone = true
			return o, fmt.Errorf("open %d connections, of which %d are open: %w", m.Connections, len(l.sessions), err)
		}
		l.sessions = append(l.sessions, s)
	}
	// The thread must not wait until another goroutine of rtrail gives its place up.
	places := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(places + 1)
	defer runtime.GOMAXPROCS(places)
	done := make(chan error, 1)
	go func() { done <- crash.Guard(func() error { return l.run(ctx) }) }()
	err := <-done
	from := l.schedule.sum(&o, m.Warmup)
	o.Began, o.Ended = l.start.Add(time.Duration(from)*time.Second), l.start.Add(l.schedule.length())
	o.Generator = l.usage()
	if hot := o.Generator.Hot(); hot != "" {
		o.Invalid = append(o.Invalid, hot)
	}
	l.report(&o)
	if err != nil {
		o.Gone, o.Ended = true, time.Now()
	}
	return o, err
}

// openLoop is a run of the driver.
type openLoop struct {
	m        *OpenMySQL
	tell     Telling
	schedule *schedule
	sessions []*session
	idle     []*session
	poll     int
	start    time.Time
	draw     *rand.Rand
	buffer   [64 << 10]byte
	control  [64]byte
	vector   unix.Iovec
	message  unix.Msghdr
	measured bool
	cpu      [2]time.Duration // of the thread, when the warm-up was over and in the end
	at       [2]time.Duration
}

func (l *openLoop) close() {
	for _, s := range l.sessions {
		s.file.Close()
	}
}

func (l *openLoop) usage() Usage {
	u := UnknownUsage()
	u.Allowed = 1 // it is one thread
	if took := l.at[1] - l.at[0]; took > time.Second/2 {
		u.CPUs = float64(l.cpu[1]-l.cpu[0]) / float64(took)
		u.Busiest, u.BusiestName = u.CPUs, "rtrail"
	}
	return u
}

// report writes what the driver saw by seconds, as generators print it.
func (l *openLoop) report(o *Outcome) {
	for i := range l.schedule.seconds {
		x := &l.schedule.seconds[i]
		l.tell.Output(fmt.Sprintf("[ %ds ] tps: %d failed: %d unserved: %d p50 %v p99 %v, alone p50 %v p99 %v", i+1, x.ended, x.failed, x.unserved, x.whole.Quantile(.5), x.whole.Quantile(.99), x.alone.Quantile(.5), x.alone.Quantile(.99)))
	}
	l.tell.Output(fmt.Sprintf("began late by p50 %v, p99 %v where a connection was free; CPU of the driver %.3f", l.schedule.late.Quantile(.5), l.schedule.late.Quantile(.99), o.Generator.CPUs))
}

// run sends what is due until the time is over.
func (l *openLoop) run(ctx context.Context) (err error) {
	runtime.LockOSThread() // and never unlocked: the thread ends with its settings
	// Timers of the kernel may otherwise be late by 50 us, to wake up less often.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	if l.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(l.poll)
	for i, s := range l.sessions {
		if err := unix.EpollCtl(l.poll, unix.EPOLL_CTL_ADD, s.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}); err != nil {
			return err
		}
	}
	l.idle = append(l.idle, l.sessions...)
	l.draw = rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(os.Getpid())))
	l.start = time.Now()
	events := make([]unix.EpollEvent, 256)
	length, warm := l.schedule.length(), time.Duration(l.m.Warmup)*time.Second
	for ctx.Err() == nil {
		now := time.Since(l.start)
		if !l.measured && now >= warm {
			l.measured = true
			l.cpu[0], l.at[0] = threadCPU(), now
			l.tell.Measures()
		}
		if now, err = l.begin(now); err != nil {
			return err
		}
		if now >= length && (len(l.idle) == len(l.sessions) || now >= length+drain) {
			break
		}
		n, err := l.wait(events, l.until(now))
		if err != nil {
			return err
		}
		for _, e := range events[:n] {
			if err := l.receive(l.sessions[e.Fd]); err != nil {
				return err
			}
		}
	}
	now := time.Since(l.start)
	l.cpu[1], l.at[1] = threadCPU(), now
	for _, s := range l.sessions {
		if s.busy {
			l.schedule.waiting(s.intended, now, 1)
		}
	}
	l.schedule.unserved(now)
	return context.Cause(ctx)
}

// begin sends requests that are due as far as connections are free.
func (l *openLoop) begin(now time.Duration) (time.Duration, error) {
	for len(l.idle) > 0 {
		due := l.schedule.due()
		if due > now || due >= l.schedule.length() {
			return now, nil
		}
		free := l.idle[0].free <= due // of those at the bottom it is longest
		s := l.idle[len(l.idle)-1]
		l.idle = l.idle[:len(l.idle)-1]
		if err := l.send(s, due, free); err != nil {
			return now, err
		}
		l.schedule.next++
		now = time.Since(l.start)
	}
	return now, nil
}

func (l *openLoop) send(s *session, due time.Duration, free bool) error {
	request := l.m.build(s, l.draw)
	s.answer.begin(false)
	s.busy, s.intended, s.began = true, due, time.Since(l.start)
	l.schedule.began(due, s.began, free)
	n, err := unix.Write(s.fd, request)
	if errors.Is(err, unix.EAGAIN) {
		n, err = 0, nil
	}
	if err != nil {
		return fmt.Errorf("send a request: %w", err)
	}
	if n < len(request) {
		return errors.New("send a request: the server reads nothing any more")
	}
	return nil
}

// receive reads what came for a connection.
func (l *openLoop) receive(s *session) error {
	for {
		n, came, err := l.read(s.fd)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("read an answer: %w", err)
		case n <= 0:
			return errClosed
		case !s.busy:
			return errProtocol
		}
		now := time.Since(l.start)
		ended, err := s.answer.read(l.buffer[:n])
		if err != nil {
			return err
		}
		if ended {
			if came <= s.began || came > now {
				came = now // the clock was set
			}
			l.schedule.end(s.intended, s.began, came, s.answer.failed)
			s.busy, s.free = false, now
			l.idle = append(l.idle, s)
			return nil
		}
		if n < len(l.buffer) {
			return nil
		}
	}
}

// read reads what there is, and says when the last of it came; 0: not known.
func (l *openLoop) read(fd int) (n int, came time.Duration, err error) {
	l.vector.Base = &l.buffer[0]
	l.vector.SetLen(len(l.buffer))
	l.message = unix.Msghdr{Iov: &l.vector, Control: &l.control[0]}
	l.message.SetIovlen(1)
	l.message.SetControllen(len(l.control))
	r, _, errno := unix.Syscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&l.message)), 0)
	if errno != 0 {
		return 0, 0, errno
	}
	const header = 16 // a length and two words
	c := l.control[:min(int(l.message.Controllen), len(l.control))]
	if len(c) >= header+16 && binary.NativeEndian.Uint32(c[8:]) == unix.SOL_SOCKET && binary.NativeEndian.Uint32(c[12:]) == unix.SO_TIMESTAMPNS {
		at := int64(binary.NativeEndian.Uint64(c[header:]))*int64(time.Second) + int64(binary.NativeEndian.Uint64(c[header+8:]))
		came = time.Duration(at - l.start.UnixNano())
	}
	return int(r), came, nil
}

// longestWait bounds a wait, so that an end is seen.
const longestWait = 50 * time.Millisecond

// until is how long there is nothing to do but to read.
func (l *openLoop) until(now time.Duration) time.Duration {
	wait := longestWait
	if due := l.schedule.due(); len(l.idle) > 0 && due < l.schedule.length() {
		wait = min(wait, due-now)
	}
	return max(wait, 0)
}

// wait waits for answers. Kernels before 5.11 know no times below a millisecond: there the rest
// of it is spent awake.
func (l *openLoop) wait(events []unix.EpollEvent, most time.Duration) (int, error) {
	spec := unix.NsecToTimespec(int64(most))
	n, _, errno := unix.Syscall6(unix.SYS_EPOLL_PWAIT2, uintptr(l.poll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), uintptr(unsafe.Pointer(&spec)), 0, 0)
	var err error
	switch errno {
	case 0:
		return int(n), nil
	case unix.EINTR:
		return 0, nil
	case unix.ENOSYS, unix.EPERM:
		got, failed := unix.EpollWait(l.poll, events, int(most/time.Millisecond))
		n, err = uintptr(max(got, 0)), failed
	default:
		err = errno
	}
	if errors.Is(err, unix.EINTR) {
		err = nil
	}
	return int(n), err
}

// threadCPU is the CPU time of this thread.
func threadCPU() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
