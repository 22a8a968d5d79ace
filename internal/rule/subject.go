package rule

import (
	"fmt"

	"rtrail/internal/view"
)

// ProcessSubject names a process.
func ProcessSubject(p view.Process) Subject {
	return Subject{Kind: KindProcess, Name: p.Comm, PID: p.PID, Detail: p.Cmdline, Cgroup: p.Cgroup, NetNS: p.NetNS}
}

// String is the subject as a sentence names it: "nginx (812)", "nginx on :80".
func (s Subject) String() string {
	switch {
	case s.Kind == KindListener:
		return fmt.Sprintf("%s on :%d", s.Name, s.Port)
	case s.PID != 0:
		return fmt.Sprintf("%s (%d)", s.Name, s.PID)
	}
	return s.Name
}

// Same says whether two subjects are the same thing: the same process, the
// same listener, the same device. A process and a socket it listens on are
// the same to whoever asks who is to blame.
func (s Subject) Same(other Subject) bool {
	if s.PID != 0 && s.PID == other.PID {
		return true
	}
	if s.Kind != other.Kind {
		return false
	}
	return s.Name == other.Name && s.PID == other.PID && s.Port == other.Port && s.NetNS == other.NetNS
}
