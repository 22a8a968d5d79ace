package innodb

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// old are parts of texts in the forms of servers that cannot be run here,
// written after their sources (srv0srv.c, sync0arr.c, sync0arr.cc, lock0lock.c).
var old = map[string]string{
	"MySQL 5.1": `=====================================
120326 10:12:13 INNODB MONITOR OUTPUT
=====================================
Per second averages calculated from the last 9 seconds
----------
SEMAPHORES
----------
OS WAIT ARRAY INFO: reservation count 13569, signal count 11421
--Thread 1152170336 has waited at ./../include/buf0buf.ic line 630 for 0.00 seconds the semaphore:
Mutex at 0x2a957858b8 created file buf0buf.c line 517, lock var 0
waiters flag 0
Mutex spin waits 5672442, rounds 3899888, OS waits 4719
RW-shared spins 5920, OS waits 2918; RW-excl spins 3463, OS waits 3163
------------
TRANSACTIONS
------------
Trx id counter 0 80157601
Purge done for trx's n:o < 0 80154573 undo n:o < 0 0
History list length 6
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 0 0, not started, process no 3396, OS thread id 1152440672
MySQL thread id 8080, query id 728900 localhost root
show innodb status
---TRANSACTION 0 80157600, ACTIVE 4 sec, process no 3396, OS thread id 1148250464, thread declared inside InnoDB 442
mysql tables in use 1, locked 0
MySQL thread id 8079, query id 728899 db-client.example 10.0.0.7 webapp Sending data
select sql_calc_found_rows * from b limit 5
Trx read view will not see trx with id >= 0 80157601, sees < 0 80157597
---
LOG
---
Log sequence number 84 3000620880
Log flushed up to   84 3000611265
Last checkpoint at  84 2939889199
0 pending log writes, 0 pending chkp writes
14073669 log i/o's done, 10.90 log i/o's/second
----------------------
BUFFER POOL AND MEMORY
----------------------
Total memory allocated 4648979546; in additional pool allocated 16773888
Buffer pool size   262144
Free buffers       0
Database pages     258053
Modified db pages  37491
Pending reads 0
Pending writes: LRU 0, flush list 3, single page 1
Pages read 57973114, created 251137, written 10761167
9.79 reads/s, 0.31 creates/s, 6.00 writes/s
Buffer pool hit rate 999 / 1000
----------------------------
END OF INNODB MONITOR OUTPUT
============================
`,
	"MySQL 5.7": `
=====================================
2019-03-04 05:06:07 0x7f8b2c0f9700 INNODB MONITOR OUTPUT
=====================================
Per second averages calculated from the last 20 seconds
----------
SEMAPHORES
----------
OS WAIT ARRAY INFO: reservation count 100
OS WAIT ARRAY INFO: reservation count 23
--Thread 140235611924224 has waited at trx0trx.ic line 171 for 241.50 seconds the semaphore:
Mutex at 0x2d37668, Mutex TRX_SYS created trx0sys.cc:589, locked by 140235611112233, lock var 1

--Thread 140235611924999 has waited at dict0dict.cc line 1212 for 17.00 seconds the semaphore:
X-lock (wait_ex) on RW-latch at 0x1e7c8a8 '&dict_operation_lock'
a writer (thread id 140235600000001) has reserved it in mode  wait exclusive
number of readers 1, waiters flag 1, lock_word: ffffffffffffffff
Last time read locked in file row0purge.cc line 862
Last time write locked in file /build/mysql-5.7.25/storage/innobase/row/row0mysql.cc line 4340
OS WAIT ARRAY INFO: signal count 90
OS WAIT ARRAY INFO: signal count 21
RW-shared spins 0, rounds 47, OS waits 23
RW-excl spins 0, rounds 61, OS waits 2
RW-sx spins 1, rounds 30, OS waits 1
------------
TRANSACTIONS
------------
Trx id counter 12345
Purge done for trx's n:o < 12340 undo n:o < 0 state: running but idle
History list length 2712345
---TRANSACTION 12344, ACTIVE (PREPARED) 3 sec committing
1 lock struct(s), heap size 1136, 0 row lock(s), undo log entries 17
MySQL thread id 5, OS thread handle 140235, query id 12 Waiting for an event from Coordinator
TABLE LOCK table ` + "`shop`.`orders`" + ` trx id 12344 lock mode IX
---TRANSACTION 12001, ACTIVE 86400 sec recovered trx
1 lock struct(s), heap size 1136, 0 row lock(s), undo log entries 900
---TRANSACTION 12343, ACTIVE 7 sec setting auto-inc lock
LOCK WAIT 1 lock struct(s), heap size 1136, 0 row lock(s)
MySQL thread id 6, OS thread handle 140236, query id 13 2001:db8::7 app
INSERT INTO orders (note) VALUES ('first line

---- third line')
------- TRX HAS BEEN WAITING 7 SEC FOR THIS LOCK TO BE GRANTED:
TABLE LOCK table ` + "`shop`.`orders`" + ` trx id 12343 lock mode AUTO-INC waiting
------------------
--------
FILE I/O
--------
Pending normal aio reads: [0, 2, 0, 0] , aio writes: [1, 0, 0, 4] ,
 ibuf aio reads:, log i/o's:, sync i/o's:
Pending flushes (fsync) log: 1; buffer pool: 2
---
LOG
---
Log sequence number 2519
Log flushed up to   2519
Pages flushed up to 2519
Last checkpoint at  2510
Max checkpoint age    80826164
Checkpoint age        9
0 pending log flushes, 3 pending chkp writes
----------------------
BUFFER POOL AND MEMORY
----------------------
Buffer pool size        524287
Buffer pool size, bytes 8589918208
Free buffers       1024
Database pages     523263
Modified db pages  12
Pending reads      4
Pending writes: LRU 1, flush list 2, single page 3
No buffer pool page gets since the last printout
----------------------
INDIVIDUAL BUFFER POOL INFO
----------------------
---BUFFER POOL 0
Buffer pool size   65536
Free buffers       1
Pending reads      1
--------------
ROW OPERATIONS
--------------
16 queries inside InnoDB, 21 queries in queue
3 read views open inside InnoDB
Number of rows inserted 1, updated 2, deleted 3, read 4
----------------------------
END OF INNODB MONITOR OUTPUT
============================
`,
}

