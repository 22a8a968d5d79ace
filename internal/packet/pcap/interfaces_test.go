package pcap

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// manyInterfaces is a pcapng capture whose sections describe interfaces, with
// a packet at the end of each.
func manyInterfaces(sections, each int, name func(int) string) string {
	var b strings.Builder
	block := func(kind uint32, body []byte) {
		for len(body)%4 > 0 {
			body = append(body, 0)
		}
		n := uint32(len(body) + 12)
		out := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, kind), n)
		b.Write(binary.LittleEndian.AppendUint32(append(out, body...), n))
	}
	for s := range sections {
		head := binary.LittleEndian.AppendUint32(nil, orderMagic)
		block(blockSection, append(head, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255))
		for i := range each {
			text := name(s*each + i)
			body := []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, byte(len(text)), 0}
			block(blockInterface, append(body, text...))
		}
		packet := make([]byte, 20+60)
		binary.LittleEndian.PutUint32(packet, uint32(each-1))
		packet[12], packet[16] = 60, 60
		block(blockPacket, packet)
	}
	return b.String()
}

// TestManyInterfaces reads captures of very many interfaces in a time that grows
// with their number, not with its square, and refuses more than are numbered.
func TestManyInterfaces(t *testing.T) {
	for name, tc := range map[string]struct {
		sections, each int
		name           func(int) string
		packets, known int
	}{
		"named":              {1, maxInterfaces, func(i int) string { return fmt.Sprint(i) }, 1, maxInterfaces},
		"of one name":        {1, maxInterfaces, func(int) string { return "x" }, 1, maxInterfaces},
		"in each section":    {100, 1000, func(i int) string { return fmt.Sprint(i % 1000) }, 100, 1000},
		"more than numbered": {100, 1000, func(i int) string { return fmt.Sprint(i) }, 65, maxInterfaces},
	} {
		t.Run(name, func(t *testing.T) {
			src, err := Open(context.Background(), []string{"-"}, strings.NewReader(manyInterfaces(tc.sections, tc.each, tc.name)))
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			packets := 0
			for {
				b, err := src.Next(t.Context())
				if err != nil {
					break
				}
				packets += len(b.Packets)
				b.Release()
			}
			if n := len(src.Interfaces()); packets != tc.packets || n != tc.known {
				t.Errorf("%d packets, %d interfaces", packets, n)
			}
			if refused := len(src.Notes()) > 0; refused != (tc.sections*tc.each > maxInterfaces && tc.known == maxInterfaces) {
				t.Errorf("%v", src.Notes())
			}
		})
	}
}
