package unit

import (
	"fmt"
	"testing"
	"time"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 packets", 1: "1 packet", 2: "2 packets", 1204: "1,204 packets"} {
		if got := Plural(n, "packet", "packets"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestString(t *testing.T) {
	for _, c := range []struct {
		in   fmt.Stringer
		want string
	}{
		{Bytes(0), "0 B"}, {Bytes(512), "512 B"}, {Bytes(1536), "1.5 KiB"}, {Bytes(8 << 20), "8 MiB"}, {Bytes(-2048), "-2 KiB"},
		{Bytes(1 << 50), "1024 TiB"}, {Bytes(23.5 * (1 << 30)), "23.5 GiB"}, {Bytes(1023.9 * 1024), "1024 KiB"},
		{Share(0), "0 %"}, {Share(0.004), "0.4 %"}, {Share(0.31), "31 %"}, {Share(1), "100 %"}, {Share(0.0996), "10 %"},
		{Count(5379), "5,379"}, {Count(999), "999"}, {Count(-1234567), "-1,234,567"},
		{PerSecond(12340), "12,340/s"}, {PerSecond(0.44), "0.4/s"}, {PerSecond(0), "0/s"},
		{Number(0.25), "0.25"}, {Number(3), "3"}, {Number(12.34), "12.3"}, {Number(1500), "1,500"},
		{Duration(0), "0 s"}, {Duration(41 * time.Millisecond), "41 ms"}, {Duration(1500 * time.Millisecond), "1.5 s"},
		{Duration(90 * time.Second), "90 s"}, {Duration(2 * time.Minute), "2 min"}, {Seconds(507), "8 min 27 s"}, {Seconds(-507), "-8 min 27 s"},
		{Seconds(3599.6), "1 h"}, {Duration(time.Hour), "1 h"}, {Duration(63*time.Minute + 40*time.Second), "1 h 4 min"}, {Duration(3 * time.Hour), "3 h"}, {Duration(850), "850 ns"},
		{Duration(12300), "12.3 µs"}, {Duration(7 * 24 * time.Hour), "7 days"}, {Seconds(0.0065), "6.5 ms"},
	} {
		if got := c.in.String(); got != c.want {
			t.Errorf("%T(%v) = %q, want %q", c.in, fmt.Sprintf("%g", c.in), got, c.want)
		}
	}
}
