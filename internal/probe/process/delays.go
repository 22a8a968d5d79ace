package process

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// delays asks the kernel's taskstats for the time processes waited for block
// I/O and for swap (kernel Documentation/accounting/delay-accounting.rst).
// Since Linux 5.14 the kernel measures it only while kernel.task_delayacct is on,
// and only for tasks that began after it was switched on; before, it always did.
type delays struct {
	conn       *genetlink.Conn
	family     genetlink.Family
	dir        *census.Dir
	accounting procfile.DelayAccounting
	failure    error // why it cannot be asked although it is on
	looked     time.Time
}

// lookAgain is how often it is checked whether accounting was switched.
const lookAgain = 10 * time.Second

// answerTime bounds the wait for an answer, which the kernel gives at once.
const answerTime = 100 * time.Millisecond

func newDelays(dir *census.Dir) *delays { return &delays{dir: dir} }

// ready says whether delays can be asked for.
func (d *delays) ready() bool {
	if time.Since(d.looked) < lookAgain {
		return d.conn != nil && d.accounting == procfile.DelaysOn
	}
	d.looked = time.Now()
	d.accounting = readAccounting(d.dir)
	if d.accounting != procfile.DelaysOn || d.conn != nil || !d.dir.Live() {
		return d.conn != nil && d.accounting == procfile.DelaysOn
	}
	conn, family, err := dialTaskstats()
	if err != nil {
		d.failure = err
		return false
	}
	d.conn, d.family = conn, family
	return true
}

// readAccounting says whether there are delays to ask for.
func readAccounting(dir *census.Dir) procfile.DelayAccounting {
	text := func(name string) string {
		b, err := dir.Read(name)
		if err != nil {
			return ""
		}
		return string(bytes.TrimSpace(b))
	}
	if setting := text("sys/kernel/task_delayacct"); setting != "" {
		return procfile.ReadDelayAccounting(setting, "", "")
	}
	return procfile.ReadDelayAccounting("", text("sys/kernel/osrelease"), text("cmdline"))
}

// dialTaskstats opens a connection to the part of the kernel that tells of delays. A kernel
// that was built without it has no such family.
func dialTaskstats() (*genetlink.Conn, genetlink.Family, error) {
	conn, err := genetlink.Dial(nil)
	if err != nil {
		return nil, genetlink.Family{}, err
	}
	family, err := conn.GetFamily(unix.TASKSTATS_GENL_NAME)
	if err != nil {
		conn.Close()
		return nil, genetlink.Family{}, err
	}
	return conn, family, nil
}

// Taskstats says why this kernel tells nobody of delays; nil: it tells those who may ask.
func Taskstats() error {
	conn, _, err := dialTaskstats()
	if err != nil {
		return err
	}
	conn.Close()
	return nil
}

// read fills in the delays of a process. A total of zero cannot be told from
// a process that is older than the accounting: it stays Unknown.
func (d *delays) read(row *recording.ProcessSample, threads int32) {
	if row.Kernel || !d.ready() {
		return
	}
	t, err := d.ask(uint32(row.PID), threads > 1)
	if err != nil {
		if errors.Is(err, unix.EPERM) {
			d.failure = err
		}
		return
	}
	if t.block > 0 {
		row.BlockDelay = t.block
	}
	if t.block > 0 || t.swap > 0 {
		row.SwapDelay = t.swap
	}
}

type taskDelays struct{ block, swap time.Duration }

func (d *delays) ask(pid uint32, group bool) (taskDelays, error) {
	attribute := uint16(unix.TASKSTATS_CMD_ATTR_PID)
	if group {
		attribute = unix.TASKSTATS_CMD_ATTR_TGID
	}
	data, err := netlink.MarshalAttributes([]netlink.Attribute{{Type: attribute, Data: binary.NativeEndian.AppendUint32(nil, pid)}})
	if err != nil {
		return taskDelays{}, err
	}
	if err := d.conn.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return taskDelays{}, err
	}
	request := genetlink.Message{Header: genetlink.Header{Command: unix.TASKSTATS_CMD_GET, Version: unix.TASKSTATS_GENL_VERSION}, Data: data}
	answers, err := d.conn.Execute(request, d.family.ID, netlink.Request)
	if err != nil {
		return taskDelays{}, err
	}
	for _, a := range answers {
		if t, ok := parseTaskstats(a.Data); ok {
			return t, nil
		}
	}
	return taskDelays{}, errors.New("taskstats: no statistics in the answer")
}

// Offsets in struct taskstats (include/uapi/linux/taskstats.h); the members
// up to there have not moved since version 1.
const (
	offBlockDelay = 40
	offSwapDelay  = 56
)

// parseTaskstats finds the statistics in the attributes of an answer.
func parseTaskstats(b []byte) (taskDelays, bool) {
	outer, err := netlink.UnmarshalAttributes(b)
	if err != nil {
		return taskDelays{}, false
	}
	for _, a := range outer {
		if a.Type != unix.TASKSTATS_TYPE_AGGR_PID && a.Type != unix.TASKSTATS_TYPE_AGGR_TGID {
			continue
		}
		inner, err := netlink.UnmarshalAttributes(a.Data)
		if err != nil {
			return taskDelays{}, false
		}
		for _, s := range inner {
			if s.Type == unix.TASKSTATS_TYPE_STATS && len(s.Data) >= offSwapDelay+8 {
				block := binary.NativeEndian.Uint64(s.Data[offBlockDelay:])
				swap := binary.NativeEndian.Uint64(s.Data[offSwapDelay:])
				const maxDuration = 1<<63 - 1
				return taskDelays{time.Duration(min(block, maxDuration)), time.Duration(min(swap, maxDuration))}, true
			}
		}
	}
	return taskDelays{}, false
}

// report says why there are no delays. Run delay does not need this.
func (d *delays) report(w *recording.Writer, name string) {
	const what = "time processes waited for block I/O and swap"
	d.ready()
	switch {
	case d.accounting == procfile.DelaysOff:
		w.Unseen(name, what, 1, "delay accounting is switched off",
			"sysctl -w kernel.task_delayacct=1 and restart the processes in question, or boot with delayacct")
	case d.accounting == procfile.DelaysOffAtBoot:
		w.Unseen(name, what, 1, "delay accounting is switched off", "boot without nodelayacct")
	case d.accounting == procfile.DelaysMissing:
		w.Unseen(name, what, 1, "this kernel has no delay accounting", "a kernel with CONFIG_TASK_DELAY_ACCT=y")
	case errors.Is(d.failure, unix.ENOENT):
		w.Unseen(name, what, 1, "taskstats: "+d.failure.Error(), "a kernel with CONFIG_TASKSTATS=y and CONFIG_TASK_DELAY_ACCT=y")
	case d.failure != nil:
		w.Unseen(name, what, 1, "taskstats: "+d.failure.Error(), "run as root, or grant cap_net_admin: rtrail doctor says how")
	}
}

func (d *delays) close() {
	if d.conn != nil {
		d.conn.Close()
		d.conn = nil
	}
}
