package redact

import (
	"slices"
	"strings"
	"testing"

	"rtrail/internal/redact/redacttest"
)

// plainArguments hold no secret and stay as they are.
var plainArguments = []string{
	"sleep|60", "nc|-p80", "psql|-p5432|-h|db", "ssh|-p|22|joe@host", "docker|run|-p|80:80|nginx:1.2@sha256:abcdef0123456789", "curl|http://host:80/mail/joe",
	"tar|-p|x", "ffmpeg|-passlogfile|x", "app|--bypass|x", "app|--password-file=/run/x", "app|token-service:8080", "app|http://auth:9000/x", "app|-v|secrets:/run/secrets",
	"rsync|joe@host:/x|y", "git|clone|git@host:x/y.git", "app|--key=/etc/x.pem", "app|key=value", "java|-Xmx1g|-jar|x", "mkdir|-p|/a/b", "openssl|s_client|-key|x.pem|-connect|h:443",
	"vim|/etc/passwd", "nginx: worker process", "app|a=b;c=d", "app|--time=12:30", "app|[::1]:8080", "unzip|-p|x", "prog|a:b@",
	"htpasswd|-c|file|joe", "htpasswd|--b|file",
	"app|PUBLIC_KEY=abc", "app|SSH_KEY=/etc/x.pem", "app|[\"--verbose\",\"x\"]", "app|x=[a,b]", "date|+%Y%m%d", "curl|http://x/y?a=%2Fb%20c&code", "app|https://x/?page=3",
	"docker|run|-p|80:80|x", "kubectl|get|pods|-p|x", "git|config|set|user.name|joe", "pt-query-digest|h=x,P=3306", "redis-cli|config|get|maxmemory", "az|vm|list|--value|x",
	"app|{\"name\":\"user\",\"value\":\"joe\"}", "app|(\"user\", \"joe\")", "gh|pr|create|--body|x", "vault|kv|get|a=b", "perl|-e|f(\"a\",\"b\")",
}

// scripts write a secret to the standard input of a program.
var scripts = []string{
	"echo joe:h0rse | chpasswd",
	"echo joe:h0rse|chpasswd",
	`echo "joe:h0rse" | sudo -n /usr/sbin/chpasswd -e && echo done`,
	`echo 'joe:h0rse'|chpasswd -c SHA512`,
	`printf 'joe:%s\n' 'my h0rse' | docker exec -i x chpasswd; ls`,
	"chpasswd <<< joe:h0rse",
	"chpasswd <<<'joe:my h0rse'",
	"chpasswd <<EOF\njoe:h0rse\nann:h0rse\nEOF",
	"cd /x; (echo h0rse; echo h0rse) | passwd joe",
	"echo -e \"h0rse\\nh0rse\" | passwd joe",
	"echo joe:h0rse |\n  chpasswd",
	"echo h0rse | sudo -S ls",
	"echo h0rse | docker login -u joe --password-stdin",
	"echo h0rse | tee /x | cryptsetup luksOpen /dev/x y",
}

// plainScripts do not.
var plainScripts = []string{
	"echo joe:staff | sort && chpasswd", "echo a:b; chpasswd -e", "cat <<< a:b", "echo chpasswd", "echo 'a | chpasswd'", "echo a b | wc -l",
}

func line(arguments string) []byte {
	return []byte(strings.ReplaceAll(arguments, "|", "\x00") + "\x00")
}

