package imported

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/infile"
)

// stalkedLog is the file of a collection with what the kernel logged in the minute before, as dmesg prints it
// without -T. It is written when the collection begins, and has nothing of the time of the reports.
const stalkedLog = "dmesg"

// logsIn are the files with the kernel log of the collections that are read of some paths, as given or in
// their directory. pt-stalk writes neither links nor FIFOs.
func logsIn(paths []string) (logs []string) {
	take := func(path string) {
		info, err := os.Lstat(path)
		if err == nil && info.Mode().IsRegular() && info.Size() > 0 && len(logs) < maxLogs && !slices.Contains(logs, path) {
			logs = append(logs, path)
		}
	}
	for _, p := range paths {
		if m := collected.FindStringSubmatch(filepath.Base(p)); m != nil && m[2] == stalkedLog {
			take(p)
			continue
		}
		if _, list, err := collection(p); err == nil && len(list) > 0 {
			take(logBeside(list[0]))
		}
	}
	return logs
}

// logBeside is the name of the file with the kernel log of the collection of a file.
func logBeside(file string) string {
	return filepath.Join(filepath.Dir(file), collected.FindStringSubmatch(filepath.Base(file))[1]+"-"+stalkedLog)
}

// readLogs reads the kernel logs of collections, and puts each beside the copies of /proc/stat of its collection.
func readLogs(ctx context.Context, all []*told, logs []string) error {
	for _, path := range logs {
		f, err := readLog(ctx, path)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			all[0].note("%s: the kernel log is left out: %v", path, err)
			continue
		}
		of := slices.DeleteFunc(slices.Clone(all), func(t *told) bool {
			return !collected.MatchString(filepath.Base(t.file)) || logBeside(t.file) != filepath.Clean(path)
		})
		f.put(filepath.Dir(path), of, all[0])
	}
	return nil
}

func readLog(ctx context.Context, path string) (*logFile, error) {
	in, err := infile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	f := &logFile{name: filepath.Base(path), form: ofBoot}
	if info, err := in.Stat(); err == nil && sane(info.ModTime()) {
		f.written = info.ModTime()
	}
	if err := f.read(budget.From(ctx), io.LimitReader(infile.Until(ctx, in), maxText)); err != nil {
		return nil, err
	}
	return f, ctx.Err()
}

// put puts the kernel log of a collection beside the copies of /proc/stat in it: they tell when the host was started,
// from which on its lines count. A note goes to first if it cannot be read.
func (f *logFile) put(archive string, collection []*told, first *told) {
	at := slices.IndexFunc(collection, func(t *told) bool { return !t.started.IsZero() })
	switch {
	case !f.begun:
		first.note("%s: %s is left out: no line of it has the time since the host was started", archive, f.name)
		return
	case at < 0:
		first.note("%s: %s is left out: there is no copy of /proc/stat beside it, which tells when the host was started", archive, f.name)
		return
	}
	t := collection[at]
	f.cut = true
	t.logs = &kernelLogs{archive: archive, folder: folderOf(f.name), boot: t.started, until: t.reports[0].at.Add(-time.Nanosecond), files: []*logFile{f}}
}

// takeLog reads the kernel log of a collection in an archive.
func (c *stalkCollection) takeLog(memory *budget.Budget, name string, written time.Time, in io.Reader) error {
	f := &logFile{name: name, form: ofBoot, written: written}
	if err := f.read(memory, io.LimitReader(in, maxText)); err != nil {
		return err
	}
	if c.log != nil {
		c.log.forget(memory, len(c.log.lines))
	}
	c.log = f
	return nil
}
