package decode

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"rtrail/internal/packet/pcap"
)

// envelopes are ways to carry an IP packet, which begins with 0x45.
func envelopes(inner []byte, t testing.TB) (list []struct {
	name string
	link pcap.LinkType
	data []byte
	want Result
}) {
	add := func(name string, link pcap.LinkType, want Result, parts ...string) {
		list = append(list, struct {
			name string
			link pcap.LinkType
			data []byte
			want Result
		}{name, link, []byte(strings.Join(parts, "")), want})
	}
	ip := string(inner)
	mac := "\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01"
	bssid := "\x02\x00\x00\x00\x00\x03"
	snap := "\xaa\xaa\x03\x00\x00\x00\x08\x00"
	length := func(n int) string { return string(binary.BigEndian.AppendUint16(nil, uint16(n))) }
	udp := func(to uint16, body string) string {
		return string(build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 4711, DstPort: layers.UDPPort(to)}, gopacket.Payload(body)))
	}
	frame := mac + "\x08\x00" + ip
	add("PPP", pcap.LinkPPP, OK, "\xff\x03\x00\x21", ip)
	add("PPP, all compressed", pcap.LinkPPP, OK, "\x21", ip)
	add("PPP, no address", pcap.LinkPPP, OK, "\x00\x21", ip)
	add("PPP, a control protocol", pcap.LinkPPP, NotIP, "\xff\x03\xc0\x21", ip)
	add("PPP in HDLC", pcap.LinkPPPHDLC, OK, "\xff\x03\x00\x21", ip)
	add("Cisco's HDLC", pcap.LinkCiscoHDLC, OK, "\x0f\x00\x08\x00", ip)
	add("PPP with the direction", pcap.LinkPPPWithDir, OK, "\x01\xff\x03\x00\x21", ip)
	add("PPPoE", pcap.LinkEthernet, OK, mac, "\x88\x64\x11\x00\x00\x01", length(len(ip)+2), "\x00\x21", ip)
	add("PPPoE, compressed", pcap.LinkEthernet, OK, mac, "\x88\x64\x11\x00\x00\x01", length(len(ip)+1), "\x21", ip)
	add("PPPoE without Ethernet", pcap.LinkPPPEther, OK, "\x11\x00\x00\x01", length(len(ip)+2), "\x00\x21", ip)
	add("security group tag", pcap.LinkEthernet, OK, mac, "\x89\x09\x01\x01\x00\x01\x00\x07\x08\x00", ip)
	add("VLAN and security group tag", pcap.LinkEthernet, OK, mac, "\x81\x00\x00\x05\x89\x09\x01\x01\x00\x01\x00\x07\x08\x00", ip)
	add("VN-Tag", pcap.LinkEthernet, OK, mac, "\x89\x26\x00\x00\x00\x00\x08\x00", ip)
	add("VXLAN", pcap.LinkEthernet, OK, udp(4789, "\x08\x00\x00\x00\x00\x00\x07\x00"+frame))
	add("VXLAN with a group policy", pcap.LinkEthernet, OK, udp(4789, "\x88\x00\x00\x2a\x00\x00\x07\x00"+frame))
	add("VXLAN with a group policy that was applied", pcap.LinkEthernet, OK, udp(4789, "\x88\x08\x00\x2a\x00\x00\x07\x00"+frame))
	add("VXLAN-GPE with IP", pcap.LinkEthernet, OK, udp(4790, "\x0c\x00\x00\x01\x00\x00\x07\x00"+ip))
	add("VXLAN-GPE with Ethernet", pcap.LinkEthernet, OK, udp(4790, "\x0c\x00\x00\x03\x00\x00\x07\x00"+frame))
	add("GTP-U", pcap.LinkEthernet, OK, udp(2152, "\x30\xff"+length(len(ip))+"\x00\x00\x00\x07"+ip))
	add("GTP-U with a number", pcap.LinkEthernet, OK, udp(2152, "\x32\xff"+length(len(ip)+4)+"\x00\x00\x00\x07\x00\x01\x00\x00"+ip))
	add("GTP-U with an extension", pcap.LinkEthernet, OK, udp(2152, "\x34\xff"+length(len(ip)+8)+"\x00\x00\x00\x07\x00\x00\x00\x85\x01\x00\x09\x00"+ip))
	add("NFLOG", pcap.LinkNFLOG, OK, "\x02\x00\x00\x05", "\x08\x00\x01\x00\x08\x00\x01\x00", "\x05\x00\x0a\x00\x00\x00\x00\x00", string(binary.LittleEndian.AppendUint16(nil, uint16(4+len(ip)))), "\x09\x00", ip)
	add("NFLOG without a packet", pcap.LinkNFLOG, Short, "\x02\x00\x00\x05", "\x08\x00\x01\x00\x08\x00\x01\x00")
	pktap := func(link uint32) string {
		b := make([]byte, 108)
		binary.LittleEndian.PutUint32(b, 108)
		binary.LittleEndian.PutUint32(b[4:], 1)
		binary.LittleEndian.PutUint32(b[8:], link)
		copy(b[12:], "en0")
		binary.LittleEndian.PutUint32(b[36:], 2)
		return string(b)
	}
	add("PKTAP of Ethernet", pcap.LinkPKTAP, OK, pktap(1), frame)
	add("PKTAP of a tunnel", pcap.LinkPKTAP, OK, pktap(0), "\x02\x00\x00\x00", ip)
	add("PKTAP in PKTAP", pcap.LinkPKTAP, Alien, pktap(258), frame)
	add("IP over InfiniBand", pcap.LinkIPoIB, OK, strings.Repeat("\x00", 40), "\x08\x00\x00\x00", ip)
	to, from, qos := "\x08\x01\x00\x00"+bssid+mac+"\x10\x00", "\x08\x02\x00\x00"+mac+bssid+"\x10\x00", "\x88\x01\x00\x00"+bssid+mac+"\x10\x00\x00\x00"
	add("802.11 to the access point", pcap.LinkWiFi, OK, to, snap, ip)
	add("802.11 from it", pcap.LinkWiFi, OK, from, snap, ip)
	add("802.11 with priorities", pcap.LinkWiFi, OK, qos, snap, ip)
	add("802.11 between access points", pcap.LinkWiFi, OK, "\x08\x03\x00\x00"+bssid+bssid+mac[:6]+"\x10\x00"+mac[6:], snap, ip)
	add("802.11, several frames in one", pcap.LinkWiFi, OK, "\x88\x01\x00\x00"+bssid+mac+"\x10\x00\x80\x00", mac, length(8+len(ip)), snap, ip)
	add("802.11, encrypted", pcap.LinkWiFi, NotIP, "\x08\x41\x00\x00"+bssid+mac+"\x10\x00", snap, ip)
	add("802.11, a beacon", pcap.LinkWiFi, NotIP, "\x80\x00\x00\x00"+bssid+mac+"\x10\x00", snap, ip)
	add("radiotap", pcap.LinkRadiotap, OK, "\x00\x00\x08\x00\x00\x00\x00\x00", qos, snap, ip)
	add("radiotap with time and padding", pcap.LinkRadiotap, OK, "\x00\x00\x12\x00\x03\x00\x00\x00", strings.Repeat("\x07", 8), "\x20\x00", qos, "\x00\x00", snap, ip)
	add("radiotap with two words", pcap.LinkRadiotap, OK, "\x00\x00\x0e\x00\x02\x00\x00\x80\x00\x00\x00\x00\x20\x00", qos, "\x00\x00", snap, ip)
	add("Prism", pcap.LinkPrism, OK, "\x44\x00\x00\x00\x90\x00\x00\x00"+strings.Repeat("\x00", 136), to, snap, ip)
	add("AVS", pcap.LinkAVS, OK, "\x80\x21\x10\x01\x00\x00\x00\x40"+strings.Repeat("\x00", 56), to, snap, ip)
	return list
}

