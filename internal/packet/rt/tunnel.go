package rt

// tunnel is whether a connection has become one, whose contents are recognised like those
// of a new connection.
type tunnel uint8

const (
	outside   tunnel = iota
	unentered        // nothing of what is in it was seen
	inside
)

// opened says how many bytes of the latest chunk are in a tunnel that the decoder found to
// begin there. Where the snap length cut the chunk, the beginning may be missing.
func (a *Assembler) opened(cut bool) (rest int) {
	a.told = false
	next, rest, ok := a.opener.Opened()
	if !ok {
		return 0
	}
	a.tunnel, a.next, a.holed = unentered, next, cut
	return rest
}

// enter leaves the decoder that found the tunnel.
func (a *Assembler) enter() {
	if a.tunnel == unentered {
		a.parser, a.opener, a.tunnel = nil, nil, inside
	}
}
