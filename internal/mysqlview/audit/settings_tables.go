package audit

import (
	"math"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// tableSettings are caches of open tables, and files.
var tableSettings = []Setting{
	{
		Name: "table_open_cache", Topic: Tables, Apply: Dynamic,
		Why:  "every session needs a handle of its own for every table it uses; those that are not in the cache are opened",
		Cost: "memory and file descriptors", Advise: adviseTableCache,
	},
	{
		Name: "table_open_cache_instances", Topic: Tables, Apply: Restart, Auto: "by the limit of open files (MariaDB)",
		Why:  "threads are dealt to instances; all threads of an instance share one mutex",
		Cost: "the cache is divided by it; triggers and stored programs are cached once for each",
		With: []string{"table_open_cache"}, Advise: adviseTableInstances,
	},
	{
		Name: "table_definition_cache", Topic: Tables, Apply: Dynamic, Auto: "MySQL: by table_open_cache",
		Why:  "definitions that are not in it are read from files or the dictionary when a table is used",
		Cost: "memory", Advise: adviseDefinitions,
	},
	{
		Name: "metadata_locks_hash_instances", Topic: Tables, Apply: Restart,
		Why:  "how many mutexes guard the metadata locks of all tables; has an effect in MySQL 5.6 only, 5.7.4 and later need none",
		Cost: "memory",
	},
	{
		Name: "open_files_limit", Topic: Tables, Apply: Restart, Auto: "by max_connections, table_open_cache and the limit of the process",
		Why:  "no file can be opened beyond it: tables cannot be opened, connections fail",
		Cost: "none; it has to be allowed (LimitNOFILE of the unit)", Advise: adviseFiles,
	},
	{
		Name: "innodb_open_files", Topic: Tables, Apply: Mixed, Auto: "by table_open_cache",
		Why:  "InnoDB closes table files beyond this number and opens them again on use",
		Cost: "file descriptors",
	},
	{
		Name: "innodb_stats_on_metadata", Topic: Tables, Apply: Dynamic,
		Why:  "on: a look into information_schema or SHOW TABLE STATUS reads pages of every table",
		Cost: "none",
	},
	{
		Name: "innodb_stats_persistent", Topic: Tables, Apply: Dynamic,
		Why:  "off: statistics, and with them plans, change whenever a table is opened",
		Cost: "none known",
	},
	{
		Name: "innodb_file_per_table", Topic: Tables, Apply: Dynamic,
		Why:  "off: all tables share one file that never shrinks",
		Cost: "a file per table",
	},
}

func adviseTableCache(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	if !ok {
		return nil
	}
	a := &Advice{
		Direction: Raise, To: "a value at which Table_open_cache_overflows stops growing", Sure: rule.Likely,
		Pushes: map[string]Direction{openFiles: Raise},
	}
	if _, told := f.gauge("Table_open_cache_overflows"); told {
		overflows := f.grown("Table_open_cache_overflows")
		if overflows/max(f.Window, 1) < reopened {
			return nil // the cache is acquitted, whatever sessions wait in
		}
		a.Evidence = []rule.Text{rule.T("handles did not fit into the cache of %s: %s", unit.Count(size), f.times(overflows))}
		return a
	}
	open, _ := f.gauge("Open_tables")
	if opened := f.rate("Opened_tables"); opened >= reopened && open >= nearLimit*float64(size) {
		a.To = "a value at which Opened_tables stops growing"
		a.Evidence = []rule.Text{rule.T("%s tables were opened a second with %s of %s handles in use", unit.Number(opened), unit.Count(open), unit.Count(size))}
		return a
	}
	return nil
}

// instancesWanted is what the manual names for machines of 16 cores and more.
const instancesWanted = 16

func adviseTableInstances(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	waiting := f.waiting("opening tables")
	overflows, told := f.server.Delta("Table_open_cache_overflows")
	if !ok || n != 1 || waiting < opening || !told || overflows > 0 || f.missing() {
		return nil // others reasons to open tables: the cache is full, or the table does not exist
	}
	return &Advice{
		Direction: Raise, To: unit.Count(instancesWanted).String() + ", with table_open_cache large enough to be divided by it", Sure: rule.Possible,
		Evidence: []rule.Text{
			rule.T("%s sessions at a time were opening tables although none had to be opened: Table_open_cache_overflows did not grow", unit.Number(waiting)),
			rule.T("one mutex serves all threads; rtrail stacks proves it (open_table below __lll_lock_wait)"),
		},
	}
}

// missing says that statements named tables that do not exist, which are
// looked for again each time.
func (f *Facts) missing() bool {
	for _, e := range f.errors {
		if e.Code == 1146 {
			return true
		}
	}
	return false
}

func adviseDefinitions(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	open, told := f.gauge("Open_table_definitions")
	opened := f.rate("Opened_table_definitions")
	if !ok || !told || opened < reopened || open < nearLimit*float64(size) {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "the number of tables", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s definitions were read a second with %s of %s in the cache", unit.Number(opened), unit.Count(open), unit.Count(size))},
	}
}

func adviseFiles(f *Facts, v Value) *Advice {
	limit, ok := v.Int()
	open, told := f.gauge("Open_files")
	innodb, _ := f.gauge("Innodb_num_open_files")
	share := (open + innodb) / float64(limit)
	if !ok || limit <= 0 || !told || share < nearLimit || math.IsNaN(share) {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "twice as many, or more", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("%s of %s files are open", unit.Count(open+innodb), unit.Count(limit))},
		Pushes:   map[string]Direction{openFiles: Raise},
	}
}
