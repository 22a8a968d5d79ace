package matrix

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/bench"
	"rtrail/internal/safefile"
)

// Names in the folder of a matrix.
const (
	planFile  = "plan.yaml"
	runsFile  = "runs.jsonl"
	stepsDir  = "steps"
	logFile   = "load.txt"
	recordDir = "recording"
)

// Folder keeps a matrix: its plan, its runs, and a folder for each step.
type Folder struct {
	Runs []bench.Run // that there are

	dir, steps *safefile.Dir
	lines      []byte // of all runs
}

// ErrOtherPlan says that a folder holds a matrix of another plan.
var ErrOtherPlan = errors.New("it holds the runs of another plan: name another folder, or run the plan that is in its " + planFile)

// OpenFolder makes the folder of a plan, or goes on with it.
func OpenFolder(path string, plan *Plan) (f *Folder, err error) {
	text, err := plan.YAML()
	if err != nil {
		return nil, err
	}
	f = &Folder{}
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("keep runs in %s: %w", path, err)
		}
	}()
	if f.dir, err = safefile.MakeDir(path, 0o700); err != nil {
		return f, err
	}
	if err := unix.Flock(int(f.dir.File().Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return f, errors.New("another rtrail bench uses it")
	}
	there, err := f.read(planFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		names, err := f.dir.Names()
		if err != nil {
			return f, err
		}
		if len(names) > 0 {
			return f, errors.New("it is not empty, and holds no " + planFile)
		}
		if err := f.write(planFile, text); err != nil {
			return f, err
		}
	case err != nil:
		return f, err
	case bytes.Equal(there, text):
	case f.empty():
		if err := f.write(planFile, text); err != nil { // a plan that was mended
			return f, err
		}
	default:
		return f, ErrOtherPlan
	}
	if f.steps, err = f.dir.Sub(stepsDir); errors.Is(err, fs.ErrNotExist) {
		f.steps, err = f.dir.Mkdir(stepsDir, 0o700)
	}
	if err != nil {
		return f, err
	}
	return f, f.readRuns()
}

// empty says that no run was kept.
func (f *Folder) empty() bool {
	text, err := f.read(runsFile)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(bytes.TrimSpace(text)) == 0
}

// PlanOf reads the plan that a folder holds; fs.ErrNotExist: none.
func PlanOf(path string) (*Plan, error) {
	dir, err := safefile.OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	f := Folder{dir: dir}
	text, err := f.read(planFile)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	return p, p.Parse(text)
}

func (f *Folder) read(name string) ([]byte, error) {
	file, err := f.dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return safefile.ReadAll(file, bench.MostRuns*1024)
}

func (f *Folder) write(name string, text []byte) error {
	return f.dir.Replace(name, 0o600, func(file *os.File) error {
		_, err := file.Write(text)
		return err
	})
}

func (f *Folder) readRuns() error {
	text, err := f.read(runsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// A last line that was cut off is no run: it is made again.
	if f.Runs, _, err = bench.Read(bytes.NewReader(text)); err != nil {
		return fmt.Errorf("%s: %w", runsFile, err)
	}
	var lines bytes.Buffer
	for i := range f.Runs {
		if err := f.Runs[i].Append(&lines); err != nil {
			return err
		}
	}
	f.lines = lines.Bytes()
	return nil
}

// Has says whether a step was made.
func (f *Folder) Has(s *Step) bool {
	for i := range f.Runs {
		r := &f.Runs[i]
		if !r.Unfinished && r.Environment == s.Environment.Name && r.Scenario == s.Scenario && r.Threads == s.Level.Threads && rateOf(r) == s.Level.Rate && r.Repeat == s.Repeat {
			return true
		}
	}
	return false
}

func rateOf(r *bench.Run) float64 {
	if rate := float64(r.Rate); rate > 0 {
		return rate
	}
	return 0
}

// Add keeps a run. When it returns the run is on the disk, and all before it are.
func (f *Folder) Add(r *bench.Run) error {
	lines := bytes.NewBuffer(bytes.Clone(f.lines))
	if err := r.Append(lines); err != nil {
		return err
	}
	if err := f.write(runsFile, lines.Bytes()); err != nil {
		return err
	}
	f.lines = lines.Bytes()
	f.Runs = append(f.Runs, *r)
	return f.dir.Sync()
}

// StepFolder is the folder of a step.
type StepFolder struct {
	Name string // below the matrix'
	dir  *safefile.Dir
}

// Begin makes a new folder for a step. What an earlier try has left stays.
func (f *Folder) Begin(s *Step) (*StepFolder, error) {
	for try := 1; try < 1000; try++ {
		name := fmt.Sprintf("%04d", s.Number)
		if try > 1 {
			name += fmt.Sprintf(".%d", try)
		}
		dir, err := f.steps.Mkdir(name, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return &StepFolder{filepath.Join(stepsDir, name), dir}, err
	}
	return nil, fmt.Errorf("step %d was tried a thousand times", s.Number)
}

// maxLog bounds what is kept of what a generator prints.
const maxLog = 4 << 20

// Log is the file that gets what the generator prints.
func (s *StepFolder) Log() (*os.File, error) { return s.dir.Create(logFile, 0o600) }

// Recording is the path of the step's recording.
func (s *StepFolder) Recording() string { return filepath.Join(s.dir.Path(), recordDir) }

// Close lets the folder go.
func (s *StepFolder) Close() { s.dir.Close() }

// Close lets the folder go.
func (f *Folder) Close() {
	for _, d := range []*safefile.Dir{f.steps, f.dir} {
		if d != nil {
			d.Close()
		}
	}
}

// stamp is a time as logs have it.
func stamp(t time.Time) string { return t.UTC().Format("15:04:05.000") }
