package imported

import (
	"fmt"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
)

// oneLook is what the copy of /proc beside files of sar shows, as a recording of its own: it is of
// another time, and shows levels alone. nil: there is none, or a note says why it is left out. host is
// whose the files are; "": they do not say.
func oneLook(host string, all []*told) (rec *recording.Recording, note string) {
	var looks []*told
	for _, t := range all {
		if t.look != nil {
			looks = append(looks, t.look)
		}
	}
	switch len(looks) {
	case 0:
		return nil, ""
	case 1:
	default:
		return nil, fmt.Sprintf("%d archives hold one copy of /proc each, beside files of sar: they are left out", len(looks))
	}
	look := looks[0]
	at := look.trees[0].at
	if !look.trees[0].mayBeOf(host) {
		return nil, fmt.Sprintf("%s: its copy of /proc is left out: it is of host %.80q, the files of sar are of %.80q", look.file, look.trees[0].hostname(), host)
	}
	joined, err := joinTrees(looks)
	if err == nil {
		rec, _, err = together(joined)
	}
	if err != nil {
		return nil, fmt.Sprintf("%s: its copy of /proc is left out: %v", look.file, err)
	}
	rec.UpdateManifest(func(m *recording.Manifest) {
		m.Notes[0] = fmt.Sprintf("%s: its copy of /proc, one look, %s: levels are judged, and no rates", look.file, unit.Moment(at))
	})
	return rec, ""
}
