package event

import "fmt"

// protocols are the names of what IP carries.
var protocols = map[uint32]string{1: "icmp", 2: "igmp", 4: "ipip", 6: "tcp", 17: "udp", 41: "ipv6", 47: "gre", 50: "esp", 58: "icmpv6", 132: "sctp", 136: "udplite"}

// Protocol is the name of a protocol that IP carries; ip-N: by number.
func Protocol(number uint32) string {
	if name := protocols[number]; name != "" {
		return name
	}
	return fmt.Sprintf("ip-%d", number)
}