func segment(t testing.TB) []byte {
	return build(t, ip4(layers.IPProtocolTCP), &layers.TCP{SrcPort: 47110, DstPort: 3306, Seq: 7, Ack: 8, ACK: true, PSH: true, Window: 512}, gopacket.Payload("twelve bytes"))
}

// TestEnvelopes finds the same segment in everything that may carry it, and cuts it
// anywhere.
func TestEnvelopes(t *testing.T) {
	for _, e := range envelopes(segment(t), t) {
		var f Frame
		d := New()
		p := pcap.Packet{Link: e.link, Data: e.data, Wire: uint32(len(e.data))}
		got := d.Decode(&p, &f)
		if got != e.want || got == OK && (f.Src.Port != 47110 || f.Dst.Port != 3306 || f.Seq != 7 || string(f.Payload) != "twelve bytes" || f.Size != 12) {
			t.Errorf("%s: %v, %v > %v, %q of %d bytes", e.name, got, f.Src, f.Dst, f.Payload, f.Size)
		}
		if h := d.Hash(&p); h != 0 && h != f.Hash {
			t.Errorf("%s: hashes differ", e.name)
		}
		for n := range e.data {
			p.Data = e.data[:n]
			if got := d.Decode(&p, &f); got == OK && e.want != OK {
				t.Errorf("%s, cut to %d bytes: %v", e.name, n, got)
			}
		}
	}
}

// TestEnvelopesAgainstTshark asks tshark what it finds in the same packets.
func TestEnvelopesAgainstTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	list := envelopes(segment(t), t)
	var links []pcap.Interface
	for _, e := range list {
		links = append(links, pcap.Interface{Link: e.link, SnapLength: 65535})
	}
	path := filepath.Join(t.TempDir(), "envelopes.pcapng")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := pcap.NewWriter(f, pcap.PCAPNG, func() []pcap.Interface { return links })
	for i, e := range list {
		p := pcap.Packet{Time: 1e18 + int64(i), Frame: uint64(i + 1), Data: e.data, Wire: uint32(len(e.data)), Link: e.link, Interface: uint32(i)}
		if err := w.Write(&p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(pcap.Loss{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), tshark, "-r", path, "-T", "fields", "-e", "frame.number", "-e", "tcp.srcport", "-e", "tcp.len")
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	for i, e := range list {
		if read := slices.Contains(lines, fmt.Sprintf("%d\t47110\t12", i+1)); read != (e.want == OK) {
			t.Errorf("%s: tshark reads it: %v", e.name, read)
		}
	}
}
