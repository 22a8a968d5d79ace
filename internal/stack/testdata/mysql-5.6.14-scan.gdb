Thread 26 (Thread 0x7f1de8e816c0 (LWP 4374) "mysqld"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x0, op=393, expected=0, futex_word=0x13313cc <COND_thread_cache+44>) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x13313cc <COND_thread_cache+44>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007f1e108a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x13313cc <COND_thread_cache+44>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007f1e108a65d8 in __pthread_cond_wait_common (abstime=0x0, clockid=0, mutex=0x132ede0 <LOCK_thread_count>, cond=0x13313a0 <COND_thread_cache>) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_wait (cond=0x13313a0 <COND_thread_cache>, mutex=0x132ede0 <LOCK_thread_count>) at ./nptl/pthread_cond_wait.c:618
#5  0x000000000057f96f in block_until_new_connection () at /export/home/pb2/build/sb_0-10188268-1378801386.06/mysql-5.6.14/include/mysql/psi/mysql_thread.h:1162
#6  one_thread_per_connection_end (thd=<optimized out>, block_pthread=<optimized out>) at mysqld.cc:2762
#7  0x00000000006be3a2 in do_handle_one_connection (thd_arg=0x6f5f3d0) at sql_connect.cc:989
#8  0x00000000006be4f5 in handle_one_connection (arg=0x7336260) at sql_connect.cc:898
#9  0x0000000000979186 in pfs_spawn_thread (arg=<optimized out>) at pfs.cc:1858
#10 0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#11 0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 25 (Thread 0x7f1de8ec36c0 (LWP 4360) "mysqld"):
#0  Arg_comparator::compare_int_signed (this=0x7f1dbc0118d0) at item_cmpfunc.cc:1554
#1  0x00000000005bd16e in Arg_comparator::compare (this=0x7f1ddc007fb8) at /export/home/pb2/build/sb_0-10188268-1378801386.06/mysql-5.6.14/sql/item_cmpfunc.h:84
#2  Item_func_eq::val_int (this=0x7f1dbc005750) at item_cmpfunc.cc:2198
#3  0x00000000006cbf5b in evaluate_join_record (join=0x7f1dbc005b60, join_tab=0x7f1dbc006b30) at sql_executor.cc:1458
#4  0x00000000006cc712 in sub_select (join=0x7f1dbc005b60, join_tab=0x7f1dbc006b30, end_of_records=<optimized out>) at sql_executor.cc:1273
#5  0x00000000006c8fdc in do_select (join=<optimized out>) at sql_executor.cc:930
#6  JOIN::exec (this=0x7f1dbc005b60) at sql_executor.cc:191
#7  0x000000000070e9e9 in mysql_execute_select (thd=0x73270d0, select_lex=0x73298f0, free_join=true) at sql_select.cc:1100
#8  0x000000000070fd0c in mysql_select (thd=0x73270d0, tables=<optimized out>, wild_num=<optimized out>, fields=..., conds=<optimized out>, order=<optimized out>, group=0x73299f0, having=0x0, select_options=2147748608, result=0x7f1dbc005b38, unit=0x73292a8, select_lex=0x73298f0) at sql_select.cc:1221
#9  0x000000000070ff15 in handle_select (thd=0x73270d0, result=0x7f1dbc005b38, setup_tables_done_option=0) at sql_select.cc:110
#10 0x00000000006ea4c9 in execute_sqlcom_select (thd=0x73270d0, all_tables=0x7f1dbc0051a8) at sql_parse.cc:5094
#11 0x00000000006ef6c5 in mysql_execute_command (thd=0x73270d0) at sql_parse.cc:2642
#12 0x00000000006f30c8 in mysql_parse (thd=0x73270d0, rawbuf=0x7f1dbc004e70 "...", length=<optimized out>, parser_state=<optimized out>) at sql_parse.cc:6235
#13 0x00000000006f449b in dispatch_command (command=COM_QUERY, thd=0x73270d0, packet=<optimized out>, packet_length=50) at sql_parse.cc:1334
#14 0x00000000006f6297 in do_command (thd=0x73270d0) at sql_parse.cc:1036
#15 0x00000000006be416 in do_handle_one_connection (thd_arg=0x73270d0) at sql_connect.cc:982
#16 0x00000000006be4f5 in handle_one_connection (arg=0x732e360) at sql_connect.cc:898
#17 0x0000000000979186 in pfs_spawn_thread (arg=<optimized out>) at pfs.cc:1858
#18 0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#19 0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 24 (Thread 0x7f1de8f056c0 (LWP 4359) "mysqld"):
#0  0x0000000000a908e5 in buf_page_optimistic_get (rw_latch=1, block=0x7f1dee1eb500, modify_clock=1, file=0xc63200 "/export/home/pb2/build/sb_0-10188268-1378801386.06/mysql-5.6.14/storage/innobase/row/row0sel.cc", line=3227, mtr=0x7f1de8f02ad0) at buf0buf.cc:3037
#1  0x0000000000a84ee0 in btr_pcur_restore_position_func (latch_mode=1, cursor=0x7f1ddc0251e0, file=0xc63200 "/export/home/pb2/build/sb_0-10188268-1378801386.06/mysql-5.6.14/storage/innobase/row/row0sel.cc", line=3227, mtr=0x7f1de8f02ad0) at btr0pcur.cc:280
#2  0x0000000000a27c36 in sel_restore_position_for_mysql (same_user_rec=0x7f1de8f032e0, latch_mode=139766525768960, pcur=0x7f1ddc0251e0, moves_up=1, mtr=0xc9b) at row0sel.cc:3227
#3  0x0000000000a2a359 in row_search_for_mysql (buf=0x7f1ddc01cb10 "", mode=1, prebuilt=0x7f1ddc025168, match_mode=0, direction=1) at row0sel.cc:4085
#4  0x0000000000990701 in ha_innobase::general_fetch (this=0x7f1ddc014d80, buf=0x7f1ddc01cb10 "", direction=1, match_mode=0) at ha_innodb.cc:7724
#5  0x00000000005890f4 in handler::ha_rnd_next (this=0x7f1ddc014d80, buf=0x7f1ddc01cb10 "") at handler.cc:2638
#6  0x0000000000834067 in rr_sequential (info=0x7f1db8006da0) at records.cc:478
#7  0x00000000006cc735 in sub_select (join=0x7f1db8005d40, join_tab=0x7f1db8006d10, end_of_records=<optimized out>) at sql_executor.cc:1256
#8  0x00000000006c8fdc in do_select (join=<optimized out>) at sql_executor.cc:930
#9  JOIN::exec (this=0x7f1db8005d40) at sql_executor.cc:191
#10 0x000000000070e9e9 in mysql_execute_select (thd=0x7336260, select_lex=0x7338a80, free_join=true) at sql_select.cc:1100
#11 0x000000000070fd0c in mysql_select (thd=0x7336260, tables=<optimized out>, wild_num=<optimized out>, fields=..., conds=<optimized out>, order=<optimized out>, group=0x7338b80, having=0x0, select_options=2147748608, result=0x7f1db8005d18, unit=0x7338438, select_lex=0x7338a80) at sql_select.cc:1221
#12 0x000000000070ff15 in handle_select (thd=0x7336260, result=0x7f1db8005d18, setup_tables_done_option=0) at sql_select.cc:110
#13 0x00000000006ea4c9 in execute_sqlcom_select (thd=0x7336260, all_tables=0x7f1db8005388) at sql_parse.cc:5094
#14 0x00000000006ef6c5 in mysql_execute_command (thd=0x7336260) at sql_parse.cc:2642
#15 0x00000000006f30c8 in mysql_parse (thd=0x7336260, rawbuf=0x7f1db8005050 "...", length=<optimized out>, parser_state=<optimized out>) at sql_parse.cc:6235
#16 0x00000000006f449b in dispatch_command (command=COM_QUERY, thd=0x7336260, packet=<optimized out>, packet_length=50) at sql_parse.cc:1334
#17 0x00000000006f6297 in do_command (thd=0x7336260) at sql_parse.cc:1036
#18 0x00000000006be416 in do_handle_one_connection (thd_arg=0x7336260) at sql_connect.cc:982
#19 0x00000000006be4f5 in handle_one_connection (arg=0x7326cb0) at sql_connect.cc:898
#20 0x0000000000979186 in pfs_spawn_thread (arg=<optimized out>) at pfs.cc:1858
#21 0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#22 0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 23 (Thread 0x7f1de8f476c0 (LWP 4358) "mysqld"):
#0  0x0000000000a2c655 in row_search_for_mysql (buf=0x7f1ddc06d4b0 "", mode=1, prebuilt=0x7f1ddc047928, match_mode=0, direction=1) at row0sel.cc:4544
#1  0x0000000000990701 in ha_innobase::general_fetch (this=0x7f1ddc057680, buf=0x7f1ddc06d4b0 "", direction=1, match_mode=0) at ha_innodb.cc:7724
#2  0x00000000005890f4 in handler::ha_rnd_next (this=0x7f1ddc057680, buf=0x7f1ddc06d4b0 "") at handler.cc:2638
#3  0x0000000000834067 in rr_sequential (info=0x7f1dc4006d80) at records.cc:478
#4  0x00000000006cc735 in sub_select (join=0x7f1dc4005d20, join_tab=0x7f1dc4006cf0, end_of_records=<optimized out>) at sql_executor.cc:1256
#5  0x00000000006c8fdc in do_select (join=<optimized out>) at sql_executor.cc:930
#6  JOIN::exec (this=0x7f1dc4005d20) at sql_executor.cc:191
#7  0x000000000070e9e9 in mysql_execute_select (thd=0x6f5f3d0, select_lex=0x6f61bf0, free_join=true) at sql_select.cc:1100
#8  0x000000000070fd0c in mysql_select (thd=0x6f5f3d0, tables=<optimized out>, wild_num=<optimized out>, fields=..., conds=<optimized out>, order=<optimized out>, group=0x6f61cf0, having=0x0, select_options=2147748608, result=0x7f1dc4005cf8, unit=0x6f615a8, select_lex=0x6f61bf0) at sql_select.cc:1221
#9  0x000000000070ff15 in handle_select (thd=0x6f5f3d0, result=0x7f1dc4005cf8, setup_tables_done_option=0) at sql_select.cc:110
#10 0x00000000006ea4c9 in execute_sqlcom_select (thd=0x6f5f3d0, all_tables=0x7f1dc4005368) at sql_parse.cc:5094
#11 0x00000000006ef6c5 in mysql_execute_command (thd=0x6f5f3d0) at sql_parse.cc:2642
#12 0x00000000006f30c8 in mysql_parse (thd=0x6f5f3d0, rawbuf=0x7f1dc4005030 "...", length=<optimized out>, parser_state=<optimized out>) at sql_parse.cc:6235
#13 0x00000000006f449b in dispatch_command (command=COM_QUERY, thd=0x6f5f3d0, packet=<optimized out>, packet_length=50) at sql_parse.cc:1334
#14 0x00000000006f6297 in do_command (thd=0x6f5f3d0) at sql_parse.cc:1036
#15 0x00000000006be416 in do_handle_one_connection (thd_arg=0x6f5f3d0) at sql_connect.cc:982
#16 0x00000000006be4f5 in handle_one_connection (arg=0x731f600) at sql_connect.cc:898
#17 0x0000000000979186 in pfs_spawn_thread (arg=<optimized out>) at pfs.cc:1858
#18 0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#19 0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 22 (Thread 0x7f1de8f896c0 (LWP 2526) "mysqld"):
#0  0x0000000000a29e1d in row_search_for_mysql (buf=0x7f1dc4003df0 "2\001", mode=0, prebuilt=0x7f1dc4012328, match_mode=0, direction=1) at row0sel.cc:3762
#1  0x0000000000990701 in ha_innobase::general_fetch (this=0x7f1dc4000ca0, buf=0x7f1dc4003df0 "2\001", direction=1, match_mode=0) at ha_innodb.cc:7724
#2  0x00000000005890f4 in handler::ha_rnd_next (this=0x7f1dc4000ca0, buf=0x7f1dc4003df0 "2\001") at handler.cc:2638
#3  0x0000000000834067 in rr_sequential (info=0x7f1ddc027e20) at records.cc:478
#4  0x00000000006cc735 in sub_select (join=0x7f1ddc026dc0, join_tab=0x7f1ddc027d90, end_of_records=<optimized out>) at sql_executor.cc:1256
#5  0x00000000006c8fdc in do_select (join=<optimized out>) at sql_executor.cc:930
#6  JOIN::exec (this=0x7f1ddc026dc0) at sql_executor.cc:191
#7  0x000000000070e9e9 in mysql_execute_select (thd=0x731f600, select_lex=0x7321e20, free_join=true) at sql_select.cc:1100
#8  0x000000000070fd0c in mysql_select (thd=0x731f600, tables=<optimized out>, wild_num=<optimized out>, fields=..., conds=<optimized out>, order=<optimized out>, group=0x7321f20, having=0x0, select_options=2147748608, result=0x7f1ddc026d98, unit=0x73217d8, select_lex=0x7321e20) at sql_select.cc:1221
#9  0x000000000070ff15 in handle_select (thd=0x731f600, result=0x7f1ddc026d98, setup_tables_done_option=0) at sql_select.cc:110
#10 0x00000000006ea4c9 in execute_sqlcom_select (thd=0x731f600, all_tables=0x7f1ddc026408) at sql_parse.cc:5094
#11 0x00000000006ef6c5 in mysql_execute_command (thd=0x731f600) at sql_parse.cc:2642
#12 0x00000000006f30c8 in mysql_parse (thd=0x731f600, rawbuf=0x7f1ddc0260d0 "...", length=<optimized out>, parser_state=<optimized out>) at sql_parse.cc:6235
#13 0x00000000006f449b in dispatch_command (command=COM_QUERY, thd=0x731f600, packet=<optimized out>, packet_length=50) at sql_parse.cc:1334
#14 0x00000000006f6297 in do_command (thd=0x731f600) at sql_parse.cc:1036
#15 0x00000000006be416 in do_handle_one_connection (thd_arg=0x731f600) at sql_connect.cc:982
#16 0x00000000006be4f5 in handle_one_connection (arg=0x6f5f3d0) at sql_connect.cc:898
#17 0x0000000000979186 in pfs_spawn_thread (arg=<optimized out>) at pfs.cc:1858
#18 0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#19 0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 15 (Thread 0x7f1de726f6c0 (LWP 2518) "mysqld"):
#0  0x00007f1e1091c9ec in __GI___select (nfds=0, readfds=0x0, writefds=0x0, exceptfds=0x0, timeout=0x7f1de726ee10) at ../sysdeps/unix/sysv/linux/select.c:69
#1  0x00000000009db1bf in os_thread_sleep (tm=<optimized out>) at os0thread.cc:255
#2  0x0000000000a3e864 in srv_master_sleep () at srv0srv.cc:2294
#3  srv_master_thread (arg=<optimized out>) at srv0srv.cc:2338
#4  0x00007f1e108a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#5  0x00007f1e109278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 1 (Thread 0x7f1e10cd0740 (LWP 2497) "mysqld"):
#0  0x00007f1e1091a26f in __GI___poll (fds=0x7ffc63410730, nfds=2, timeout=-1) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000000000057df9a in handle_connections_sockets () at mysqld.cc:6230
#2  0x00000000005843d9 in mysqld_main (argc=14, argv=0x6e89c40) at mysqld.cc:5649
#3  0x00007f1e1084524a in __libc_start_call_main (main=main@entry=0x578250 <main(int, char**)>, argc=argc@entry=14, argv=argv@entry=0x7ffc63410d08) at ../sysdeps/nptl/libc_start_call_main.h:58
#4  0x00007f1e10845305 in __libc_start_main_impl (main=0x578250 <main(int, char**)>, argc=14, argv=0x7ffc63410d08, init=<optimized out>, fini=<optimized out>, rtld_fini=<optimized out>, stack_end=0x7ffc63410cf8) at ../csu/libc-start.c:360
#5  0x0000000000578199 in _start ()
