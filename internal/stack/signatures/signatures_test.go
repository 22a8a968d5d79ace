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
		{"=lock", false},
		{"=Table_cache::lock", true},
		{"=open_and_* <- open_tables", true},
		{"=cache::*", false},
		{"cache::lock", false},
		{"a <- b <- c <- d <- e <- f <- g <- h <- i <- j", false},
	} {
		p, err := compile(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := matches(p, stack); got != c.want {
			t.Errorf("%q: %v, want %v", c.pattern, got, c.want)
		}
	}
	for _, bad := range []string{"", "a <- ", "a <- ...", "..x <- a", "*", "a|", "a <- ^b", "==a", "="} {
		if _, err := compile(bad); err == nil {
			t.Errorf("%q is taken for a pattern", bad)
		}
	}
}

func matches(p pattern, stack []string) bool {
	d := &Dictionary{}
	d.enter(&p)
	frames := make([]fitting, len(stack))
	for i, f := range stack {
		frames[i] = d.fitting(f)
	}
	return p.match(frames)
}

// TestMatchIsBounded looks in vain for a pattern with many gaps in a stack of which
// every frame fits every step but the last: tried one by one, the ways to place
// them are more than 10^12.
func TestMatchIsBounded(t *testing.T) {
	p, err := compile("a <- ... <- a|b <- ... <- a|c <- ... <- a|d <- ... <- a|e <- ... <- a|f <- ... <- z")
	if err != nil {
		t.Fatal(err)
	}
	stack := make([]string, 512)
	for i := range stack {
		stack[i] = "a"
	}
	if matches(p, stack) {
		t.Error("it fits")
	}
	stack[511] = "z"
	if !matches(p, stack) {
		t.Error("it does not fit")
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

// A caller that fits an entry does not hide the wait that it calls.
func TestInnermostWaitWins(t *testing.T) {
	for _, c := range []struct{ stack, state, want string }{
		// The end of a transaction: the redo log, fsync, a page of the undo log, the mutex itself.
		{"pthread_cond_wait os_cond_wait os_event_wait_low log_write_up_to trx_commit_complete_for_mysql innobase_commit start_thread", "", "mysql/redo-wait"},
		{"fsync os_file_fsync os_file_flush_func pfs_os_file_flush_func fil_flush log_write_up_to trx_flush_log_if_needed_low trx_flush_log_if_needed trx_commit_complete_for_mysql innobase_commit", "", "mysql/redo-fsync"},
		{"sync_array_wait_event rw_lock_x_lock_wait rw_lock_x_lock_func buf_page_get_gen trx_rsegf_get trx_undo_assign_undo trx_undo_report_row_operation", "", "mysql/index-latch"},
		{"ut_delay mutex_spin_wait mutex_enter_func trx_commit_in_memory trx_commit_low trx_commit innobase_commit", "", "mysql/trx-system"},
		{"__lll_lock_wait pthread_mutex_lock trx_start_low row_search_for_mysql", "", "mysql/trx-system"},
		// Semi-synchronous replication waits inside of the group commit.
		{"pthread_cond_timedwait ReplSemiSyncMaster::cond_timewait ReplSemiSyncMaster::commitTrx repl_semi_report_binlog_sync Binlog_storage_delegate::after_sync call_after_sync_hook MYSQL_BIN_LOG::ordered_commit MYSQL_BIN_LOG::commit ha_commit_trans", "", "mysql/semisync"},
		{"pthread_cond_wait Stage_manager::enroll_for MYSQL_BIN_LOG::change_stage MYSQL_BIN_LOG::ordered_commit", "", "mysql/binlog-commit"},
		// A search in an index: a page to make room for, a page that another thread reads, a latch.
		{"pthread_cond_wait os_event_wait_low buf_flush_wait_batch_end buf_LRU_get_free_block buf_page_init_for_read buf_read_page_low buf_read_page buf_page_get_gen btr_cur_search_to_nth_level", "", "mysql/free-page"},
		{"pthread_cond_wait os_event_wait_low sync_array_wait_event rw_lock_s_lock_spin buf_wait_for_read buf_page_get_gen btr_cur_search_to_nth_level", "", "mysql/page-read"},
		{"syscall ssux_lock_low::rd_wait buf_page_get_low btr_cur_search_to_nth_level", "", "mysql/index-latch"},
		{"sync_array_wait_event rw_lock_x_lock_wait btr_search_drop_page_hash_index buf_LRU_free_page buf_LRU_scan_and_free_block buf_LRU_get_free_block buf_page_init_for_read", "", "mysql/adaptive-hash"},
		{"sync_array_wait_event rw_lock_s_lock_spin btr_search_guess_on_hash btr_cur_search_to_nth_level row_search_for_mysql", "", "mysql/adaptive-hash"},
		{"buf_block_get_modify_clock btr_search_guess_on_hash btr_cur_search_to_nth_level", "", ""},
		// Loading a definition reads the dictionary's own tables.
		{"sync_array_wait_event rw_lock_s_lock_spin buf_page_get_gen btr_cur_search_to_nth_level btr_pcur_open_func dict_load_table dict_table_open_on_name ha_innobase::open", "", "mysql/index-latch"},
		{"sync_array_wait_event mutex_spin_wait mutex_enter_func dict_table_open_on_name ha_innobase::open", "", "mysql/dictionary-lock"},
		// A result from the query cache, to a client that does not read.
		{"poll vio_io_wait vio_socket_io_wait vio_write net_write_raw_loop net_write_packet Query_cache::send_result_to_client mysql_parse dispatch_command do_command", "", "mysql/sending-to-client"},
		{"pthread_mutex_lock Query_cache::insert net_real_write net_flush dispatch_command do_command", "", "mysql/query-cache"},
		// What a sort calls.
		{"pthread_cond_timedwait Interruptible_wait::wait Item_func_sleep::val_int find_all_keys filesort create_sort_index mysql_execute_command", "", "mysql/sleep-function"},
		{"pthread_cond_wait os_event_wait_low sync_array_wait_event mutex_spin_wait row_search_for_mysql rr_sequential find_all_keys filesort", "", "mysql/innodb-semaphore"},
		// The names of a layer above begin like those of the lock system.
		{"__lll_lock_wait pthread_mutex_lock thr_lock thr_multi_lock mysql_lock_tables lock_tables open_and_lock_tables main", "", "general/mutex"},
		{"os_event_wait_low sync_array_wait_event mutex_spin_wait lock_table row_search_for_mysql", "", "mysql/lock-system"},
		// A login that waits for a lock does not wait for its client.
		{"__lll_lock_wait pthread_mutex_lock find_mpvio_user acl_authenticate check_connection login_connection", "", "general/mutex"},
		{"poll vio_io_wait vio_read net_read_raw_loop my_net_read acl_authenticate check_connection login_connection", "", "mysql/handshake"},
		// Pools and the threads of the VM run tasks, which wait for others.
		{"jdk.internal.misc.Unsafe.park java.util.concurrent.locks.LockSupport.park AbstractQueuedSynchronizer.acquire ReentrantLock.lock App.work App$Task.compute java.util.concurrent.RecursiveTask.exec java.util.concurrent.ForkJoinTask.doExec java.util.concurrent.ForkJoinPool.scan java.util.concurrent.ForkJoinPool.runWorker", "WAITING", "java/lock"},
		{"jdk.internal.misc.Unsafe.park LockSupport.park java.util.concurrent.ForkJoinPool.runWorker java.util.concurrent.ForkJoinWorkerThread.run", "WAITING", "java/idle-pool"},
		{"sun.misc.Unsafe.park LockSupport.park AbstractQueuedSynchronizer.acquireQueued AbstractQueuedSynchronizer.acquire ReentrantLock.lock App.doGet org.eclipse.jetty.util.thread.QueuedThreadPool.runJob", "WAITING", "java/lock"},
		{"sun.misc.Unsafe.park LockSupport.parkNanos ConditionObject.awaitNanos org.eclipse.jetty.util.BlockingArrayQueue.poll org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll", "TIMED_WAITING", "java/idle-pool"},
		{"sun.misc.Unsafe.park LockSupport.park ConditionObject.await com.alibaba.druid.pool.DruidDataSource.takeLast com.alibaba.druid.pool.DruidDataSource.getConnection App.task ForkJoinTask.doExec ForkJoinTask.awaitDone ForkJoinTask.join ForkJoinPool.runWorker", "WAITING", "druid/borrow-wait"},
		{"App.close App.finalize java.lang.ref.Finalizer.runFinalizer java.lang.ref.Finalizer$FinalizerThread.run", "BLOCKED", "java/monitor"},
		{"App.tick App$Task.run java.util.TimerThread.mainLoop java.util.TimerThread.run", "BLOCKED", "java/monitor"},
		{"java.lang.Object.wait java.util.TimerThread.mainLoop java.util.TimerThread.run", "WAITING", "java/idle-system"},
		{"java.lang.Object.wait java.lang.ref.Reference.tryHandlePending java.lang.ref.Reference$ReferenceHandler.run", "WAITING", "java/idle-system"},
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

// Names of the kernel and of the C library are names of functions of programs,
// too, which work.
func TestFunctionsThatShareTheNameOfAWait(t *testing.T) {
	for _, c := range []struct{ stack, want string }{
		{"row_search_for_mysql ha_innobase::general_fetch handler::ha_rnd_next rr_sequential sub_select do_select JOIN::exec mysql_execute_select mysql_select", ""},
		{"do_select JOIN::exec mysql_select", ""},
		{"poll_schedule_timeout.constprop.0 do_select core_sys_select kern_select __x64_sys_select do_syscall_64 entry_SYSCALL_64_after_hwframe __select worker", "general/idle-poll"},
		{"do_select core_sys_select do_pselect.constprop.0 __x64_sys_pselect6", "general/idle-poll"},
		{"do_select __GI___select ?? ??", "general/idle-poll"},
		{"__GI___select os_thread_sleep loop", "general/idle-poll"},
		{"__syscall_cancel_arch __internal_syscall_cancel __syscall_cancel __GI___poll loop", "general/idle-poll"},
		{"do_epoll_wait __x64_sys_epoll_wait do_syscall_64 epoll_wait loop", "general/idle-poll"},
		{"inflate <app::Body as core::future::Future>::poll tokio::runtime::task::raw::poll", ""},
		{"app::Body::poll tokio::runtime::task::raw::poll", ""},
		{"java.util.PriorityQueue.siftDown java.util.PriorityQueue.poll App.work", ""},
		{"inflate_fast inflate zlib::Reader::read App::load", ""},
		{"java.util.zip.Inflater.inflateBytesBytes java.util.zip.Inflater.inflate java.util.zip.InflaterInputStream.read java.util.zip.GZIPInputStream.read App.work", ""},
		{"java.io.FileInputStream.readBytes java.io.FileInputStream.read java.io.BufferedInputStream.read App.work", "general/idle-socket"},
		{"__GI___libc_read pipe_reader start_thread", "general/idle-socket"},
		{"visit ast::Node::accept App::run", ""},
		{"__libc_accept listener start_thread", "general/idle-poll"},
		{"compress worker_thread start_thread clone3", ""},
		{"worker_thread start_thread clone3", ""},
		{"worker_thread kthread ret_from_fork ret_from_fork_asm", "general/idle-sleep"},
		{"schedule worker_thread kthread ret_from_fork", "general/idle-sleep"},
		{"fill_page process_one_work worker_thread kthread ret_from_fork", ""},
		{"cpu_pause spin_lock_acquire App::work", ""},
		{"__libc_pause main", "general/idle-sleep"},
		{"do_wait __GI___wait4 sh_wait", "general/idle-sleep"},
		{"crc32c blk_aio_complete qemu_main", ""},
		{"blk_mq_get_tag __blk_mq_alloc_requests blk_mq_submit_bio __submit_bio", "kernel/disk"},
		{"evaluate_join_record sub_select do_select JOIN::exec mysql_select init_server mysqld_main", ""},
		{"__lll_lock_wait pthread_mutex_lock queue_something main", "general/mutex"},
	} {
		got := ""
		if s := Default().Match(strings.Fields(c.stack), ""); s != nil {
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
		matches(p, frames)
	})
}
