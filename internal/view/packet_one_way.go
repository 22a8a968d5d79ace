package view

// heardFrom says of servers which directions the captures show.
type heardFrom struct {
	both, one map[string]bool // servers: seen in both directions; sent data without being heard, or heard only
	any       bool            // something was seen in both directions
}

// OneDirection says that the captures show what goes to, or comes from, a server or
// a client in one direction only, as far as they tell: then what is missing of the
// other one may have taken another way, and who asks again may do so with an answer
// in hand. Packets are known to be seen both ways where a connection or a resolver
// was, and on the interfaces of the host that is watched. Where nothing was seen in
// both directions, a server that is dead and a capture of one direction look alike.
func (v *View) OneDirection(host string) bool {
	if v.hostWatched() {
		return false
	}
	h := Memo(v, "packets/heard", func() *heardFrom { return v.heard() })
	switch {
	case h.both[host]:
		return false
	case h.one[host]:
		return true
	}
	return !h.any
}

func (v *View) heard() *heardFrom {
	h := &heardFrom{both: map[string]bool{}, one: map[string]bool{}}
	for _, c := range v.PacketConnections() {
		switch client, server := c.FromClient, c.FromServer; {
		case client.Packets > 0 && server.Packets > 0:
			h.both[c.Server], h.both[c.Client], h.any = true, true, true
		case client.Segments+server.Segments > 0: // data needs a connection, and that both directions
			h.one[c.Server], h.one[c.Client] = true, true
		}
	}
	for _, r := range v.PacketResolvers() {
		if r.Answered > 0 || r.Refused > 0 {
			h.both[r.Server], h.any = true, true
			if r.Client != "" {
				h.both[r.Client] = true
			}
		}
	}
	return h
}
