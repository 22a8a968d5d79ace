package socket

import "rtrail/internal/recording"

type firewall struct{}

func (f *firewall) close() {}

func (p *Probe) rules(n *namespace, w *recording.Writer) error { return nil }
