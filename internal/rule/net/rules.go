// Package net judges what happens between programs and their peers: queues,
// tables, ports, filters and lost packets.
package net

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this domain.
var Rules = rule.WithPages(pages,
	acceptQueueFull, udpBuffer, synFlood, synQueueFull, conntrackFull, ephemeralPorts, packetLoss, firewallDrops, qdiscDrops, softnet, nicDrops,
	receiverSlow, senderAppLimited, delayedACK, rateLimited, mtuMismatch, resets, pawsDrops,
	dnsSlow, dnsUnreachable,
)
