package env

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// belongs says why a thing cannot be one that the lab of this ID made. A state
// file is undone as root, so it names nothing but what labs make: whatever else
// it says, by damage or by a hand, is left alone.
func (m made) belongs(id string) error {
	ok := false
	switch m.Kind {
	case madeDir:
		ok = clean(m.Name) && filepath.Base(m.Name) == namePrefix+id
	case madeProcess:
		ok = m.PID > 1 && m.Start > 0
	case madeNetNS:
		ok = strings.HasPrefix(m.Name, namePrefix+id+"-") && !strings.Contains(m.Name, "/")
	case madeLink:
		digits, ours := strings.CutPrefix(m.Name, linkPrefix(id))
		_, err := strconv.ParseUint(digits, 10, 16)
		ok = ours && err == nil
	case madeCgroup:
		below, err := filepath.Rel(cgroupRoot, m.Name)
		ok = err == nil && clean(m.Name) && cgroupPlace.MatchString(below) && strings.HasPrefix(filepath.Base(m.Name), namePrefix+id+"-")
	case madeLoop, madeMount, madeFreeze:
		ok = clean(m.Name) && filepath.Base(filepath.Dir(m.Name)) == namePrefix+id
	case madeSwap:
		ok = zramDevice.MatchString(strings.TrimPrefix(m.Name, "/dev/")) && strings.HasPrefix(m.Name, "/dev/")
	case madeZram:
		ok = zramDevice.MatchString(m.Name)
	case madeSysctl:
		_, err := strconv.ParseUint(m.Old, 10, 63)
		ok = err == nil && slices.Contains(machineSysctls, m.Name)
	default:
		return fmt.Errorf("not undoing %q: labs make no such thing", m.Kind)
	}
	if !ok {
		return fmt.Errorf("not undoing %s %q: %w", m.Kind, m.Name, errForeign)
	}
	return nil
}

var errForeign = errors.New("it is not what this lab made")

// namePrefix begins the names of what labs make.
const namePrefix = "rtrail-lab-"

func linkPrefix(id string) string { return "rt" + id[:6] }

var (
	zramDevice  = regexp.MustCompile(`^zram[0-9]{1,3}$`)
	cgroupPlace = regexp.MustCompile(`^([a-z0-9_,-]+/)?[A-Za-z0-9_-]+$`)
)

// clean says that a path is absolute and leads straight down.
func clean(path string) bool { return filepath.IsAbs(path) && filepath.Clean(path) == path }
