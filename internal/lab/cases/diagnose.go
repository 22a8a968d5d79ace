package cases

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"rtrail/internal/lab/env"
)

// diagnose runs this program's verbs as a user would and returns the verdict.
func (r Runner) diagnose(ctx context.Context, c Case, e *env.Env) ([]byte, error) {
	if r.Diagnose != nil {
		return r.Diagnose(ctx, e, c.window())
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find rtrail itself: %w", err)
	}
	args := []string{"diagnose", "--json"}
	if c.Log != nil {
		env.Sleep(ctx, c.window())
		out, err := e.Run(ctx, exe, append(args, c.Log())...)
		return []byte(out), err
	}
	if c.MySQL != nil {
		for _, name := range c.MySQL() {
			args = append(args, "--mysql", name)
		}
	} else if len(c.Captures) < 2 && !c.FileAlone { // a case is about the evidence it names; other servers of this host are none of its business
		args = append(args, "--mysql", "off")
	}
	if c.AllEvents {
		args = append(args, "--events", "all")
	}
	if c.Alloc != nil {
		args = append(args, "--alloc", fmt.Sprint(c.Alloc()))
	}
	switch {
	case len(c.Captures) == 0:
		args = append(args, "--for", c.window().String())
	case len(c.Captures) == 1 && !c.FileAlone:
		args = append(append(args, "--for", c.window().String()), c.Captures[0].flags(e)...)
	default:
		files, err := c.captureAll(ctx, e, exe)
		if err != nil {
			return nil, err
		}
		if len(files) == 1 {
			args = append(args, files[0])
			break
		}
		args = append(args, "--client-side", files[0], "--server-side", files[1])
	}
	out, err := e.Run(ctx, exe, args...)
	if err != nil {
		return nil, err
	}
	return []byte(out), nil
}

// flags says on the command line where to capture.
func (p Capture) flags(e *env.Env) []string {
	args := []string{"-i", p.Interface}
	if p.NetNS != "" {
		args = append(args, "--netns", e.NetNSName(p.NetNS))
	}
	var ports []string
	for _, port := range p.Ports {
		ports = append(ports, fmt.Sprint(port))
	}
	if len(ports) > 0 {
		args = append(args, "-p", strings.Join(ports, ","))
	}
	return args
}

// captureAll captures in all places at the same time and returns the files.
func (c Case) captureAll(ctx context.Context, e *env.Env, exe string) ([]string, error) {
	files := make([]string, len(c.Captures))
	errs := make([]error, len(c.Captures))
	var wg sync.WaitGroup
	for i, place := range c.Captures {
		files[i] = e.Path(fmt.Sprintf("capture-%d.pcapng", i))
		args := append([]string{"packets", "-w", files[i], "--for", c.window().String()}, place.flags(e)...)
		wg.Go(func() { _, errs[i] = e.Run(ctx, exe, args...) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("capture on %s: %w", c.Captures[i].Interface, err)
		}
	}
	return files, nil
}