// No secret of any form survives, as arguments of its program, below sudo, in a
// script of a shell, and as a title that the program set itself.
func TestNoSecretSurvives(t *testing.T) {
	quote := func(s string) string {
		if strings.ContainsAny(s, "\"\\") {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		if strings.ContainsAny(s, " &;|'()<>\n*?") {
			return `"` + s + `"`
		}
		return s
	}
	for _, a := range redacttest.CommandLines {
		words := strings.Split(a, "|")
		for i := range words {
			words[i] = quote(words[i])
		}
		script := strings.Join(words, " ")
		for _, in := range []string{a, "sudo|-n|" + a, "sh|-c|" + script, "bash|-lc|cd /x && " + script + " && echo done", "nohup|sh|-c|exec " + script} {
			if got := CommandLine(line(in)); strings.Contains(got, redacttest.Marker) {
				t.Errorf("%s\nbecame %s", in, got)
			}
		}
		if !strings.Contains(a, " ") {
			if got := CommandLine([]byte(strings.ReplaceAll(a, "|", " "))); strings.Contains(got, redacttest.Marker) {
				t.Errorf("title %s\nbecame %s", a, got)
			}
		}
	}
}

func TestNoSecretOfScriptsSurvives(t *testing.T) {
	for _, s := range scripts {
		for _, in := range []string{"sh\x00-c\x00" + s, "ssh\x00db\x00" + s, "bash\x00-lc\x00cd /x && " + s + "; ls", "sh\x00-c\x00ssh db \"" + strings.ReplaceAll(s, `"`, "'") + `"`} {
			if got := CommandLine([]byte(in)); strings.Contains(got, redacttest.Marker) {
				t.Errorf("%q\nbecame %s", in, got)
			}
		}
	}
}

func TestPlainArgumentsStay(t *testing.T) {
	for _, s := range plainScripts {
		if got := CommandLine([]byte("sh\x00-c\x00" + s)); got != "sh -c "+s {
			t.Errorf("%s became %s", s, got)
		}
	}
	for _, a := range plainArguments {
		if got, want := CommandLine(line(a)), strings.ReplaceAll(a, "|", " "); got != want {
			t.Errorf("%s became %s", want, got)
		}
	}
}

// Every form and every program has an example.
func TestFormsHaveExamples(t *testing.T) {
	for _, f := range forms {
		if !slices.ContainsFunc(redacttest.CommandLines, func(a string) bool { return f.find.MatchString(strings.ReplaceAll(a, "|", " ")) }) {
			t.Errorf("%s: no example", f.what)
		}
	}
}

// TestNumbers tells numbers that are secrets from ports and other numbers.
func TestNumbers(t *testing.T) {
	for in, want := range map[string]string{
		`{"password": 12345}`:                     `{"password": ***}`,
		`{"password":12345}`:                      `{"password":***}`,
		`{"password":12345,"port":3306}`:          `{"password":***,"port":3306}`,
		`{"a":{"pin":1234},"b":[{"token":7}]}`:    `{"a":{"pin":***},"b":[{"token":***}]}`,
		`{\"password\":12345}`:                    `{\"password\":***}`,
		`{user:joe,token:12345}`:                  `{user:joe,token:***}`,
		`'secret':12345`:                          `'secret':***`,
		`{"secret":-1.5}`:                         `{"secret":***}`,
		"password:3306":                           "password:***",
		"db_password:3306":                        "db_password:***",
		"pin:1234":                                "pin:***",
		"apiToken:12345":                          "apiToken:***",
		"X-Auth-Token:12345":                      "X-Auth-Token:***",
		"x-auth-token:12345":                      "x-auth-token:***",
		"token:70000":                             "token:***",
		"token:0123":                              "token:***",
		"password=3306":                           "password=***",
		"redis://:12345@cache:6379":               "redis://:***@cache:6379",
		"mysql://joe:3306@db:3306/x":              "mysql://joe:***@db:3306/x",
		"token-service:8080":                      "token-service:8080",
		"http://auth:9000/x":                      "http://auth:9000/x",
		"token.example.com:443,auth.example:8443": "token.example.com:443,auth.example:8443",
		"--token-port=8080":                       "--token-port=8080",
		`{"port":3306,"token_ttl":60}`:            `{"port":3306,"token_ttl":60}`,
		"password:\nport: 5":                      "password:\nport: 5",
		"password_length=12":                      "password_length=12",
		"a:\n  password: |\n    h0rse\n    h0rse\n  port: 5": "a:\n  password: |\n    ***\n  port: 5",
		"password: >-\n  h0rse\n\n  h0rse\nport: 5":          "password: >-\n  ***\nport: 5",
		"password:\n- h0rse\n- h0rse\nport: 5":               "password:\n***\nport: 5",
		"https://x/y?q=password%3D12345%26port%3D5":          "https://x/y?q=password%3D***%26port%3D5",
		"127.0.0.1:3306":           "127.0.0.1:3306",
		"{port} secret-store:8200": "{port} secret-store:8200",
	} {
		if got := Text(in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"app|--password|12345":   "app --password ***",
		"app|--pin|1234":         "app --pin ***",
		"app|--token-port|8080":  "app --token-port 8080",
		"curl|-u|joe:8080|x:80":  "curl -u joe:*** x:80",
		"mysql|-p3306|-P3306":    "mysql -p*** -P3306",
		"redis-cli|-a|6379|ping": "redis-cli -a *** ping",
	} {
		if got := CommandLine(line(in)); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestTextIsStable(t *testing.T) {
	for _, a := range redacttest.CommandLines {
		for arg := range strings.SplitSeq(a, "|") {
			if once := Text(arg); Text(once) != once {
				t.Errorf("%q: %q, then %q", arg, once, Text(once))
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, a := range redacttest.CommandLines {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := Text(s); len(got) > 4*len(s)+16 {
			t.Errorf("%d bytes became %d", len(s), len(got))
		}
		CommandLine([]byte(s))
	})
}

func BenchmarkCommandLine(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		CommandLine([]byte("/usr/sbin/nginx\x00-c\x00/etc/nginx/nginx.conf\x00-g\x00daemon off;\x00"))
	}
}

func TestSetting(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"report_password", "h0rse", Mask},
		{"report_password", "123456", Mask},
		{"report_password", "", ""},
		{"authentication_ldap_simple_bind_root_pwd", "h0rse", Mask},
		{"wsrep_sst_auth", "u:h0rse", Mask},
		{"s3_access_key", "h0rse", Mask},
		{"default_password_lifetime", "360", "360"},
		{"innodb_ft_min_token_size", "3", "3"},
		{"old_passwords", "0", "0"},
		{"disconnect_on_expired_password", "ON", "ON"},
		{"caching_sha2_password_private_key_path", "private_key.pem", "private_key.pem"},
		{"init_connect", "set @token='h0rse'", "set @token='***'"},
		{"max_connections", "151", "151"},
	} {
		if got := Setting(test.name, test.value); got != test.want {
			t.Errorf("%s=%s became %s, want %s", test.name, test.value, got, test.want)
		}
	}
}

// Headers without a blank, in variables of CGI, and tokens whose issuers are known.
func TestHeadersAndTokensInText(t *testing.T) {
	for _, text := range []string{
		"Authorization:Basic h0rseh0rse", "authorization:\tBasic h0rseh0rse", "AUTHORIZATION:Digest username=joe, response=h0rse",
		"HTTP_AUTHORIZATION=Basic h0rseh0rse", "'authorization' => 'Token h0rseh0rse'", "Cookie:a=1; sid=h0rse",
		"github_pat_11ABCDEFG0h0rse0123456789", "xapp-1-A0123456789-h0rse0123",
	} {
		if got := Text(text); strings.Contains(got, redacttest.Marker) {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"authorization = required by the proxy", "git clone github.com/x/y"} {
		if got := Text(text); strings.Contains(got, "proxy") != strings.Contains(text, "proxy") || strings.Contains(got, "clone") != strings.Contains(text, "clone") {
			t.Errorf("%q became %q", text, got)
		}
	}
}
