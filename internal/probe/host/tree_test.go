package host

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"rtrail/internal/golden"
	"rtrail/internal/recording"
)

// TestTrees reads recorded and hand-written trees as if they were the machine.
// Mounts are left out: statfs(2) would tell of the machine the test runs on.
func TestTrees(t *testing.T) {
	for _, tree := range []string{"linux-6.18", "linux-4.18-dm"} {
		t.Run(tree, func(t *testing.T) {
			fs := FS{Root: filepath.Join("testdata", tree)}
			p := New(fs)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			w := recording.NewWriter(time.Now())
			if err := p.Sample(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			rec := recording.New(recording.Manifest{})
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			identity := Identify(fs)
			identity.PID, identity.Root, identity.PageSize = 0, false, 0 // of the test itself
			identity.Boot = identity.Boot.UTC()
			fmt.Fprintf(&b, "%+v\n", identity)
			dump[recording.CPUSample](&b, rec)
			dump[recording.SystemSample](&b, rec)
			dump[recording.PressureSample](&b, rec)
			dump[recording.MemorySample](&b, rec)
			dump[recording.VMStatSample](&b, rec)
			dump[recording.SwapSample](&b, rec)
			dump[recording.DiskSample](&b, rec)
			dump[recording.ZoneSample](&b, rec)
			dump[recording.SoftIRQSample](&b, rec)
			dump[recording.InterruptSample](&b, rec)
			dump[recording.SoftnetSample](&b, rec)
			dump[recording.SysctlSample](&b, rec)
			dump[recording.UnseenNote](&b, rec)
			golden.Text(t, filepath.Join("testdata", tree+".golden"), b.String())
		})
	}
}

// dump writes the rows of one table, without the time at which the test ran.
func dump[T recording.Row](b *strings.Builder, rec *recording.Recording) {
	for _, r := range recording.Rows[T](rec) {
		reflect.ValueOf(&r).Elem().FieldByName("At").SetZero()
		text := strings.Replace(fmt.Sprintf("%+v", r), "At:0001-01-01 00:00:00 +0000 UTC ", "", 1)
		fmt.Fprintf(b, "%s %s\n", r.Table(), text)
	}
}
