package redact

import (
	"slices"
	"strings"
	"testing"
)

// marker is the secret in all examples. It has no blank, and nothing that a
// redactor may know it by.
const marker = "h0rse"

// arguments are command lines with a secret, as people type them; | parts
// arguments.
var arguments = []string{
	"mysqladmin|-uroot|password|h0rse",
	"mysqladmin|-h|db|-p'h0rse'|ping",
	"mysql|-uroot|-ph0rse|db",
	"mysql|--password=h0rse",
	"mysql|--password|h0rse|db",
	"mariadb-dump|-ph0rse|db",
	"sudo|-u|app|mysqladmin|password|h0rse",
	"docker|exec|db|mysql|-uroot|-ph0rse",
	"timeout|5|curl|-u|joe:h0rse|http://x/",
	"curl|-ujoe:h0rse|http://x/",
	"curl|-sSu|joe:h0rse|http://x/",
	"curl|--user|joe:h0rse",
	"curl|--user=joe:h0rse",
	"curl|--proxy-user|joe:h0rse|x",
	"curl|-H|Authorization: Bearer h0rse|http://x",
	"curl|-H|Authorization: Basic h0rse",
	"curl|-HAuthorization: token h0rse",
	"curl|-H|X-Api-Key: h0rse",
	"curl|-H|X-Vault-Token: h0rse|x",
	"curl|-H|Cookie: session=h0rse; theme=dark",
	"curl|-b|session=h0rse|x",
	"curl|--cookie|h0rse|x",
	"curl|--oauth2-bearer|h0rse|x",
	"wrk|-s|x|bearer h0rse42",
	`curl|-d|{"user":"joe","password":"h0rse"}|x`,
	`curl|-d|{"user": "joe", "client_secret" : "a h0rse", "a": 1}|x`,
	`curl|-d|{\"password\":\"h0rse\"}|x`,
	"curl|-d|user=joe&password=h0rse&x=1|x",
	"curl|--data-urlencode|password=my h0rse|x",
	"curl|-F|api_key=h0rse|x",
	"curl|https://joe:h0rse@host/x",
	"curl|https://joe:a/h0rse@host/x",
	"curl|https://h0rse@api.example/x",
	"curl|https://x/y?access_token=h0rse&z=1",
	"curl|https://x/y?key=h0rse",
	"curl|https://x/y?a=1&sig=h0rse#top",
	"curl|https://x/y?X-Amz-Signature=h0rse&X-Amz-Credential=h0rse",
	"curl|joe:h0rse@host",
	"wget|--http-password=h0rse|x",
	"wget|--header|Authorization: h0rse",
	"http|-a|joe:h0rse|GET|x",
	"redis-cli|-a|h0rse|ping",
	"redis-cli|-h|x|--pass|h0rse",
	"redis-cli|AUTH|joe|h0rse",
	"redis-cli|config|set|requirepass|h0rse",
	"redis-cli|-u|redis://:h0rse@x:6379/0",
	"redis-server|--requirepass|h0rse",
	"redis-server|--masterauth|h0rse|--port|7",
	"sshpass|-p|h0rse|ssh|x",
	"sshpass|-ph0rse|ssh|x",
	"sshpass|-p|-h0rse|ssh|x",
	"ldapsearch|-x|-D|cn=admin|-w|h0rse|uid=x",
	"ldappasswd|-s|h0rse|x",
	"openssl|rsa|-passin|pass:h0rse|-in|x",
	"openssl|enc|-k|h0rse",
	"openssl|passwd|-1|h0rse",
	"psql|postgres://joe:h0rse@db/x",
	"psql|postgresql://db/x?user=joe&password=h0rse",
	"psql|host=db user=joe password=h0rse dbname=x",
	"psql|host=db user=joe password='a h0rse' dbname=x",
	"env|DB_PASS=h0rse|run",
	"env|DB_PASS=my h0rse|run",
	"env|MYSQL_PWD=h0rse|mysql",
	"env|GITHUB_TOKEN=h0rse|run",
	"env|APP_SECRET=h0rse|run",
	"env|AWS_SECRET_ACCESS_KEY=h0rse|run",
	"docker|run|-e|DB_PASSWORD=h0rse|x",
	"docker|run|-eDB_PASS=h0rse|x",
	"docker|run|--env=DB_PASS=h0rse|x",
	"docker|login|-u|joe|-p|h0rse",
	"java|-Dspring.datasource.password=h0rse|-jar|x",
	"java|-Djavax.net.ssl.keyStorePassword=h0rse",
	"java|-jar|x|jdbc:mysql://db/x?user=joe&password=h0rse",
	"java|-jar|x|jdbc:sqlserver://db;user=joe;password=h0rse;encrypt=true",
	"java|-jar|x|jdbc:oracle:thin:joe/x@db|--db.pass=h0rse",
	"app|--dsn|joe:h0rse@tcp(db:3306)/x",
	"app|--dsn=joe:h0rse@unix(/run/x)/x",
	"app|Server=db;User Id=joe;Pwd=h0rse;",
	"app|DefaultEndpointsProtocol=https;AccountName=x;AccountKey=h0rse==;EndpointSuffix=x",
	"app|amqp://joe:h0rse@mq:5672/",
	"app|mongodb+srv://joe:h0rse@x/",
	"app|--api-key|h0rse",
	"app|--apiKey=h0rse",
	"app|--auth-token=h0rse",
	"app|-password|h0rse",
	"app|--db-pass|h0rse",
	"app|eyJhbGciOi.h0rse.h0rse",
	"app|-----BEGIN RSA PRIVATE KEY-----\nh0rse\n-----END RSA PRIVATE KEY-----",
	"app|ghp_h0rse0123456789abcdef",
	"app|<a><password>h0rse</password></a>",
	"mount|-t|cifs|-o|username=joe,password=h0rse,vers=3|//x/y|/z",
	"kcat|-X|sasl.password=h0rse",
	"git|clone|https://joe:h0rse@host/x.git",
	"git|-c|http.extraHeader=Authorization: Basic h0rse|pull",
	"mongosh|-u|joe|-p|h0rse",
	"sqlcmd|-S|x|-P|h0rse",
	"zip|-P|h0rse|x",
	"7z|x|-ph0rse|x",
	"ipmitool|-U|x|-P|h0rse",
	"snmpwalk|-v2c|-c|h0rse|x",
	"smbclient|-U|joe%h0rse|//x/y",
	"lftp|-u|joe,h0rse|x",
	"sqlplus|joe/h0rse@db",
	"xfreerdp|/u:joe|/p:h0rse",
	"htpasswd|-b|file|joe|h0rse",
	"htpasswd|-bc|file|joe|h0rse",
	"htpasswd|-cmBb|file|joe|h0rse",
	"htpasswd|-n|-bC|10|joe|h0rse",
	"usermod|-p|h0rse|joe",
	"useradd|-m|-p|h0rse|joe",
	"ssh-keygen|-N|h0rse",
	"gpg|--passphrase|h0rse",
	"etcdctl|--user|joe:h0rse|get|x",
	"rabbitmqctl|add_user|joe|h0rse",
	"vault|login|h0rse",
	"nmcli|dev|wifi|connect|x|password|h0rse",
	"aws|configure|set|aws_secret_access_key|h0rse",
	"npm|config|set|//registry/:_authToken=h0rse",
	"dig|-y|hmac-sha256:name:h0rse|x",
	"rtrail|--mysql|joe:h0rse@db:3306",
	"ansible-playbook|-e|ansible_become_pass=h0rse|x.yml",
	"helm|--set|auth.password=h0rse,replicas=3",
	"svn|--password|h0rse|up",
	"mosquitto_sub|-u|x|-P|h0rse",
}

