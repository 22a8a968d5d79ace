package audit

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"rtrail/internal/view"
)

// The variables of fresh servers without any options. README.md beside them
// says how they were read.
//
//go:embed defaults/*.tsv
var recorded embed.FS

// release is a server whose defaults are known.
type release struct {
	flavor  string
	version string // as far as defaults are the same: 10.11
	exact   string // the one that was asked
	file    string
}

// releases of a flavor are in ascending order.
var releases = []release{
	{"MySQL", "5.6", "5.6.14", "mysql-5.6.tsv"},
	{"MySQL", "5.7", "5.7.21", "mysql-5.7.tsv"},
	{"MySQL", "8.0", "8.0.28", "mysql-8.0.tsv"},
	{"MySQL", "8.4", "8.4.8", "mysql-8.4.tsv"},
	{"MySQL", "9.7", "9.7.4", "mysql-9.7.tsv"},
	{"MariaDB", "10.5", "10.5.23", "mariadb-10.5.tsv"},
	{"MariaDB", "10.11", "10.11.19", "mariadb-10.11.tsv"},
	{"MariaDB", "11.8", "11.8.9", "mariadb-11.8.tsv"},
}

// defaults are those of one or two releases: of the server's own, or of the
// ones around it.
type defaults struct {
	exact   bool // it is the server's own
	sources []release
	values  []map[string]string
}

// Default is what a setting is unless somebody sets it.
type Default struct {
	Value string // "" with known false
	Known bool
	// Of says whose default it is, when the server's own release is not known and
	// the releases around it agree: "5.6 and 9.7". "" for the server's own.
	Of string
	// Either are the defaults of the releases around it, when they differ.
	Either string
}

// differs says that a value is not the default.
func (d Default) differs(value string) bool { return d.Known && !equal(value, d.Value) }

// defaultsFor finds the releases for a server. Percona's server has MySQL's.
func defaultsFor(s *view.MySQLServer) defaults {
	flavor := "MySQL"
	if s.MariaDB() {
		flavor = "MariaDB"
	}
	var below, above *release
	for i := range releases {
		r := &releases[i]
		switch {
		case r.flavor != flavor:
		case sameVersion(s.Version, r.version, 2):
			return load(true, *r)
		case s.AtLeast(numbers(r.version)...):
			below = r
		case above == nil:
			above = r
		}
	}
	var around []release
	for _, r := range []*release{below, above} {
		if r != nil {
			around = append(around, *r)
		}
	}
	return load(false, around...)
}

func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n := 0
		fmt.Sscan(part, &n) // the table above holds numbers only
		list = append(list, n)
	}
	return list
}

func load(exact bool, list ...release) defaults {
	d := defaults{exact: exact, sources: list}
	for _, r := range list {
		b, err := recorded.ReadFile("defaults/" + r.file)
		if err != nil {
			panic(err) // the file is part of the program
		}
		values := map[string]string{}
		for line := range bytes.Lines(b) {
			if name, value, ok := strings.Cut(strings.TrimRight(string(line), "\n"), "\t"); ok {
				values[name] = value
			}
		}
		d.values = append(d.values, values)
	}
	return d
}

// of is the default of a setting. Where the server's own release is not known,
// one on each side must agree.
func (d defaults) of(name string) Default {
	var found []string
	var whose []string
	for i, values := range d.values {
		if v, ok := values[name]; ok {
			found = append(found, v)
			whose = append(whose, d.sources[i].version)
		}
	}
	switch {
	case len(found) == 0:
		return Default{}
	case d.exact:
		return Default{Value: found[0], Known: true}
	case len(found) == 2 && equal(found[0], found[1]):
		return Default{Value: found[0], Known: true, Of: strings.Join(whose, " and ")}
	}
	var parts []string
	for i, v := range found {
		parts = append(parts, v+" in "+whose[i])
	}
	return Default{Either: strings.Join(parts, ", ")}
}

// describe says where the defaults come from.
func (d defaults) describe() string {
	var names []string
	for _, r := range d.sources {
		names = append(names, r.flavor+" "+r.exact)
	}
	switch {
	case len(names) == 0:
		return "not known for this server"
	case d.exact:
		return "read from a fresh " + names[0]
	case len(names) == 1:
		return "this release's own are not known; shown are those of " + names[0]
	}
	return "this release's own are not known; where " + strings.Join(names, " and ") + " agree, theirs is taken"
}
