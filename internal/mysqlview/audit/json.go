package audit

type jsonReport struct {
	Server   string      `json:"server"`
	Flavor   string      `json:"flavor"`
	Version  string      `json:"version"`
	Window   float64     `json:"window_s"` // in which the server answered
	Silent   string      `json:"silent"`   // when and how it stopped answering; "" if it did not
	Defaults string      `json:"defaults"`
	Settings []jsonEntry `json:"settings"`
	Notes    []string    `json:"notes"`
}

type jsonEntry struct {
	Name      string      `json:"name"`
	Topic     Topic       `json:"topic"`
	Value     string      `json:"value"`               // as the server writes it
	Default   *string     `json:"default"`             // null: not known
	DefaultOf string      `json:"default_of"`          // releases around the server's own; "": its own
	Sized     string      `json:"sized_by_server"`     // how; "": it has a plain default
	Differs   bool        `json:"differs"`             // from the default
	Why       string      `json:"why"`                 //
	Cost      string      `json:"cost"`                //
	Applies   string      `json:"applies"`             // dynamic, restart
	Withheld  string      `json:"withheld"`            // why a recommendation is not given; "" without one
	Advice    *jsonAdvice `json:"advice"`              // null: no evidence
	Together  []string    `json:"judge_with,omitzero"` // settings that belong to it
}

type jsonAdvice struct {
	Direction  string   `json:"direction"` // raise, lower, change
	To         string   `json:"to"`
	Confidence string   `json:"confidence"` // possible, likely, certain
	Evidence   []string `json:"evidence"`
}

// Result is what JSON has of a report.
func (r *Report) Result() any {
	doc := jsonReport{Server: r.Server, Flavor: r.Flavor, Version: r.Version, Window: r.Facts.Window, Silent: r.Facts.Silent, Defaults: r.Defaults,
		Settings: []jsonEntry{}, Notes: append([]string{}, r.Notes...)}
	for i := range r.Entries {
		e := &r.Entries[i]
		j := jsonEntry{Name: e.Name, Topic: e.Setting.Topic, Value: e.Value, DefaultOf: e.Default.Of, Sized: e.Setting.Auto, Differs: e.Differs,
			Why: e.Setting.Why, Cost: e.Setting.Cost, Applies: e.Applies(r.Facts), Withheld: e.Withheld.String(), Together: e.Setting.With}
		if e.Default.Known {
			j.Default = &e.Default.Value
		}
		if a := e.Advice; a != nil {
			j.Advice = &jsonAdvice{Direction: directions[a.Direction], To: a.To, Confidence: a.Sure.String()}
			for _, t := range a.Evidence {
				j.Advice.Evidence = append(j.Advice.Evidence, t.String())
			}
		}
		doc.Settings = append(doc.Settings, j)
	}
	return doc
}