func parseOld(t *testing.T, name string) Status {
	t.Helper()
	s, err := Parse(old[name], options())
	if err != nil || !s.Complete {
		t.Fatalf("complete %v, %v", s.Complete, err)
	}
	return s
}

func TestMySQL51(t *testing.T) {
	s := parseOld(t, "MySQL 5.1")
	want := unknown()
	want.At, want.Averages, want.Complete = time.Date(2012, 3, 26, 10, 12, 13, 0, time.UTC), 9*time.Second, true
	want.Semaphores = Semaphores{Waiting: 1, Reservations: 13569, Signals: 11421, Mutex: Spins{5672442, 3899888, 4719}, Shared: Spins{5920, u, 2918},
		Exclusive: Spins{3463, u, 3163}, SX: Spins{u, u, u},
		Waits: []LatchWait{{Thread: "1152170336", File: "buf0buf.ic:630", Name: "buf0buf.c:517", Mode: "Mutex"}}}
	want.History, want.Open = 6, 1
	want.Transactions = []Transaction{{ID: "0 80157600", State: "ACTIVE", Age: 4 * time.Second, Waited: u, Structs: u, RowLocks: u, ReadView: true,
		Session: 8079, Query: 728899, Host: "10.0.0.7", User: "webapp", Thread: "Sending data", Statement: "SELECT SQL_CALC_FOUND_ROWS * FROM b LIMIT ?"}}
	want.Log = Log{84<<32 + 3000620880, 84<<32 + 3000611265, u, 84<<32 + 2939889199, u, 0, 0}
	want.Pool = Pool{262144, 0, 258053, 37491, 0, 0, 3, 1, 999, 57973114, 251137, 10761167}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if age := s.Log.CheckpointAge(); age != 60731681 {
		t.Errorf("age of the checkpoint %d; want 60731681", age)
	}
}

func TestMySQL57(t *testing.T) {
	s := parseOld(t, "MySQL 5.7")
	want := unknown()
	want.At, want.Averages, want.Complete = time.Date(2019, 3, 4, 5, 6, 7, 0, time.UTC), 20*time.Second, true
	want.Semaphores = Semaphores{Waiting: 2, Reservations: 123, Signals: 111, Mutex: Spins{u, u, u}, Shared: Spins{0, 47, 23}, Exclusive: Spins{0, 61, 2}, SX: Spins{1, 30, 1},
		Waits: []LatchWait{
			{Thread: "140235611924224", Waited: 241500 * time.Millisecond, File: "trx0trx.ic:171", Name: "TRX_SYS", Mode: "Mutex", Holder: "140235611112233"},
			{Thread: "140235611924999", Waited: 17 * time.Second, File: "dict0dict.cc:1212", Name: "dict_operation_lock", Mode: "X-lock (wait_ex)",
				Holder: "140235600000001", Written: "row0mysql.cc:4340"},
		}}
	want.History, want.Open, want.LockWaits = 2712345, 3, 1
	want.Transactions = []Transaction{
		{ID: "12344", State: "ACTIVE (PREPARED)", Age: 3 * time.Second, Doing: "committing", Waited: u, Structs: 1, Undo: 17, Session: 5, OSThread: "140235", Query: 12,
			Thread: "Waiting for an event from Coordinator"},
		{ID: "12001", State: "ACTIVE", Age: 24 * time.Hour, Doing: "recovered trx", Waited: u, Structs: 1, Undo: 900},
		{ID: "12343", State: "ACTIVE", Age: 7 * time.Second, Doing: "setting auto-inc lock", Waiting: true, Waited: 7 * time.Second, For: &RecordLock{"shop.orders", "", "AUTO-INC"},
			Structs: 1, Session: 6, OSThread: "140236", Query: 13, Host: "2001:db8::7", User: "app", Statement: "INSERT INTO orders(note) VALUES (?)"},
	}
	want.IO = IO{2, 5, 1, 2, u, u, u, u}
	want.Log = Log{2519, 2519, 2519, 2510, u, 0, 3}
	want.Pool = Pool{524287, 1024, 523263, 12, 4, 1, 2, 3, u, u, u, u}
	want.Rows = Rows{1, 2, 3, 4, 16, 21, 3}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if n := s.IO.PendingFsyncs(); n != 3 {
		t.Errorf("%d fsyncs are pending; want 3", n)
	}
}
