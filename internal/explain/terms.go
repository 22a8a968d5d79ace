package explain

import "slices"

// term is a word that other tools, files of the kernel, servers and people use, with what
// it means and the entries that answer it, best first.
type term struct {
	words []string // that mean the same, in lower case
	text  string
	ids   []string
}

var terms = slices.Concat(cpuTerms, memoryTerms, diskTerms, networkTerms, counterTerms, captureTerms, serverTerms, databaseTerms, methodTerms)
