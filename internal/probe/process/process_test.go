package process

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// sample reads the recorded tree once.
func sample(t *testing.T) *recording.Recording {
	t.Helper()
	c := census.New("testdata/host")
	t.Cleanup(func() { c.Close() })
	p := New(c)
	t.Cleanup(func() { p.Close() })
	p.page = 4096
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	rec := recording.New(recording.Manifest{})
	w := recording.NewWriter(time.Now())
	if err := p.Sample(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := rec.Commit(w); err != nil {
		t.Fatal(err)
	}
	return rec
}

func TestRecordedProcesses(t *testing.T) {
	const ms = time.Millisecond
	boot := time.Unix(1795223995, 0)
	want := []recording.ProcessSample{
		{
			PID: 1, PPID: 26013, Started: boot.Add(270697 * 10 * ms), Comm: "nginx",
			Cmdline: "nginx: master process nginx -c /etc/nginx/nginx.conf -g daemon off;  --password=***",
			State:   "S", Threads: 1, Cgroup: "/", MemCgroup: "/system.slice/nginx.service", NetNS: 4026531833, Full: true,
			RunTime: 7988406, RunDelay: 1501251, BlockDelay: -1, SwapDelay: -1, Voluntary: 10, Involuntary: 1,
			MinorFaults: 402, MajorFaults: 5, VirtualSize: 10502144, RSS: 1692 << 12, Anon: 936 << 10, File: 5872 << 10, Shmem: 4 << 10,
			ReadChars: 23367, WriteChars: 6, ReadCalls: 26, WriteCalls: 1, ReadBytes: 659456, WriteBytes: 40960,
			OOMScore: -1, OOMAdjust: -1,
		},
		{
			PID: 2, Started: boot.Add(120 * ms), Comm: "kthreadd", Kernel: true, State: "S", Threads: 1, UID: -1,
			RunTime: -2, RunDelay: -2, BlockDelay: -1, SwapDelay: -1, Voluntary: -1, Involuntary: -1,
			OOMScore: -1, OOMAdjust: -1,
			Anon: -1, File: -1, Shmem: -1, Swap: -1, ReadChars: -1, WriteChars: -1, ReadCalls: -1, WriteCalls: -1,
			ReadBytes: -1, WriteBytes: -1, Cancelled: -1,
		},
		{
			PID: 3, PPID: 26013, Started: boot.Add(270697 * 10 * ms), Comm: "redis-server",
			Cmdline: "redis-server unixsocket:/run/redis.sock",
			State:   "S", Threads: 5, Cgroup: "/", MemCgroup: "/system.slice/redis.service", NetNS: 4026531833, Full: true,
			// Sums over the five threads.
			RunTime: 15570968 + 36312 + 12225 + 10455 + 46303, RunDelay: 2764946, BlockDelay: -1, SwapDelay: -1,
			Voluntary: 26, Involuntary: 1,
			MinorFaults: 942, MajorFaults: 5, VirtualSize: 62283776, RSS: 2886 << 12, Anon: 2712 << 10, File: 9136 << 10,
			ReadChars: 41236, WriteChars: 1001, ReadCalls: 55, WriteCalls: 8, ReadBytes: 794624,
			OOMScore: -1, OOMAdjust: -1,
		},
		{
			PID: 4, PPID: 26020, Started: boot.Add(270697 * 10 * ms), Comm: "sleep", State: "Z", Threads: 1, Full: true,
			Cgroup: "/", MemCgroup: "/", OOMScore: -1, OOMAdjust: -1,
			RunTime: -2, RunDelay: -2, BlockDelay: -1, SwapDelay: -1, Voluntary: -2, Involuntary: -2, MinorFaults: 95,
			Anon: -1, File: -1, Shmem: -1, Swap: -1, ReadChars: -1, WriteChars: -1, ReadCalls: -1, WriteCalls: -1,
			ReadBytes: -1, WriteBytes: -1, Cancelled: -1,
		},
	}
	got := recording.Rows[recording.ProcessSample](sample(t))
	ignore := cmpopts.IgnoreFields(recording.ProcessSample{}, "At")
	// -2 stands for any number that was read.
	anyNumber := func(a, b int64) bool { return a == b || a == -2 && b >= 0 || b == -2 && a >= 0 }
	duration := cmp.Comparer(func(a, b time.Duration) bool { return anyNumber(int64(a), int64(b)) })
	count := cmp.Comparer(func(a, b int64) bool { return anyNumber(a, b) })
	if diff := cmp.Diff(want, got, ignore, duration, count, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRecordedLimits(t *testing.T) {
	got := recording.Rows[recording.LimitSample](sample(t))
	limits := recording.LimitSample{
		FilesSoft: 20000, FilesHard: 20000, ProcsSoft: 96365, LockedSoft: 8388608, StackSoft: 8388608, AddressSoft: math.MaxInt64,
	}
	nginx, redis := limits, limits
	nginx.PID, nginx.Files = 1, 9
	redis.PID, redis.Files = 3, 9
	sortByPID := cmpopts.SortSlices(func(a, b recording.LimitSample) bool { return a.PID < b.PID })
	if diff := cmp.Diff([]recording.LimitSample{nginx, redis}, got, cmpopts.IgnoreFields(recording.LimitSample{}, "At"), sortByPID); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCgroups(t *testing.T) {
	tests := []struct{ name, text, cpu, memory string }{
		{"v2", "0::/system.slice/nginx.service\n", "/system.slice/nginx.service", "/system.slice/nginx.service"},
		{"v1", "4:memory:/a\n3:cpu,cpuacct:/b\n1:name=systemd:/c\n", "/b", "/a"},
		{"hybrid", "2:memory:/a\n1:cpu:/b\n0::/c\n", "/b", "/a"},
		{"hybrid without memory", "1:cpu:/b\n0::/c\n", "/b", "/c"},
		{"a colon in the path", "0::/docker/a:b\n", "/docker/a:b", "/docker/a:b"},
		{"nothing", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if cpu, memory := Cgroups([]byte(test.text)); cpu != test.cpu || memory != test.memory {
				t.Errorf("got %q and %q, want %q and %q", cpu, memory, test.cpu, test.memory)
			}
		})
	}
}

func TestCmdline(t *testing.T) {
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
		if got := Cmdline([]byte(test.in)); got != test.want {
			t.Errorf("Cmdline(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzCmdline(f *testing.F) {
	f.Add([]byte("mysql\x00-psecret\x00"))
	f.Add([]byte("sh\x00-c\x00mariadb -Nse\"select 'x'\" -w a=5; psql -c 'do"))
	f.Add([]byte("a\x00--password\x00b\x00http://x:y@z?token=1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := Cmdline(b); len(got) > maxCmdline {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func FuzzParsers(f *testing.F) {
	f.Add([]byte("Uid:\t0\t0\t0\t0\nRssAnon:\t  936 kB\nvoluntary_ctxt_switches:\t10\n"))
	f.Add([]byte("rchar: 23367\nread_bytes: 659456\n"))
	f.Add([]byte("Max open files            20000                unlimited            files\n"))
	f.Add([]byte("4:memory:/a\n0::/\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var row recording.ProcessSample
		parseStatus(&row, b)
		parseIO(&row, b)
		if l := ParseLimits(b); l.FilesSoft < recording.Unknown {
			t.Errorf("negative limit %+v", l)
		}
		Cgroups(b)
		parseTaskstats(b)
	})
}
