package direction_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/direction"
	"rtrail/internal/recording"
)

// TestMergeKnowsEveryField fills each sum with a number of its own: merged into
// nothing they stay, merged twice none is forgotten.
func TestMergeKnowsEveryField(t *testing.T) {
	keys := recording.PacketDirection{At: time.Unix(1, 0), Client: "10.0.0.1", Server: "10.0.0.2", ServerPort: 80, Proto: "http", Sender: "client"}
	full := keys
	v := reflect.ValueOf(&full).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() && v.Type().Field(i).Name != "ServerPort" {
			f.SetInt(int64(100 + i))
		}
	}
	full.UnheardFrom = time.Unix(50, 0)
	got := keys
	direction.Merge(&got, &full)
	if diff := cmp.Diff(full, got); diff != "" {
		t.Errorf("merged into nothing (-want +got):\n%s", diff)
	}

	later := full
	later.UnheardFrom, later.UnheardQuiet = time.Unix(60, 0), full.UnheardQuiet+1
	direction.Merge(&got, &later)
	extremes := map[string]bool{"LongestDownload": true, "LargestAcked": true, "UnheardLargest": true, "UnheardQuiet": true}
	for i := range v.NumField() {
		f, sum := v.Type().Field(i), reflect.ValueOf(got).Field(i)
		if !sum.CanInt() || f.Name == "ServerPort" {
			continue
		}
		want := 2 * v.Field(i).Int()
		if extremes[f.Name] {
			want = v.Field(i).Int()
		}
		if sum.Int() != want {
			t.Errorf("%s: %d, want %d", f.Name, sum.Int(), want)
		}
	}
	if !got.UnheardFrom.Equal(full.UnheardFrom) {
		t.Errorf("the first request that nothing came after is from %v, want %v", got.UnheardFrom, full.UnheardFrom)
	}
}

func TestTakeBack(t *testing.T) {
	d := recording.PacketDirection{Segments: 10, Retransmissions: 4, Timeouts: 3, RetransmitWait: time.Second, Spurious: 1}
	direction.TakeBack(&d, 3, 2, 700*time.Millisecond)
	want := recording.PacketDirection{Segments: 7, Retransmissions: 1, Timeouts: 1, RetransmitWait: 300 * time.Millisecond, Spurious: 1}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

func TestSilentSYNs(t *testing.T) {
	at := time.Unix(100, 0)
	for _, c := range []struct {
		name   string
		conn   recording.PacketConnection
		silent int32
		waited time.Duration
	}{
		{"answered at once", recording.PacketConnection{At: at, SYNs: 1, SYNACKs: 1, Connect: time.Millisecond}, 0, 0},
		{"never answered", recording.PacketConnection{At: at, Last: at.Add(7 * time.Second), SYNs: 4}, 4, 7 * time.Second},
		{"the second SYN answered", recording.PacketConnection{At: at, SYNs: 2, SYNACKs: 1, Connect: 1001 * time.Millisecond}, 1, 1001 * time.Millisecond},
		{"a copy of the SYN, answered at once", recording.PacketConnection{At: at, SYNs: 2, SYNACKs: 1, Connect: 3 * time.Millisecond}, 0, 0},
		{"refused at the second try", recording.PacketConnection{At: at, Last: at.Add(time.Second), SYNs: 2, Refused: true}, 0, 0},
	} {
		if silent, waited := direction.SilentSYNs(&c.conn); silent != c.silent || waited != c.waited {
			t.Errorf("%s: %d SYNs, %v; want %d, %v", c.name, silent, waited, c.silent, c.waited)
		}
	}
}

func TestHarmOf(t *testing.T) {
	for _, c := range []struct {
		name string
		conn recording.PacketConnection
		want direction.ResetHarm
	}{
		{"ended by FIN", recording.PacketConnection{CloseState: "waiting"}, direction.NoHarm},
		{"reset while idle", recording.PacketConnection{CloseReset: true, CloseState: "idle"}, direction.NoHarm},
		{"reset while idle, bytes unread", recording.PacketConnection{CloseReset: true, CloseState: "idle", Outstanding: 10}, direction.UnreadLost},
		{"reset in an answer", recording.PacketConnection{CloseReset: true, CloseState: "response", Outstanding: 10}, direction.ExchangeBroken},
		{"connect refused", recording.PacketConnection{CloseReset: true, Refused: true}, direction.ConnectRefused},
		{"crossed by a request", recording.PacketConnection{CloseState: "crossed"}, direction.RequestCrossed},
		{"dismissed before", recording.PacketConnection{CloseReset: true, CloseState: "dismissed", Outstanding: 10}, direction.NoHarm},
	} {
		if got := direction.HarmOf(&c.conn); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
