package redact

import (
	"slices"
	"strings"
)

// program says how one program takes secrets where a name does not tell. The
// lists hold words with blanks between them.
type program struct {
	names string // as /proc/PID/cmdline has them, without folders; * at the end stands for any rest

	attached string // options with the secret in the same argument only: -pSECRET
	next     string // options with the secret in the same or the next argument
	login    string // the same, with a user in front: -u user:SECRET
	words    string // what follows such a word is secret
	rest     string // everything that follows such a word is
	cluster  string // everything that follows such a letter among options behind one dash is: -nbB
	after    string // only behind one of these words; "" for everywhere
	value    string // behind such a word the values of all NAME=VALUE are secret
	long     bool   // options of one dash may be words: -key is not -k ey
	sql      bool   // arguments with blanks or quotes are SQL
	dsn      bool   // arguments may be h=HOST,p=SECRET
	bare     bool   // arguments may be user/SECRET@database
	stdin    bool   // reads secrets from its standard input, which a script writes there
}

var programs = []program{
	{names: "mysqldump*", attached: "-p", sql: true},
	{names: "mysqladmin mariadb-admin", attached: "-p", words: "password old-password"},
	{names: "mysqld* mariadbd*", attached: "-p"},
	{names: "mysql* mariadb*", attached: "-p", sql: true},
	{names: "sysbench psql pgbench", sql: true},
	{names: "curl", login: "-u --user -U --proxy-user -E --cert", next: "-b --cookie --pass --oauth2-bearer"},
	{names: "http https httpie xh", login: "-a --auth"},
	{names: "ab hey", login: "-A -P -a"},
	{names: "redis-cli valkey-cli keydb-cli", next: "-a --pass", words: "requirepass masterauth", rest: "auth AUTH Auth setuser SETUSER"},
	{names: "redis-server valkey-server", next: "--user"},
	{names: "sshpass", next: "-p"},
	{names: "ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn ldapexop", next: "-w"},
	{names: "ldappasswd", next: "-w -s -a"},
	{names: "openssl", next: "-k -K -hmac -pass -passin -passout -macopt", rest: "passwd", long: true},
	{names: "docker podman nerdctl helm", next: "-p", after: "login"},
	{names: "az", next: "-p --value", after: "login secret"},
	{names: "kubectl oc", next: "-p --patch --from-literal", after: "secret secrets", value: "secret secrets"},
	{names: "consul nomad serf", next: "-encrypt"},
	{names: "mongo", attached: "-p"},
	{names: "mydumper myloader mytop racadm rabbitmqadmin mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop cqlsh twine rdesktop beeline hydra medusa", next: "-p"},
	{names: "sqlcmd bcp isql osql tsql ipmitool mosquitto_pub mosquitto_sub zip unzip", next: "-P"},
	{names: "7z 7za 7zr 7zz rar unrar", attached: "-p -hp"},
	{names: "snmpget snmpwalk snmpbulkwalk snmpbulkget snmpset snmptrap snmptable", next: "-c -A -X"},
	{names: "smbclient rpcclient winexe net smbget", login: "-U --user"},
	{names: "lftp", login: "-u --user"},
	{names: "ncftp ncftpget ncftpput ncftpls useradd usermod", next: "-p"},
	{names: "xfreerdp wlfreerdp", attached: "/p: /pth: /gp:"},
	{names: "sqlplus sqlldr exp imp expdp impdp rman", bare: true},
	{names: "htpasswd", cluster: "b", stdin: true},
	{names: "chpasswd chgpasswd newusers smbpasswd cryptsetup", stdin: true},
	{names: "ssh-keygen", next: "-N -P"},
	{names: "etcdctl", login: "--user", words: "passwd"},
	{names: "etcdctl", rest: "add", after: "user"},
	{names: "pt-*", dsn: true},
	{names: "mosquitto_passwd", cluster: "b"},
	{names: "ansible-vault", rest: "encrypt_string"},
	{names: "pdftk", words: "input_pw user_pw owner_pw"},
	{names: "qpdf", rest: "--encrypt"},
	{names: "pdftotext pdftoppm pdfinfo", next: "-upw -opw"},
	{names: "ipmitool", rest: "password"},
	{names: "ngrok", words: "authtoken add-authtoken"},
	{names: "gh", next: "-b --body", after: "secret"},
	{names: "gitlab-runner", next: "-r"},
	{names: "cargo", words: "login"},
	{names: "heroku", value: "config:set config:add"},
	{names: "pulumi", rest: "--secret"},
	{names: "iwconfig iw", words: "key"},
	{names: "wpa_cli", rest: "psk password wep_key0 identity"},
	{names: "dsconf dsctl dsidm", next: "-w"},
	{names: "rabbitmqctl", rest: "add_user change_password authenticate_user"},
	{names: "vault bao", words: "login unseal unwrap lookup revoke renew rekey", value: "put patch write login"},
	{names: "wpa_passphrase", rest: "wpa_passphrase"},
	{names: "nsupdate dig delv", next: "-y"},
	{names: "nmcli", words: "password psk 802-1x.password wifi-sec.psk 802-11-wireless-security.psk"},
	{names: "aws", next: "--value", after: "put-parameter"},
	{names: "aws npm yarn git", words: "aws_secret_access_key aws_session_token _auth _authToken _password"},
}

// programsOf finds what is known of a program by its path.
func programsOf(path string) []*program {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if name == "" {
		return nil
	}
	if p := byName[name]; p != nil {
		return p
	}
	for i := range beginnings {
		if strings.HasPrefix(name, beginnings[i].begin) {
			return beginnings[i].program
		}
	}
	return nil
}

// byName and beginnings are the programs by their names.
var (
	byName     = map[string][]*program{}
	beginnings []beginning
)

type beginning struct {
	begin   string
	program []*program
}

func init() {
	for i := range programs {
		for name := range strings.FieldsSeq(programs[i].names) {
			if begin, more := strings.CutSuffix(name, "*"); more {
				beginnings = append(beginnings, beginning{begin, []*program{&programs[i]}})
			} else {
				byName[name] = append(byName[name], &programs[i])
			}
		}
	}
}

func listed(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// opens says whether all that follows an argument is secret.
func (p *program) opens(arg string) bool {
	return listed(p.rest, arg) || p.cluster != "" && strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, p.cluster)
}

// option finds arg among options: "" and false if it is none of them. at is where
// a value in the same argument begins; len(arg) if it is the next one.
func (p *program) option(list, arg string) (at int, ok bool) {
	for o := range strings.FieldsSeq(list) {
		switch {
		case arg == o:
			return len(arg), true
		case strings.HasPrefix(o, "--") || len(o) > 2 && strings.HasPrefix(arg, o+"="):
			if strings.HasPrefix(arg, o+"=") {
				return len(o) + 1, true
			}
		case p.long || len(o) != 2:
		case strings.HasPrefix(arg, o):
			return len(o), true
		case len(arg) <= 6 && strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && arg[len(arg)-1] == o[1] && !strings.ContainsAny(arg, "0123456789"):
			return len(arg), true // behind others: curl -sSu
		}
	}
	return 0, false
}
