// Package redact takes secrets and literals out of text that comes from
// outside: command lines, errors of servers, settings. It is used where such
// text enters a recording or a table, so that nothing that prints, stores or
// sends evidence ever has them.
//
// What counts as a secret is data: the names below, the forms of text in
// forms.go and the programs in programs.go.
package redact

import (
	"net/url"
	"slices"
	"strings"
)

// Mask stands for a secret.
const Mask = "***"

// secretParts make a name that of a secret wherever they stand in it, lower
// case and without what parts words.
var secretParts = []string{"password", "passwd", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "accesskey", "privatekey", "authkey",
	"encryptionkey", "signingkey", "masterkey", "accountkey", "sharedkey", "licensekey", "credential", "authorization", "cookie", "signature",
	"sessionid", "sessid", "masterauth", "certificatekey", "mnemonic", "seedphrase",
	"passwort", "kennwort", "motdepasse", "contraseña", "contrasena", "wachtwoord", "пароль"}

// secretWords make a name that of a secret as its last word.
var secretWords = []string{"pass", "passin", "passout", "pw", "psk", "pas", "passw", "passwo", "passwor", "auth", "cred", "creds", "sig", "sas", "pin", "otp", "jwt"}

// places end names of files and of commands that hold or ask for secrets.
var places = []string{"file", "path", "dir", "prompt", "stdin"}

// measures end names of numbers about secrets: token_port, password-length.
var measures = []string{"port", "ports", "timeout", "ttl", "lifetime", "length", "count"}

// isSecret says whether the value of an option, variable, header or field with
// this name is a secret.
func isSecret(name string) bool {
	if strings.Contains(name, "%") {
		if clear, err := url.PathUnescape(name); err == nil {
			name = clear
		}
	}
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("-_.:/$%[]@", r) })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if slices.Contains(places, last) || slices.Contains(measures, last) {
		return false
	}
	joined := strings.Join(words, "")
	if slices.ContainsFunc(secretParts, func(part string) bool { return strings.Contains(joined, part) }) {
		return true
	}
	return slices.Contains(secretWords, last) || strings.HasSuffix(last, "pass") && !strings.HasSuffix(last, "bypass") && !strings.HasSuffix(last, "compass") ||
		strings.HasSuffix(last, "pw")
}

// empty are values that tell whether there is a secret, or stand for one.
var empty = []string{"", Mask, "?", "yes", "no", "true", "false", "on", "off", "null", "none"}

func isEmpty(value string) bool {
	return slices.Contains(empty, strings.ToLower(strings.TrimRight(value, "),.;]}")))
}

// Setting hides the value of a setting whose name is that of a secret. Switches
// stay, and so do numbers unless the last word is the secret: default_password_lifetime
// has one, report_password may be one. Other values lose the secrets within.
func Setting(name, value string) string {
	last := name[strings.LastIndexAny(name, "_-.")+1:]
	number := strings.Trim(value, "0123456789") == "" && (len(value) == 1 || !isSecret(last))
	if isSecret(name) && !number && !isEmpty(value) {
		return Mask
	}
	return Text(value)
}
