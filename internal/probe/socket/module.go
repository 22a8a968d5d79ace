package socket

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// notLoaded says that a part of the kernel is a module that is not loaded. To ask for what
// it holds would load it: the kernel starts modprobe, and has from then on code that the
// host did without. Where it cannot be told, as in containers, it counts as loaded.
func notLoaded(root, module string) bool {
	modules := filepath.Join(root, "sys/module")
	if _, err := os.Stat(modules); err != nil {
		return false
	}
	if _, err := os.Stat(filepath.Join(modules, module)); !errors.Is(err, os.ErrNotExist) {
		return false
	}
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	f, err := os.Open(filepath.Join(root, "lib/modules", unix.ByteSliceToString(u.Release[:]), "modules.builtin"))
	if err != nil {
		return false
	}
	defer f.Close()
	const most = 1 << 20 // it has some 30 KB
	b, err := io.ReadAll(io.LimitReader(f, most))
	return err == nil && len(b) > 0 && len(b) < most && !bytes.Contains(b, []byte("/"+module+".ko"))
}
