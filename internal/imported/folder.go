package imported

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"rtrail/internal/crash"
)

// collectedIn are the folders of a sosreport that are read.
var collectedIn = []string{"proc", "sys", "sos_commands/sar", "sos_commands/kernel", "sos_commands/logs", "sos_strings/kernel", "sos_strings/logs", "var/log/sa", "var/log/sysstat"}

// isUnpacked says that a directory is an archive with a copy of /proc that somebody unpacked, as
// a sosreport. The files of /proc itself have no size.
func isUnpacked(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, "proc", "stat"))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0
}

// readFolder reads such a directory as the archive that it was.
func readFolder(ctx context.Context, dir string) ([]*told, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("reading a report: %w", err)
	}
	defer root.Close()
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(crash.Guard(func() error { return pack(ctx, root, w) }))
	}()
	defer func() {
		r.Close() // ends the writer
		<-done
	}()
	all := &counted{Reader: r}
	return readArchive(ctx, dir, all, all)
}

// pack writes the files that are read to an archive, as their archive had them. Links are not
// followed; those to open files are counted.
func pack(ctx context.Context, root *os.Root, w io.Writer) error {
	out, n := tar.NewWriter(w), 0
	for _, top := range collectedIn {
		err := fs.WalkDir(root.FS(), top, func(name string, d fs.DirEntry, err error) error {
			switch n++; {
			case ctx.Err() != nil:
				return ctx.Err()
			case n > maxEntries:
				return fmt.Errorf("it has more than %d files", maxEntries)
			case err != nil && d != nil && d.IsDir(), err == nil && d.IsDir() && strings.Count(name, "/") > maxDepth:
				return fs.SkipDir
			case err == nil && d.Type()&fs.ModeSymlink != 0:
				if _, _, ok := descriptor(name); ok {
					return out.WriteHeader(&tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: "file"})
				}
				return nil
			case err != nil, !d.Type().IsRegular():
				return nil // the rest tells what it tells
			}
			most := int64(math.MaxInt64) // of /proc, which is refused if it is that large
			if _, _, ofProc := procFile(name); !ofProc {
				_, ofLog := logFormOf(name)
				switch {
				case ofLog:
					most = maxLogFile
				case sarFile.MatchString(path.Base(name)):
					most = maxText
				default:
					return nil
				}
			}
			return packFile(root, name, most, out)
		})
		if err != nil {
			return err
		}
	}
	return out.Close()
}

// packFile adds a file. One that cannot be read, or has more bytes than are read, is left out: all of it counts
// for what an archive may hold.
func packFile(root *os.Root, name string, most int64, out *tar.Writer) error {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: info.Size(), ModTime: info.ModTime(), Mode: 0o600, Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, info.Size())
	return err
}
