package event

import (
	"testing"
	"unsafe"
)

func TestEndpoints(t *testing.T) {
	if n := unsafe.Sizeof(Endpoints{}); n != 44 {
		t.Errorf("%d bytes, bpf/endpoint.h has 44", n)
	}
	mapped := Endpoints{Family: inet6, LocalBytes: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}, RemoteBytes: [16]byte{0x20, 1, 0xd, 0xb8, 15: 2}}
	if l, r := mapped.Local(), mapped.Remote(); l != "10.0.0.1" || r != "2001:db8::2" {
		t.Error(l, r)
	}
	four := Endpoints{Family: inet, LocalBytes: [16]byte{127, 0, 0, 1}}
	if l, r := four.Local(), four.Remote(); l != "127.0.0.1" || r != "0.0.0.0" {
		t.Error(l, r)
	}
	if none := (&Endpoints{}).Local(); none != "" {
		t.Error(none)
	}
}
