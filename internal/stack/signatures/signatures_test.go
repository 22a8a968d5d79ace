package signatures

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestPatterns(t *testing.T) {
	stack := strings.Fields("__lll_lock_wait ___pthread_mutex_lock Table_cache::lock open_table open_and_process_table open_tables mysql_execute_command do_command")
	for _, c := range []struct {
		pattern string
		want    bool
	}{
		{"open_table", true},
		{"open_tab", false},
		{"*mutex_lock <- ..2 <- open_table", true},
		{"*mutex_lock <- ..1 <- open_table", true},
		{"*mutex_lock <- open_table", false},
		{"*mutex_lock <- ... <- do_command", true},
		{"do_command <- ... <- *mutex_lock", false},
		{"^*mutex_lock", false},
		{"^..1 <- *mutex_lock", true},
		{"^__lll_lock_wait <- *mutex_lock|other <- Table_cache::*", true},
		{"Table_cache::l*k <- open_table", true},
		{"lock <- open_table", true},
		{"cache::lock", false},
		{"a <- b <- c <- d <- e <- f <- g <- h <- i <- j", false},
	} {
		p, err := compile(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.match(stack); got != c.want {
			t.Errorf("%q: %v, want %v", c.pattern, got, c.want)
		}
	}
	for _, bad := range []string{"", "a <- ", "a <- ...", "..x <- a", "*", "a|", "a <- ^b"} {
		if _, err := compile(bad); err == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
	}
}

func TestBare(t *testing.T) {
	for in, want := range map[string]string{
		"__GI___poll": "__poll", "read@@GLIBC_2.2.5": "read", "foo.constprop.0": "foo", "bar [clone .isra.0]": "bar", "open_table": "open_table",
		"ut_delay.part.3": "ut_delay",
	} {
		if got := Bare(in); got != want {
			t.Errorf("Bare(%q) = %q, want %q", in, got, want)
		}
	}
}

// The well-known stacks of the dictionary find their entries.
func TestDefaultDictionary(t *testing.T) {
	for _, c := range []struct{ stack, state, want string }{
		{"__lll_lock_wait _L_lock_974 pthread_mutex_lock open_table open_tables open_normal_and_derived_tables execute_sqlcom_select mysql_execute_command mysql_parse dispatch_command do_command", "", "mysql/table-cache-mutex"},
		{"__lll_lock_wait pthread_mutex_lock inline_mysql_mutex_lock Table_cache::lock open_table", "", "mysql/table-cache-mutex"},
		{"__lll_lock_wait pthread_mutex_lock MDL_map::find_or_insert MDL_context::try_acquire_lock_impl MDL_context::acquire_lock open_table_get_mdl_lock open_table", "", "mysql/mdl-map"},
		{"lf_hash_search find_or_create_digest end_statement_v1 dispatch_command", "", "mysql/digest"},
		{"lfind lf_hash_search find_or_create_digest pfs_end_statement_v1", "", "mysql/digest"},
		{"ut_delay mutex_spin_wait read_view_open_now row_search_for_mysql", "", "mysql/read-view"},
		{"read_view_open_now_low read_view_open_now", "", "mysql/read-view"},
		{"ut_delay mutex_spin_wait something_else", "", "mysql/innodb-spin"},
		{"ut_delay mutex_spin_wait lock_clust_rec_read_check_and_lock sel_set_rec_lock", "", "mysql/lock-system"},
		{"_raw_spin_lock futex_wake do_futex __x64_sys_futex do_syscall_64", "", "kernel/futex-storm"},
		{"_raw_spin_lock something", "", "kernel/spin-lock"},
		{"my_hash_sort_utf8 calc_hash", "", "mysql/charset"},
		{"my_ismbchar_utf8 my_charpos_mb", "", "mysql/charset"},
		{"my_strnxfrm_unicode", "", "mysql/charset"},
		{"my_malloc MYSQLparse parse_sql", "", "mysql/parse"},
		{"__memmove_ssse3 my_realloc String::realloc", "", "mysql/realloc"},
		{"String::replace Prepared_statement::insert_params execute_loop", "", "mysql/prepared-padding"},
		{"memmove String::replace insert_params_with_log Prepared_statement::set_parameters", "", "mysql/prepared-padding"},
		{"poll vio_io_wait vio_socket_io_wait vio_read net_read_raw_loop my_net_read do_command handle_one_connection", "", "mysql/idle-connection"},
		{"poll vio_io_wait vio_socket_io_wait vio_read net_read_raw_loop my_net_read READ_INFO::fill_buffer mysql_load mysql_execute_command dispatch_command do_command", "", "mysql/reading-from-client"},
		{"poll vio_io_wait vio_socket_io_wait vio_write net_write_raw_loop net_write_buff Protocol::send_result_set_row mysql_execute_command dispatch_command do_command", "", "mysql/sending-to-client"},
		{"__libc_send inline_mysql_socket_send vio_write net_write_raw_loop net_write_packet net_flush dispatch_command do_command", "", "mysql/send"},
		{"futex_do_wait pthread_cond_wait ?? tp_worker_thread_main ?? ??", "S", "mysql/idle-pool-worker"},
		{"futex_do_wait pthread_cond_timedwait psi_cond_timedwait get_event worker_main", "S", "mysql/idle-pool-worker"},
		{"futex_do_wait pthread_cond_wait ?? ?? ?? mysql_update mysql_execute_command mysql_parse dispatch_command do_command threadpool_process_request worker_main", "S", "mysql/statement-wait"},
		{"pthread_cond_wait ?? log_event_apply ?? ?? ?? ?? ?? handle_slave_sql", "S", "general/idle-condition"},
		{"pthread_cond_timedwait MDL_wait::timed_wait MDL_context::acquire_lock", "", "mysql/metadata-lock"},
		{"pthread_cond_timedwait os_event::wait_time_low lock_wait_timeout_thread start_thread", "", "mysql/idle-background"},
		{"pthread_cond_wait os_event::wait lock_wait_suspend_thread row_mysql_handle_errors row_search_mvcc", "", "mysql/row-lock"},
		{"java.net.SocketInputStream.socketRead0 java.net.SocketInputStream.read com.mysql.jdbc.MysqlIO.readFully com.mysql.jdbc.MysqlIO.readPacket com.mysql.jdbc.MysqlIO.doHandshake com.mysql.jdbc.ConnectionImpl.coreConnect com.alibaba.druid.pool.DruidAbstractDataSource.createPhysicalConnection com.alibaba.druid.pool.DruidDataSource$CreateConnectionThread.run", "RUNNABLE", "druid/creator-waits-for-greeting"},
		{"sun.misc.Unsafe.park java.util.concurrent.locks.LockSupport.park AbstractQueuedSynchronizer$ConditionObject.await com.alibaba.druid.pool.DruidDataSource$CreateConnectionThread.run", "WAITING", "druid/creator-idle"},
		{"java.sql.SQLException.<init> com.alibaba.druid.pool.DruidDataSource.getConnectionInternal com.alibaba.druid.pool.DruidDataSource.getConnectionDirect com.alibaba.druid.pool.DruidDataSource.getConnection", "RUNNABLE", "druid/borrow-rejected"},
		{"java.util.Hashtable.get java.util.Properties.getProperty com.example.Config.get", "BLOCKED", "java/hashtable-get"},
		{"java.net.SocketInputStream.socketRead0 com.mysql.jdbc.MysqlIO.readFully com.alibaba.druid.pool.vendor.MySqlValidConnectionChecker.isValidConnection com.alibaba.druid.pool.DruidDataSource.getConnection", "RUNNABLE", "java/connection-validation"},
		{"com.mysql.jdbc.SQLError.createCommunicationsException com.mysql.jdbc.MysqlIO.reuseAndReadPacket com.mysql.jdbc.MysqlIO.nextRow com.mysql.jdbc.RowDataDynamic.next", "RUNNABLE", "java/stream-broken"},
		{"java.lang.Throwable.fillInStackTrace java.lang.Throwable.<init>", "RUNNABLE", "java/exception-storm"},
		{"sun.nio.ch.SocketChannelImpl.ensureReadOpen", "RUNNABLE", "java/read-open"},
		{"com.example.IdGenerator.nextId", "BLOCKED", "java/next-id"},
		{"jdk.internal.misc.Unsafe.park java.util.concurrent.locks.LockSupport.park java.util.concurrent.FutureTask.awaitDone java.util.concurrent.FutureTask.get Main.run java.util.concurrent.ThreadPoolExecutor.runWorker", "WAITING", "java/wait-for-task"},
		{"jdk.internal.misc.Unsafe.park LockSupport.park LinkedBlockingQueue.take java.util.concurrent.ThreadPoolExecutor.getTask java.util.concurrent.ThreadPoolExecutor.runWorker", "WAITING", "java/idle-pool"},
		{"com.example.Foo.bar", "BLOCKED", "java/monitor"},
		{"futex_do_wait __futex_abstimed_wait_common pthread_cond_wait@@GLIBC_2.3.2 os::PlatformEvent::park ObjectMonitor::EnterI ObjectMonitor::enter", "S", "java/monitor-native"},
		{"_raw_spin_unlock_irqrestore folio_wake_bit blk_update_request asm_common_interrupt work main", "", "kernel/interrupt"},
		{"com.example.Foo.bar", "RUNNABLE", ""},
		{"runtime.gopark sync.runtime_SemacquireMutex sync.(*Mutex).lockSlow sync.(*Mutex).Lock main.work", "sync.Mutex.Lock", "go/mutex"},
		{"futex_wait __lll_lock_wait pthread_mutex_lock worker main", "", "general/mutex"},
		{"futex_wait pthread_cond_wait worker main", "", "general/idle-condition"},
		{"handler mysqld_work start_thread", "", ""},
	} {
		got := ""
		if s := Default().Match(strings.Fields(c.stack), c.state); s != nil {
			got = s.ID
		}
		if got != c.want {
			t.Errorf("%s\n\tis %q, want %q", c.stack, got, c.want)
		}
	}
}

func TestLoadRefusesMistakes(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown field": "- {id: a, title: t, kind: idle, frames: [x], meaning: m, wrong: 1}",
		"no meaning":       "- {id: a, title: t, kind: idle, frames: [x]}",
		"a wrong kind":     "- {id: a, title: t, kind: lazy, frames: [x], meaning: m}",
		"no frames":        "- {id: a, title: t, kind: idle, meaning: m}",
		"no advice":        "- {id: a, title: t, kind: lock, frames: [x], meaning: m}",
		"a bad pattern":    "- {id: a, title: t, kind: idle, frames: [\"x <-\"], meaning: m}",
		"the id twice":     "- {id: a, title: t, kind: idle, frames: [x], meaning: m}\n- {id: a, title: t, kind: idle, frames: [x], meaning: m}",
	} {
		if _, err := Load(fstest.MapFS{"x.yaml": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s is loaded", name)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("^..2 <- a*|b <- ... <- c", "a b c")
	f.Add("*x*y*", "xy x.y::z")
	f.Fuzz(func(t *testing.T, pattern, stack string) {
		p, err := compile(pattern)
		frames := strings.Fields(stack)
		if err != nil || len(p.steps) > 6 || len(frames) > 64 {
			return
		}
		p.match(frames)
	})
}
