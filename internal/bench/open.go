package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rtrail/internal/infile"
)

// FileName is that of the runs in the folder of a matrix.
const FileName = "runs.jsonl"

// Open reads the runs of a matrix: of its folder, or of its file, which may be packed. The
// environment of a run that names none is the name of the folder. cut is as in Read.
func Open(ctx context.Context, path string) (runs []Run, cut bool, err error) {
	file, name := path, path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, FileName)
	} else {
		name = filepath.Dir(path)
	}
	f, err := infile.Open(ctx, file)
	if file != path && errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("%s holds no %s: no step of a load test has finished there", path, FileName)
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading the runs of a load test: %w", err)
	}
	defer f.Close()
	in, done, err := infile.Unpack(infile.Until(ctx, f))
	if err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", file, err)
	}
	defer done()
	if runs, cut, err = Read(in); err != nil {
		return nil, false, fmt.Errorf("reading %s: %w", file, err)
	}
	if len(runs) == 0 {
		return nil, cut, fmt.Errorf("reading %s: there is no whole run in it", file)
	}
	for i := range runs {
		if file != path {
			runs[i].Folder = path
		}
	}
	if name, err = filepath.Abs(name); err == nil {
		for i := range runs {
			if runs[i].Environment == "" {
				runs[i].Environment = filepath.Base(name)
			}
		}
	}
	return runs, cut, nil
}
