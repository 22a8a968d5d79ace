package view

import "rtrail/internal/recording"

// PacketResolvers are the servers of DNS in the captures, and what became of the
// queries to them.
func (v *View) PacketResolvers() []recording.PacketResolver {
	return overIntervals[recording.PacketResolver](v)
}
