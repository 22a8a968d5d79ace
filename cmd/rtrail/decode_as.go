package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rtrail/internal/nearest"
	"rtrail/internal/packet/engine"
)

// decodeAs is the flag that names what servers on ports speak; it may be given
// several times.
type decodeAs map[uint16]string

const decodeAsName = "decode-as"

func (d *decodeAs) add(f *pflag.FlagSet) {
	f.Var(d, decodeAsName, "protocol of the servers on a port, if the content does not tell: "+strings.Join(engine.Names(), ", ")+"; repeatable")
}

func (d *decodeAs) String() string { return "" }

// Type is what the help calls the value.
func (d *decodeAs) Type() string { return "PORT=PROTO" }

// Set takes a port and its protocol.
func (d *decodeAs) Set(s string) error {
	left, name, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("want PORT=PROTO, as in 8000=postgres; PROTO is one of %s", strings.Join(engine.Names(), ", "))
	}
	port, err := strconv.ParseUint(left, 10, 16)
	if err != nil || port == 0 {
		return fmt.Errorf("%q is no port (1 to 65535)", left)
	}
	for _, known := range engine.Names() {
		if known != name {
			continue
		}
		if other, ok := (*d)[uint16(port)]; ok && other != name {
			return fmt.Errorf("port %d cannot be both %s and %s", port, other, name)
		}
		if *d == nil {
			*d = decodeAs{}
		}
		(*d)[uint16(port)] = name
		return nil
	}
	return fmt.Errorf("%q is no protocol that is decoded%s: there are %s", name, nearest.Hint(name, engine.Names()), strings.Join(engine.Names(), ", "))
}
