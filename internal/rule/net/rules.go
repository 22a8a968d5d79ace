// Package net judges what happens between programs and their peers: queues,
// tables, ports, filters and lost packets.
package net

import "rtrail/internal/rule"

// Rules are the rules of this domain.
var Rules = []rule.Rule{acceptQueueFull, synFlood, conntrackFull, ephemeralPorts, packetLoss, firewallDrops,
	receiverSlow, senderAppLimited, delayedACK, rateLimited, mtuMismatch, resets, pawsDrops, dnsSlow, dnsUnreachable}
