package recording

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/safefile"
)

// foreign lists the entries of a recording's directory that are neither of a
// recorder nor of the filesystem.
func foreign(names []string) (others []string) {
	for _, name := range names {
		switch strings.TrimSuffix(name, safefile.PartialSuffix) {
		case segmentsFolder, manifestFile, journalFile:
		default:
			if !ofFilesystem(name) {
				others = append(others, name)
			}
		}
	}
	slices.Sort(others)
	return others
}

// ofFilesystem says whether filesystems, servers of files and desktops make such
// entries by themselves.
func ofFilesystem(name string) bool {
	switch name {
	case "lost+found", // ext2 to ext4
		".snapshot", ".snapshots", ".zfs", // NetApp, snapper, ZFS
		"aquota.user", "aquota.group", "quota.user", "quota.group",
		"System Volume Information", "$RECYCLE.BIN", ".Trash": // exFAT, NTFS
		return true
	}
	for _, prefix := range []string{".nfs", ".fuse_hidden", ".Trash-"} { // files that are open and removed; trash
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// leaveAlone says what a recorder does about entries that are not its own: it
// begins no recording beside them, and goes on with one that lies there.
func (d *Directory) leaveAlone(others []string, continued bool) error {
	switch {
	case len(others) == 0:
		return nil
	case !continued:
		return errors.New(clip(others[0]) + " lies there, which is no part of a recording: choose an empty or a new folder")
	}
	const told = 3
	var names []string
	for _, name := range others[:min(told, len(others))] {
		names = append(names, clip(name))
	}
	note := "left alone, as no part of the recording: " + strings.Join(names, ", ")
	if more := len(others) - len(names); more > 0 {
		note += fmt.Sprintf(" and %d more", more)
	}
	d.manifest.keep(note)
	return nil
}
