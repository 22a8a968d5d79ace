package redact

import (
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"sleep\x0060\x00", "sleep 60"},
		{"mysql\x00-uroot\x00-psecret\x00db\x00", "mysql -uroot -p*** db"},
		{"/usr/bin/mysqldump\x00--password=secret\x00", "/usr/bin/mysqldump --password=***"},
		{"mysql\x00-p\x00db\x00", "mysql -p db"},
		{"nc\x00-p80\x00", "nc -p80"},
		{"app\x00--api-token\x00abc\x00-v\x00", "app --api-token *** -v"},
		{"app\x00--token\x00--verbose\x00", "app --token --verbose"},
		{"mariadb\x00-e\x00update orders set note='VICTIM' where id = 7\x00", "mariadb -e UPDATE orders SET note = ? WHERE id = ?"},
		{"sysbench\x00--q=SELECT c FROM t WHERE n = 'x'\x00run\x00", "sysbench --q=SELECT c FROM t WHERE n = ? run"},
		{"sh\x00-c\x00mariadb -e \"select * from t where n = 'x'\" | wc -l 5\x00", "sh -c mariadb -e \"SELECT * FROM t WHERE n = ?\" | wc -l 5"},
		{"sh\x00-c\x00create-users 3 4\x00", "sh -c create-users 3 4"},
		{"mariadb\x00-eselect 'Geheim', sleep(5)\x00", "mariadb -eSELECT ?, SLEEP(?)"},
		{"mariadb\x00-Nse\x00begin; update t set c='Geheim'\x00db\x00", "mariadb -Nse BEGIN; UPDATE t SET c = ? db"},
		{"mariadb\x00-Nseset @a='Geheim'\x00", "mariadb -NseSET @a = ?"},
		{"mysql\x00-e\x00set @a='Geheim'; select @a\x00-uweb\x00-hdb1.example\x00", "mysql -e SET @a = ?; SELECT @a -uweb -hdb1.example"},
		{"mysql\x00-edo\x00-Ddb\x00", "mysql -eDO -Ddb"},
		{"mysql\x00-eselect password('Geheim')\x00", "mysql -eSELECT password(?)"},
		{"mysql\x00--init-command=set @x='Geheim'\x00", "mysql --init-command=SET @x = ?"},
		{"mysqldump\x00--where=name=\"Geheim\"\x00db\x00t\x00", "mysqldump --where=NAME = ? db t"},
		{"mysqldump\x00-w\x00id=4711\x00db\x00t\x00", "mysqldump -w ID = ? db t"},
		{"perl\x00/usr/bin/pt-archiver\x00--where\x00name='Geheim'\x00--limit\x0010\x00", "perl /usr/bin/pt-archiver --where NAME = ? --limit 10"},
		{"psql\x00-c\x00do $$ begin perform 'Geheim'; end $$\x00", "psql -c DO $$ begin perform ? ; END $$"},
		{"sh\x00-c\x00mysqldump --where=name=\"Geheim\" db && echo \"done 5\"\x00", "sh -c mysqldump --where=NAME = ? db && echo \"done 5\""},
		{"bash\x00-c\x00mariadb -Nse \"begin; update t set c='Geheim'\" db; ls -e 5\x00", "bash -c mariadb -Nse \"BEGIN; UPDATE t SET c = ?\" db; ls -e 5"},
		{"bash\x00-c\x00mariadb -e\"do sleep(5), 'Geheim'\"\x00", "bash -c mariadb -e\"DO SLEEP(?), ?\""},
		{"sh\x00-c\x00set -e; mysql -pGeheim db <\"my file\"\x00", "sh -c set -e; mysql -p*** db < ?"},
		{"app\x00--password=my pass\x00-v\x00", "app --password=*** -v"},
		{"mysql\x00--password=my pass\x00-pmy pass\x00db\x00", "mysql --password=*** -p*** db"},
		{"mysqld\x00--datadir=/var/lib/my data\x00", "mysqld --datadir=/var/lib/my data"},
		{"select\x001\x00", "select 1"},
		{"curl\x00https://joe:pw@host/x?token=abc&y=1\x00", "curl https://joe:***@host/x?token=***&y=1"},
		{"env\x00DB_PASSWORD=x\x00run\x00", "env DB_PASSWORD=*** run"},
		{"postgres: writer process   ", "postgres: writer process   "},
		{"psql\x00postgres://u:p%40q@h:5432/db\x00", "psql postgres://u:***@h:5432/db"},
		{"sh\x00-c\x00sleep 8; mysql -ulab -pHUNTER2 -h db && nc -p80 x\x00", "sh -c sleep 8; mysql -ulab -p*** -h db && nc -p80 x"},
		{"bash\x00-c\x00ssh db 'mysqladmin -p\"a b\" status' | grep -p x\x00", "bash -c ssh db 'mysqladmin -p*** status' | grep -p x"},
		{"sh\x00-c\x00MYSQL_PWD=\"a b\" mysql; app --token abc -v\x00", "sh -c MYSQL_PWD=*** mysql; app --token *** -v"},
		{"sh\x00-c\x00mysql -p'open\x00", "sh -c mysql -p***"},
		{"echo\x00a  b\tc\x00", "echo a  b c"},
		{"java\x00" + strings.Repeat("x", 300), "java " + strings.Repeat("x", 248) + "…"},
		{"", ""},
		{"\x00\x00", ""},
	}
	for _, test := range tests {
		if got := CommandLine([]byte(test.in)); got != test.want {
			t.Errorf("CommandLine(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzCommandLine(f *testing.F) {
	f.Add([]byte("mysql\x00-psecret\x00"))
	f.Add([]byte("sh\x00-c\x00mariadb -Nse\"select 'x'\" -w a=5; psql -c 'do"))
	f.Add([]byte("a\x00--password\x00b\x00http://x:y@z?token=1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := CommandLine(b); len(got) > maxCmdline {
			t.Errorf("%d bytes", len(got))
		}
	})
}
