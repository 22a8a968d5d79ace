package cases

import (
	"context"
	"os"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// wordsScript counts the words of texts that it has cut into pieces, and reports how many
// pieces. The pieces are files of a directory for each text, or stay in memory.
const wordsScript = `
import os, shutil, sys, time, uuid
base, report, files = sys.argv[1], sys.argv[2], sys.argv[3] == "files"
piece = (b"the queue was full and nobody waited for a reply " * 60)[:2500]
words, pieces, told = 0, 0, 0
while True:
    names = []
    if files:
        place = os.path.join(base, uuid.uuid4().hex)
        os.mkdir(place)
    for i in range(200):
        if files:
            names.append(os.path.join(place, "%d.txt" % i))
            with open(names[-1], "wb") as f:
                f.write(piece)
        else:
            names.append(piece)
    for name in names:
        if files:
            with open(name, "rb") as f:
                words += len(f.read().split())
        else:
            words += len(name.split())
    if files:
        shutil.rmtree(place)
    pieces += len(names)
    if time.time() - told > 0.1:
        told = time.time()
        with open(report + ".new", "w") as f:
            f.write(str(pieces))
        os.rename(report + ".new", report)
    time.sleep(0.005)
`

// diskManySmallWrites has a service cut each text into small files, where it kept the pieces in
// memory before.
func diskManySmallWrites() Case {
	var disk *env.Loop
	var service *env.Proc
	start := func(ctx context.Context, e *env.Env, where string) (err error) {
		if service != nil {
			service.Stop()
			if err := os.Remove(e.Path("pieces")); err != nil {
				return err
			}
		}
		if service, err = e.StartWith(env.Options{}, "python3", "-c", wordsScript, disk.Mount, e.Path("pieces"), where); err != nil {
			return err
		}
		return load.UntilReported(ctx, e, "pieces")
	}
	return Case{
		ID:    "disk/many-small-writes",
		Title: "a service writes the pieces of each text to files that it deletes again",
		Rule:  "disk/many-small-writes",
		Kind:  "process",
		Name:  "python3",
		Needs: withLoop(env.Needs{Root: true, Packages: []string{"python3"}, Commands: []string{"python3"}}),
		Setup: func(ctx context.Context, e *env.Env) (err error) {
			service = nil
			if disk, err = e.LoopFS("words", 64*mib); err != nil {
				return err
			}
			return start(ctx, e, "memory")
		},
		Inject:  func(ctx context.Context, e *env.Env) error { return start(ctx, e, "files") },
		Fix:     func(ctx context.Context, e *env.Env) error { return start(ctx, e, "memory") },
		Measure: measureRecords("pieces", "pieces/s"),
	}
}
