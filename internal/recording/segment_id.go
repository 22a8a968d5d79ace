package recording

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// segmentID is the place of a segment in a recording, and the name of its folder.
type segmentID struct {
	// number orders segments as they were recorded, from 1 on, whatever the
	// clock did. 0: of a version that had no numbers, whose folders keep their
	// names.
	number int
	// piece counts how often the clock was set back before.
	piece int
	start time.Time // of the first row
}

const startLayout = "20060102T150405.000000000Z"

func (s segmentID) String() string {
	if s.number == 0 {
		return s.start.UTC().Format(startLayout)
	}
	return fmt.Sprintf("%06d-%d-%s", s.number, s.piece, s.start.UTC().Format(startLayout))
}

var segmentName = regexp.MustCompile(`^(?:(\d{6,9})-(\d{1,9})-)?(\d{8}T\d{6}\.\d{9}Z)$`)

// maxNumber is the last number, and piece, that a name has room for.
const maxNumber = 999_999_999

// parseSegment reads the name of a segment's folder. It must be the one that
// String gives: what is listed is opened and removed by that.
func parseSegment(name string) (s segmentID, ok bool) {
	m := segmentName.FindStringSubmatch(name)
	if m == nil {
		return s, false
	}
	if m[1] != "" {
		s.number, _ = strconv.Atoi(m[1]) // digits
		s.piece, _ = strconv.Atoi(m[2])
	}
	var err error
	s.start, err = time.Parse(startLayout, m[3])
	return s, err == nil && s.String() == name
}

// compare orders segments as they were recorded.
func (s segmentID) compare(o segmentID) int {
	return cmp.Or(cmp.Compare(s.number, o.number), s.start.Compare(o.start), cmp.Compare(s.piece, o.piece))
}
