package shelltest

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"rtrail/internal/escape"
)

// Marker stands in harmless names where hostile ones have what could do harm.
const Marker = "zqz"

// dialects of shells that people paste into: POSIX knows no $'...'.
var dialects = []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX, syntax.LangZsh}

// Same says what differs, but for texts, between a command with harmless names,
// which hold the Marker, and the same with hostile ones, which hold a payload in its
// place: an error if a shell, or who reads a language within, takes the payload
// for anything else than a part of a name.
func Same(harmless, hostile, payload string) error {
	if strings.ContainsFunc(hostile, escape.Hidden) {
		return fmt.Errorf("it holds what does not print: %q", hostile)
	}
	for _, d := range dialects {
		if err := same(harmless, hostile, payload, d); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	return nil
}

// Equal says what differs between two commands for a shell.
func Equal(a, b string) error {
	for _, d := range dialects {
		if err := same(a, b, "", d); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	return nil
}

// Parses says whether every shell can read a command.
func Parses(command string) error {
	for _, d := range dialects {
		if _, err := parse(command, d); err != nil {
			return fmt.Errorf("%v: %w", d, err)
		}
	}
	return nil
}

func same(harmless, hostile, payload string, d syntax.LangVariant) error {
	want, err := parse(harmless, d)
	if err != nil {
		return err
	}
	got, err := parse(hostile, d)
	if err != nil {
		return err
	}
	if got.form != want.form {
		return fmt.Errorf("it is %q, with harmless names %q", got.form, want.form)
	}
	for i, w := range want.words {
		if err := w.same(got.words[i], payload, d); err != nil {
			return err
		}
	}
	return nil
}

// same compares a word with what became of it.
func (w word) same(hostile word, payload string, d syntax.LangVariant) error {
	if w.value == hostile.value {
		return nil
	}
	if hostile.unknown {
		return nil // one word it is, and that is all
	}
	if strings.HasPrefix(hostile.value, "-") && !strings.HasPrefix(w.value, "-") && !hostile.guarded {
		return fmt.Errorf("%q would be an option", hostile.value)
	}
	switch in := w.language(); in {
	case "":
	case "shell":
		return same(w.value, hostile.value, payload, d)
	case "program":
		return fmt.Errorf("%q holds a name, and is a program", hostile.value)
	default:
		for _, read := range languages[in] {
			want, err := read.mask(w.value)
			if err != nil {
				return fmt.Errorf("%s: %w", in, err)
			}
			got, err := read.mask(hostile.value)
			if err != nil {
				return fmt.Errorf("%s: %w", in, err)
			}
			if got != want {
				return fmt.Errorf("%s: it is %q, with harmless names %q", in, got, want)
			}
		}
		return nil
	}
	if full := strings.ReplaceAll(w.value, Marker, payload); hostile.value != full && hostile.value != "./"+full {
		return fmt.Errorf("it is %q, and should be %q", hostile.value, full)
	}
	return nil
}

// language is what a word is written in; "" for a word that is only a name.
func (w word) language() string {
	if len(w.before) == 0 {
		return ""
	}
	last := w.before[len(w.before)-1]
	runs := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(w.before, n) })
	}
	switch {
	case runs("sh", "bash") && last == "-c", runs("watch", "ssh", "eval") && strings.Contains(w.value, " "):
		return "shell"
	case runs("mysql", "mariadb") && last == "-e":
		return "SQL"
	case runs("tshark", "wireshark") && last == "-Y":
		return "display filter"
	case runs("rtrail") && last == "--filter":
		return "expression"
	case runs("nft") && strings.Contains(w.value, " "):
		return "nft"
	case runs("awk", "sed", "jq", "perl", "python3", "bpftrace") && w.before[len(w.before)-1] != "-p", last == "-ex":
		return "program"
	}
	return ""
}
