package nearest

import "testing"

func TestFind(t *testing.T) {
	rules := []string{"net/accept-queue-full", "net/syn-flood", "cpu/saturated", "disk/saturated", "diagnose", "doctor"}
	for word, want := range map[string]string{
		"net/acept-queue-full": "net/accept-queue-full",
		"accept-queue-full":    "net/accept-queue-full",
		"cpu/saturatde":        "cpu/saturated",
		"syn-flod":             "net/syn-flood",
		"diagnos":              "diagnose",
		"DOCTOR":               "doctor",
		"queue":                "net/accept-queue-full",
		"xyz":                  "",
		"":                     "",
		"banana-split":         "",
	} {
		if got, _ := Find(word, rules); got != want {
			t.Errorf("Find(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Hint("doctr", rules); got != "; did you mean doctor?" {
		t.Errorf("Hint = %q", got)
	}
	if got := Hint("banana-split", rules); got != "" {
		t.Errorf("Hint = %q, want none", got)
	}
}