// plainArguments hold no secret and stay as they are.
var plainArguments = []string{
	"sleep|60", "nc|-p80", "psql|-p5432|-h|db", "ssh|-p|22|joe@host", "docker|run|-p|80:80|nginx:1.2@sha256:abcdef0123456789", "curl|http://host:80/mail/joe",
	"tar|-p|x", "ffmpeg|-passlogfile|x", "app|--bypass|x", "app|--password-file=/run/x", "app|token-service:8080", "app|http://auth:9000/x", "app|-v|secrets:/run/secrets",
	"rsync|joe@host:/x|y", "git|clone|git@host:x/y.git", "app|--key=/etc/x.pem", "app|key=value", "java|-Xmx1g|-jar|x", "mkdir|-p|/a/b", "openssl|s_client|-key|x.pem|-connect|h:443",
	"vim|/etc/passwd", "nginx: worker process", "app|a=b;c=d", "app|--time=12:30", "app|[::1]:8080", "unzip|-p|x", "prog|a:b@",
	"htpasswd|-c|file|joe", "htpasswd|--b|file",
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
	for _, a := range arguments {
		words := strings.Split(a, "|")
		for i := range words {
			words[i] = quote(words[i])
		}
		script := strings.Join(words, " ")
		for _, in := range []string{a, "sudo|-n|" + a, "sh|-c|" + script, "bash|-lc|cd /x && " + script + " && echo done", "nohup|sh|-c|exec " + script} {
			if got := CommandLine(line(in)); strings.Contains(got, marker) {
				t.Errorf("%s\nbecame %s", in, got)
			}
		}
		if !strings.Contains(a, " ") {
			if got := CommandLine([]byte(strings.ReplaceAll(a, "|", " "))); strings.Contains(got, marker) {
				t.Errorf("title %s\nbecame %s", a, got)
			}
		}
	}
}

func TestNoSecretOfScriptsSurvives(t *testing.T) {
	for _, s := range scripts {
		for _, in := range []string{"sh\x00-c\x00" + s, "ssh\x00db\x00" + s, "bash\x00-lc\x00cd /x && " + s + "; ls", "sh\x00-c\x00ssh db \"" + strings.ReplaceAll(s, `"`, "'") + `"`} {
			if got := CommandLine([]byte(in)); strings.Contains(got, marker) {
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
		if !slices.ContainsFunc(arguments, func(a string) bool { return f.find.MatchString(strings.ReplaceAll(a, "|", " ")) }) {
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
		"password_length=12":                      "password_length=12",
		"127.0.0.1:3306":                          "127.0.0.1:3306",
		"{port} secret-store:8200":                "{port} secret-store:8200",
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
	for _, a := range arguments {
		for arg := range strings.SplitSeq(a, "|") {
			if once := Text(arg); Text(once) != once {
				t.Errorf("%q: %q, then %q", arg, once, Text(once))
			}
		}
	}
}

func FuzzText(f *testing.F) {
	for _, a := range arguments {
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
