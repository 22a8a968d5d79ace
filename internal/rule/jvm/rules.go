// Package jvm judges Java virtual machines, as dumps of their threads show them.
package jvm

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this domain.
var Rules = rule.WithPages(pages, deadlock)
