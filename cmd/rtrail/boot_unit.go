package main

import _ "embed"

// bootUnit is the systemd unit of a recorder that starts at boot.
//
//go:embed rtrail.service
var bootUnit string
