package view

import (
	"testing"

	"rtrail/internal/shell"
	"rtrail/internal/shell/shelltest"
)

// Files, interfaces and namespaces of captures are named by whoever made them.
func TestCommandsForPacketsArePasted(t *testing.T) {
	for name, of := range map[string]func(name string) PacketSource{
		"a file":       func(name string) PacketSource { return PacketSource{File: name} },
		"an interface": func(name string) PacketSource { return PacketSource{Interface: name} },
		"a namespace":  func(name string) PacketSource { return PacketSource{Enter: enterNetNS(name), Interface: "eth0"} },
		"its path": func(name string) PacketSource {
			return PacketSource{Enter: enterNetNS("/run/netns/" + name), Interface: "eth0"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			shelltest.Pasted(t, "a", func(name string) string { return of(name).Packets(3306).String() })
			shelltest.Pasted(t, "a", func(name string) string {
				return of(name).Tshark(shell.Display("%s && x == %s", IPFilter("src", "10.0.0.1"), name), "ip.src").String()
			})
		})
	}
}
