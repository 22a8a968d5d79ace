package budget

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	// evidenceShare is the part of the memory that is there which evidence may
	// take. Lists take up to two and a half times their content while they grow,
	// and views and rules have lists of their own.
	evidenceShare = 4
	// maxEvidence is enough for a night of a busy host, in parts.
	maxEvidence = 2 << 30
	// minEvidence lets small recordings be read on a host without memory, which is
	// when they are needed.
	minEvidence = 64 << 20
	// unknownAvailable stands for a machine that does not tell.
	unknownAvailable = 4 << 30
)

// OfEvidence is how many bytes of evidence fit where some memory is there.
func OfEvidence(available int64) int64 {
	return min(max(available/evidenceShare, minEvidence), maxEvidence)
}

// OfGo is from how much memory on Go's runtime collects garbage without waiting
// for the heap to grow (GOMEMLIMIT): a soft limit, well below what is there.
func OfGo(available int64) int64 { return max(available/8*5, minEvidence+minEvidence/2) }

// Available is how many bytes this process can still take: what the machine has
// and what its control groups leave it. Files are read below root.
func Available(root string) int64 {
	bytes, _ := availableBelow(root)
	return bytes
}

// availableBelow is Available, and whether the machine tells.
func availableBelow(root string) (bytes int64, told bool) {
	bytes = field(filepath.Join(root, "proc/meminfo"), "MemAvailable:") << 10
	told = bytes > 0
	if !told {
		bytes = unknownAvailable
	}
	data, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for _, v := range versions {
			if !v.is(parts[0], parts[1]) {
				continue
			}
			for _, mount := range v.mounts {
				bytes = min(bytes, v.headroom(filepath.Join(root, mount), parts[2]))
			}
		}
	}
	return bytes, told
}

// version is how one version of control groups tells of memory.
type version struct {
	is          func(number, controllers string) bool
	mounts      []string
	limit, used string
	cache       []string // lines of memory.stat: what the kernel takes back before it refuses memory
}

var versions = []version{
	{func(number, controllers string) bool { return number == "0" && controllers == "" },
		[]string{"sys/fs/cgroup", "sys/fs/cgroup/unified"}, "memory.max", "memory.current", []string{"inactive_file", "active_file", "slab_reclaimable"}},
	{func(_, controllers string) bool { return strings.Contains(","+controllers+",", ",memory,") },
		[]string{"sys/fs/cgroup/memory"}, "memory.limit_in_bytes", "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}},
}

// headroom is what a group and those above it leave. In a container the path may
// be that of the host, which is not there; the mount itself is the group then.
func (v *version) headroom(mount, group string) int64 {
	bytes := int64(math.MaxInt64)
	for at := filepath.Clean("/" + group); ; at = filepath.Dir(at) {
		dir := filepath.Join(mount, at)
		if limit, ok := number(filepath.Join(dir, v.limit)); ok {
			used, _ := number(filepath.Join(dir, v.used))
			for _, line := range v.cache {
				used -= field(filepath.Join(dir, "memory.stat"), line)
			}
			bytes = min(bytes, max(0, limit-max(0, used)))
		}
		if at == "/" {
			return bytes
		}
	}
}

// number reads a file with a number in it; "max" is none.
func number(path string) (int64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil && n >= 0
}

// field reads the number behind a word that begins a line; 0: there is none.
func field(path, word string) int64 {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if parts := strings.Fields(line); len(parts) >= 2 && parts[0] == word {
			n, _ := strconv.ParseInt(parts[1], 10, 64)
			return n
		}
	}
	return 0
}
