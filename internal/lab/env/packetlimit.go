package env

import (
	"bytes"
	_ "embed"
	"fmt"
	"net"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
)

//go:generate ../../probe/kernel/build packet_limit ../../lab/env

//go:embed packet_limit.o
var packetLimitObject []byte

// LimitPackets lets so many packets a second out of an end, of any size, with
// bursts of so many; what is too much is thrown away, before captures in the
// same namespace would see it. lift ends it early. Needs Linux 6.6.
func (e *Env) LimitPackets(at End, perSecond, burst int) (lift func() error, err error) {
	spec, err := ebpf.LoadCollectionSpecFromReader(bytes.NewReader(packetLimitObject))
	if err != nil {
		return nil, fmt.Errorf("read the object of the packet limiter: %w", err)
	}
	interval := time.Second / time.Duration(perSecond)
	for name, value := range map[string]time.Duration{"interval_ns": interval, "burst_ns": interval * time.Duration(burst-1)} {
		if err := spec.Variables[name].Set(uint64(value)); err != nil {
			return nil, fmt.Errorf("set %s of the packet limiter: %w", name, err)
		}
	}
	programs, err := ebpf.NewCollection(spec)
	if err != nil {
		return nil, fmt.Errorf("load the packet limiter: %w", err)
	}
	defer programs.Close()
	var attached link.Link
	attach := func() error {
		device, err := net.InterfaceByName(at.Device)
		if err != nil {
			return err
		}
		attached, err = link.AttachTCX(link.TCXOptions{Interface: device.Index, Program: programs.Programs["limit"], Attach: ebpf.AttachTCXEgress})
		return err
	}
	if at.NetNS != nil {
		err = at.NetNS.Do(attach)
	} else {
		err = attach()
	}
	if err != nil {
		return nil, fmt.Errorf("attach the packet limiter to %s: %w", at.Device, err)
	}
	return e.Defer("the packet limiter", attached.Close), nil
}
