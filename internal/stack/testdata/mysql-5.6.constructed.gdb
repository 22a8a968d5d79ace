Thread 286 (Thread 0x7f5b0011e000 (LWP 4286)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10be, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10be, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10be, buf=0x7f5a10bed000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10be0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10be0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10be0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10be0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10be0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10bea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 285 (Thread 0x7f5b0011d000 (LWP 4285)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10bd0000, table_list=0x7f5a10bd5000, ot_ctx=0x7f5b010bd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010bd, has_prelocking_list=false, ot_ctx=0x7f5b010bd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10bd0000, start=0x7f5b010bd, counter=0x7f5b010bd, flags=0, prelocking_strategy=0x7f5b010bd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10bd0000, tables=0x7f5a10bd5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10bd0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10bd0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10bd0000, rawbuf=0x7f5a10bd4b10 "SELECT c FROM sbtest7 WHERE id=504285", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10bd0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10bd0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10bda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 284 (Thread 0x7f5b0011c000 (LWP 4284)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b010bc, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a10bc00d0, mdl_request=0x7f5a10bc5200, out_ticket=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a10bc00d0, mdl_request=0x7f5a10bc5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10bc0000, ot_ctx=0x7f5b010bc, table_list=0x7f5a10bc5000, flags=0, mdl_ticket=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10bc0000, table_list=0x7f5a10bc5000, ot_ctx=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010bc, has_prelocking_list=false, ot_ctx=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10bc0000, start=0x7f5b010bc, counter=0x7f5b010bc, flags=0, prelocking_strategy=0x7f5b010bc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10bc0000, tables=0x7f5a10bc5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10bc0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10bc0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10bc0000, rawbuf=0x7f5a10bc4b10 "SELECT c FROM sbtest7 WHERE id=504284", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10bc0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10bc0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10bca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 283 (Thread 0x7f5b0011b000 (LWP 4283)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10bb0000, table_list=0x7f5a10bb5000, ot_ctx=0x7f5b010bb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010bb, has_prelocking_list=false, ot_ctx=0x7f5b010bb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10bb0000, start=0x7f5b010bb, counter=0x7f5b010bb, flags=0, prelocking_strategy=0x7f5b010bb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10bb0000, tables=0x7f5a10bb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10bb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10bb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10bb0000, rawbuf=0x7f5a10bb4b10 "SELECT c FROM sbtest7 WHERE id=504283", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10bb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10bb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10bba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 282 (Thread 0x7f5b0011a000 (LWP 4282)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10ba0000, table_list=0x7f5a10ba5000, ot_ctx=0x7f5b010ba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010ba, has_prelocking_list=false, ot_ctx=0x7f5b010ba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10ba0000, start=0x7f5b010ba, counter=0x7f5b010ba, flags=0, prelocking_strategy=0x7f5b010ba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10ba0000, tables=0x7f5a10ba5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10ba0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10ba0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10ba0000, rawbuf=0x7f5a10ba4b10 "SELECT c FROM sbtest7 WHERE id=504282", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10ba0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10ba0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10baa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 281 (Thread 0x7f5b00119000 (LWP 4281)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b90000, table_list=0x7f5a10b95000, ot_ctx=0x7f5b010b9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b9, has_prelocking_list=false, ot_ctx=0x7f5b010b9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b90000, start=0x7f5b010b9, counter=0x7f5b010b9, flags=0, prelocking_strategy=0x7f5b010b9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b90000, tables=0x7f5a10b95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b90000, rawbuf=0x7f5a10b94b10 "SELECT c FROM sbtest7 WHERE id=504281", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 280 (Thread 0x7f5b00118000 (LWP 4280)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b80000, table_list=0x7f5a10b85000, ot_ctx=0x7f5b010b8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b8, has_prelocking_list=false, ot_ctx=0x7f5b010b8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b80000, start=0x7f5b010b8, counter=0x7f5b010b8, flags=0, prelocking_strategy=0x7f5b010b8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b80000, tables=0x7f5a10b85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b80000, rawbuf=0x7f5a10b84b10 "SELECT c FROM sbtest7 WHERE id=504280", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 279 (Thread 0x7f5b00117000 (LWP 4279)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b010b7, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a10b700d0, mdl_request=0x7f5a10b75200, out_ticket=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a10b700d0, mdl_request=0x7f5a10b75200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10b70000, ot_ctx=0x7f5b010b7, table_list=0x7f5a10b75000, flags=0, mdl_ticket=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10b70000, table_list=0x7f5a10b75000, ot_ctx=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b7, has_prelocking_list=false, ot_ctx=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10b70000, start=0x7f5b010b7, counter=0x7f5b010b7, flags=0, prelocking_strategy=0x7f5b010b7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b70000, tables=0x7f5a10b75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10b70000, rawbuf=0x7f5a10b74b10 "SELECT c FROM sbtest7 WHERE id=504279", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 278 (Thread 0x7f5b00116000 (LWP 4278)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b60000, table_list=0x7f5a10b65000, ot_ctx=0x7f5b010b6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b6, has_prelocking_list=false, ot_ctx=0x7f5b010b6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b60000, start=0x7f5b010b6, counter=0x7f5b010b6, flags=0, prelocking_strategy=0x7f5b010b6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b60000, tables=0x7f5a10b65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b60000, rawbuf=0x7f5a10b64b10 "SELECT c FROM sbtest7 WHERE id=504278", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 277 (Thread 0x7f5b00115000 (LWP 4277)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10b5, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10b5, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10b5, buf=0x7f5a10b5d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10b50350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10b50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10b50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10b50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 276 (Thread 0x7f5b00114000 (LWP 4276)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b40000, table_list=0x7f5a10b45000, ot_ctx=0x7f5b010b4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b4, has_prelocking_list=false, ot_ctx=0x7f5b010b4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b40000, start=0x7f5b010b4, counter=0x7f5b010b4, flags=0, prelocking_strategy=0x7f5b010b4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b40000, tables=0x7f5a10b45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b40000, rawbuf=0x7f5a10b44b10 "SELECT c FROM sbtest7 WHERE id=504276", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 275 (Thread 0x7f5b00113000 (LWP 4275)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b30000, table_list=0x7f5a10b35000, ot_ctx=0x7f5b010b3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b3, has_prelocking_list=false, ot_ctx=0x7f5b010b3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b30000, start=0x7f5b010b3, counter=0x7f5b010b3, flags=0, prelocking_strategy=0x7f5b010b3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b30000, tables=0x7f5a10b35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b30000, rawbuf=0x7f5a10b34b10 "SELECT c FROM sbtest7 WHERE id=504275", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 274 (Thread 0x7f5b00112000 (LWP 4274)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b20000, table_list=0x7f5a10b25000, ot_ctx=0x7f5b010b2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b2, has_prelocking_list=false, ot_ctx=0x7f5b010b2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b20000, start=0x7f5b010b2, counter=0x7f5b010b2, flags=0, prelocking_strategy=0x7f5b010b2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b20000, tables=0x7f5a10b25000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b20000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b20000, rawbuf=0x7f5a10b24b10 "SELECT c FROM sbtest7 WHERE id=504274", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b20000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 273 (Thread 0x7f5b00111000 (LWP 4273)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10b1, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10b1, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10b1, buf=0x7f5a10b1d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10b10350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10b10350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10b10350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10b10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 272 (Thread 0x7f5b00110000 (LWP 4272)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10b00000, table_list=0x7f5a10b05000, ot_ctx=0x7f5b010b0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010b0, has_prelocking_list=false, ot_ctx=0x7f5b010b0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10b00000, start=0x7f5b010b0, counter=0x7f5b010b0, flags=0, prelocking_strategy=0x7f5b010b0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10b00000, tables=0x7f5a10b05000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10b00000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10b00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10b00000, rawbuf=0x7f5a10b04b10 "SELECT c FROM sbtest7 WHERE id=504272", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10b00000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10b00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10b0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 271 (Thread 0x7f5b0010f000 (LWP 4271)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10af, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10af, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10af, buf=0x7f5a10afd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10af0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10af0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10af0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10af0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10af0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10afa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 270 (Thread 0x7f5b0010e000 (LWP 4270)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10ae, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10ae, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10ae, buf=0x7f5a10aed000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10ae0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10ae0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10ae0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10ae0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10ae0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10aea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 269 (Thread 0x7f5b0010d000 (LWP 4269)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10ad, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10ad, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10ad, buf=0x7f5a10add000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10ad0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10ad0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10ad0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10ad0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10ad0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10ada000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 268 (Thread 0x7f5b0010c000 (LWP 4268)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10ac, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10ac, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10ac, buf=0x7f5a10acd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10ac0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10ac0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10ac0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10ac0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10ac0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10aca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 267 (Thread 0x7f5b0010b000 (LWP 4267)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10ab0000, table_list=0x7f5a10ab5000, ot_ctx=0x7f5b010ab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010ab, has_prelocking_list=false, ot_ctx=0x7f5b010ab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10ab0000, start=0x7f5b010ab, counter=0x7f5b010ab, flags=0, prelocking_strategy=0x7f5b010ab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10ab0000, tables=0x7f5a10ab5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10ab0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10ab0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10ab0000, rawbuf=0x7f5a10ab4b10 "SELECT c FROM sbtest7 WHERE id=504267", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10ab0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10ab0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10aba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 266 (Thread 0x7f5b0010a000 (LWP 4266)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10aa, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10aa, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10aa, buf=0x7f5a10aad000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10aa0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10aa0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10aa0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10aa0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10aa0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10aaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 265 (Thread 0x7f5b00109000 (LWP 4265)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a90000, table_list=0x7f5a10a95000, ot_ctx=0x7f5b010a9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a9, has_prelocking_list=false, ot_ctx=0x7f5b010a9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a90000, start=0x7f5b010a9, counter=0x7f5b010a9, flags=0, prelocking_strategy=0x7f5b010a9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a90000, tables=0x7f5a10a95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a90000, rawbuf=0x7f5a10a94b10 "SELECT c FROM sbtest7 WHERE id=504265", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 264 (Thread 0x7f5b00108000 (LWP 4264)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b010a8, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a10a800d0, mdl_request=0x7f5a10a85200, out_ticket=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a10a800d0, mdl_request=0x7f5a10a85200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10a80000, ot_ctx=0x7f5b010a8, table_list=0x7f5a10a85000, flags=0, mdl_ticket=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10a80000, table_list=0x7f5a10a85000, ot_ctx=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a8, has_prelocking_list=false, ot_ctx=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10a80000, start=0x7f5b010a8, counter=0x7f5b010a8, flags=0, prelocking_strategy=0x7f5b010a8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a80000, tables=0x7f5a10a85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10a80000, rawbuf=0x7f5a10a84b10 "SELECT c FROM sbtest7 WHERE id=504264", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 263 (Thread 0x7f5b00107000 (LWP 4263)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a70000, table_list=0x7f5a10a75000, ot_ctx=0x7f5b010a7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a7, has_prelocking_list=false, ot_ctx=0x7f5b010a7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a70000, start=0x7f5b010a7, counter=0x7f5b010a7, flags=0, prelocking_strategy=0x7f5b010a7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a70000, tables=0x7f5a10a75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a70000, rawbuf=0x7f5a10a74b10 "SELECT c FROM sbtest7 WHERE id=504263", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 262 (Thread 0x7f5b00106000 (LWP 4262)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a60000, table_list=0x7f5a10a65000, ot_ctx=0x7f5b010a6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a6, has_prelocking_list=false, ot_ctx=0x7f5b010a6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a60000, start=0x7f5b010a6, counter=0x7f5b010a6, flags=0, prelocking_strategy=0x7f5b010a6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a60000, tables=0x7f5a10a65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a60000, rawbuf=0x7f5a10a64b10 "SELECT c FROM sbtest7 WHERE id=504262", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 261 (Thread 0x7f5b00105000 (LWP 4261)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10a5, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10a5, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10a5, buf=0x7f5a10a5d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10a50350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10a50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10a50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10a50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 260 (Thread 0x7f5b00104000 (LWP 4260)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a40000, table_list=0x7f5a10a45000, ot_ctx=0x7f5b010a4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a4, has_prelocking_list=false, ot_ctx=0x7f5b010a4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a40000, start=0x7f5b010a4, counter=0x7f5b010a4, flags=0, prelocking_strategy=0x7f5b010a4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a40000, tables=0x7f5a10a45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a40000, rawbuf=0x7f5a10a44b10 "SELECT c FROM sbtest7 WHERE id=504260", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 259 (Thread 0x7f5b00103000 (LWP 4259)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a30000, table_list=0x7f5a10a35000, ot_ctx=0x7f5b010a3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a3, has_prelocking_list=false, ot_ctx=0x7f5b010a3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a30000, start=0x7f5b010a3, counter=0x7f5b010a3, flags=0, prelocking_strategy=0x7f5b010a3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a30000, tables=0x7f5a10a35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a30000, rawbuf=0x7f5a10a34b10 "SELECT c FROM sbtest7 WHERE id=504259", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 258 (Thread 0x7f5b00102000 (LWP 4258)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a10a2, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a10a2, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a10a2, buf=0x7f5a10a2d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10a20350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10a20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10a20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10a20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 257 (Thread 0x7f5b00101000 (LWP 4257)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a10000, table_list=0x7f5a10a15000, ot_ctx=0x7f5b010a1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a1, has_prelocking_list=false, ot_ctx=0x7f5b010a1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a10000, start=0x7f5b010a1, counter=0x7f5b010a1, flags=0, prelocking_strategy=0x7f5b010a1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a10000, tables=0x7f5a10a15000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a10000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a10000, rawbuf=0x7f5a10a14b10 "SELECT c FROM sbtest7 WHERE id=504257", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a10000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 256 (Thread 0x7f5b00100000 (LWP 4256)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10a00000, table_list=0x7f5a10a05000, ot_ctx=0x7f5b010a0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b010a0, has_prelocking_list=false, ot_ctx=0x7f5b010a0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10a00000, start=0x7f5b010a0, counter=0x7f5b010a0, flags=0, prelocking_strategy=0x7f5b010a0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10a00000, tables=0x7f5a10a05000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10a00000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10a00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10a00000, rawbuf=0x7f5a10a04b10 "SELECT c FROM sbtest7 WHERE id=504256", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10a00000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10a00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a10a0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 255 (Thread 0x7f5b000ff000 (LWP 4255)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a109f0000, table_list=0x7f5a109f5000, ot_ctx=0x7f5b0109f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0109f, has_prelocking_list=false, ot_ctx=0x7f5b0109f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a109f0000, start=0x7f5b0109f, counter=0x7f5b0109f, flags=0, prelocking_strategy=0x7f5b0109f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a109f0000, tables=0x7f5a109f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a109f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a109f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a109f0000, rawbuf=0x7f5a109f4b10 "SELECT c FROM sbtest7 WHERE id=504255", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a109f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 254 (Thread 0x7f5b000fe000 (LWP 4254)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a109e0000, table_list=0x7f5a109e5000, ot_ctx=0x7f5b0109e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0109e, has_prelocking_list=false, ot_ctx=0x7f5b0109e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a109e0000, start=0x7f5b0109e, counter=0x7f5b0109e, flags=0, prelocking_strategy=0x7f5b0109e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a109e0000, tables=0x7f5a109e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a109e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a109e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a109e0000, rawbuf=0x7f5a109e4b10 "SELECT c FROM sbtest7 WHERE id=504254", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a109e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 253 (Thread 0x7f5b000fd000 (LWP 4253)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a109d0000, table_list=0x7f5a109d5000, ot_ctx=0x7f5b0109d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0109d, has_prelocking_list=false, ot_ctx=0x7f5b0109d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a109d0000, start=0x7f5b0109d, counter=0x7f5b0109d, flags=0, prelocking_strategy=0x7f5b0109d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a109d0000, tables=0x7f5a109d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a109d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a109d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a109d0000, rawbuf=0x7f5a109d4b10 "SELECT c FROM sbtest7 WHERE id=504253", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a109d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 252 (Thread 0x7f5b000fc000 (LWP 4252)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a109c0000, table_list=0x7f5a109c5000, ot_ctx=0x7f5b0109c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0109c, has_prelocking_list=false, ot_ctx=0x7f5b0109c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a109c0000, start=0x7f5b0109c, counter=0x7f5b0109c, flags=0, prelocking_strategy=0x7f5b0109c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a109c0000, tables=0x7f5a109c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a109c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a109c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a109c0000, rawbuf=0x7f5a109c4b10 "SELECT c FROM sbtest7 WHERE id=504252", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a109c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 251 (Thread 0x7f5b000fb000 (LWP 4251)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a109b0000, table_list=0x7f5a109b5000, ot_ctx=0x7f5b0109b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0109b, has_prelocking_list=false, ot_ctx=0x7f5b0109b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a109b0000, start=0x7f5b0109b, counter=0x7f5b0109b, flags=0, prelocking_strategy=0x7f5b0109b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a109b0000, tables=0x7f5a109b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a109b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a109b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a109b0000, rawbuf=0x7f5a109b4b10 "SELECT c FROM sbtest7 WHERE id=504251", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a109b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 250 (Thread 0x7f5b000fa000 (LWP 4250)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a109a, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a109a, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a109a, buf=0x7f5a109ad000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a109a0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a109a0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a109a0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a109a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a109a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a109aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 249 (Thread 0x7f5b000f9000 (LWP 4249)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10990000, table_list=0x7f5a10995000, ot_ctx=0x7f5b01099) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01099, has_prelocking_list=false, ot_ctx=0x7f5b01099) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10990000, start=0x7f5b01099, counter=0x7f5b01099, flags=0, prelocking_strategy=0x7f5b01099) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10990000, tables=0x7f5a10995000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10990000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10990000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10990000, rawbuf=0x7f5a10994b10 "SELECT c FROM sbtest7 WHERE id=504249", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10990000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10990000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1099a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 248 (Thread 0x7f5b000f8000 (LWP 4248)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1098, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1098, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1098, buf=0x7f5a1098d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10980350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10980350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10980350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10980000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10980000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1098a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 247 (Thread 0x7f5b000f7000 (LWP 4247)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10970000, table_list=0x7f5a10975000, ot_ctx=0x7f5b01097) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01097, has_prelocking_list=false, ot_ctx=0x7f5b01097) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10970000, start=0x7f5b01097, counter=0x7f5b01097, flags=0, prelocking_strategy=0x7f5b01097) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10970000, tables=0x7f5a10975000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10970000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10970000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10970000, rawbuf=0x7f5a10974b10 "SELECT c FROM sbtest7 WHERE id=504247", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10970000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10970000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1097a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 246 (Thread 0x7f5b000f6000 (LWP 4246)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10960000, table_list=0x7f5a10965000, ot_ctx=0x7f5b01096) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01096, has_prelocking_list=false, ot_ctx=0x7f5b01096) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10960000, start=0x7f5b01096, counter=0x7f5b01096, flags=0, prelocking_strategy=0x7f5b01096) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10960000, tables=0x7f5a10965000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10960000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10960000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10960000, rawbuf=0x7f5a10964b10 "SELECT c FROM sbtest7 WHERE id=504246", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10960000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10960000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1096a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 245 (Thread 0x7f5b000f5000 (LWP 4245)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10950000, table_list=0x7f5a10955000, ot_ctx=0x7f5b01095) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01095, has_prelocking_list=false, ot_ctx=0x7f5b01095) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10950000, start=0x7f5b01095, counter=0x7f5b01095, flags=0, prelocking_strategy=0x7f5b01095) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10950000, tables=0x7f5a10955000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10950000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10950000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10950000, rawbuf=0x7f5a10954b10 "SELECT c FROM sbtest7 WHERE id=504245", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10950000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10950000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1095a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 244 (Thread 0x7f5b000f4000 (LWP 4244)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1094, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1094, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1094, buf=0x7f5a1094d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10940350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10940350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10940350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10940000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10940000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1094a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 243 (Thread 0x7f5b000f3000 (LWP 4243)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01093, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a109300d0, mdl_request=0x7f5a10935200, out_ticket=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a109300d0, mdl_request=0x7f5a10935200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10930000, ot_ctx=0x7f5b01093, table_list=0x7f5a10935000, flags=0, mdl_ticket=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10930000, table_list=0x7f5a10935000, ot_ctx=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01093, has_prelocking_list=false, ot_ctx=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10930000, start=0x7f5b01093, counter=0x7f5b01093, flags=0, prelocking_strategy=0x7f5b01093) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10930000, tables=0x7f5a10935000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10930000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10930000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10930000, rawbuf=0x7f5a10934b10 "SELECT c FROM sbtest7 WHERE id=504243", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10930000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10930000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1093a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 242 (Thread 0x7f5b000f2000 (LWP 4242)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10920000, table_list=0x7f5a10925000, ot_ctx=0x7f5b01092) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01092, has_prelocking_list=false, ot_ctx=0x7f5b01092) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10920000, start=0x7f5b01092, counter=0x7f5b01092, flags=0, prelocking_strategy=0x7f5b01092) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10920000, tables=0x7f5a10925000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10920000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10920000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10920000, rawbuf=0x7f5a10924b10 "SELECT c FROM sbtest7 WHERE id=504242", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10920000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10920000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1092a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 241 (Thread 0x7f5b000f1000 (LWP 4241)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01091, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a109100d0, mdl_request=0x7f5a10915200, out_ticket=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a109100d0, mdl_request=0x7f5a10915200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10910000, ot_ctx=0x7f5b01091, table_list=0x7f5a10915000, flags=0, mdl_ticket=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10910000, table_list=0x7f5a10915000, ot_ctx=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01091, has_prelocking_list=false, ot_ctx=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10910000, start=0x7f5b01091, counter=0x7f5b01091, flags=0, prelocking_strategy=0x7f5b01091) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10910000, tables=0x7f5a10915000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10910000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10910000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10910000, rawbuf=0x7f5a10914b10 "SELECT c FROM sbtest7 WHERE id=504241", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10910000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10910000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1091a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 240 (Thread 0x7f5b000f0000 (LWP 4240)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1090, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1090, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1090, buf=0x7f5a1090d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10900350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10900350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10900350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10900000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10900000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1090a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 239 (Thread 0x7f5b000ef000 (LWP 4239)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a108f0000, table_list=0x7f5a108f5000, ot_ctx=0x7f5b0108f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0108f, has_prelocking_list=false, ot_ctx=0x7f5b0108f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a108f0000, start=0x7f5b0108f, counter=0x7f5b0108f, flags=0, prelocking_strategy=0x7f5b0108f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a108f0000, tables=0x7f5a108f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a108f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a108f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a108f0000, rawbuf=0x7f5a108f4b10 "SELECT c FROM sbtest7 WHERE id=504239", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a108f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 238 (Thread 0x7f5b000ee000 (LWP 4238)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0108e, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a108e00d0, mdl_request=0x7f5a108e5200, out_ticket=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a108e00d0, mdl_request=0x7f5a108e5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a108e0000, ot_ctx=0x7f5b0108e, table_list=0x7f5a108e5000, flags=0, mdl_ticket=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a108e0000, table_list=0x7f5a108e5000, ot_ctx=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0108e, has_prelocking_list=false, ot_ctx=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a108e0000, start=0x7f5b0108e, counter=0x7f5b0108e, flags=0, prelocking_strategy=0x7f5b0108e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a108e0000, tables=0x7f5a108e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a108e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a108e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a108e0000, rawbuf=0x7f5a108e4b10 "SELECT c FROM sbtest7 WHERE id=504238", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a108e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 237 (Thread 0x7f5b000ed000 (LWP 4237)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a108d0000, table_list=0x7f5a108d5000, ot_ctx=0x7f5b0108d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0108d, has_prelocking_list=false, ot_ctx=0x7f5b0108d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a108d0000, start=0x7f5b0108d, counter=0x7f5b0108d, flags=0, prelocking_strategy=0x7f5b0108d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a108d0000, tables=0x7f5a108d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a108d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a108d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a108d0000, rawbuf=0x7f5a108d4b10 "SELECT c FROM sbtest7 WHERE id=504237", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a108d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 236 (Thread 0x7f5b000ec000 (LWP 4236)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a108c, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a108c, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a108c, buf=0x7f5a108cd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a108c0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a108c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a108c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a108c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 235 (Thread 0x7f5b000eb000 (LWP 4235)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a108b0000, table_list=0x7f5a108b5000, ot_ctx=0x7f5b0108b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0108b, has_prelocking_list=false, ot_ctx=0x7f5b0108b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a108b0000, start=0x7f5b0108b, counter=0x7f5b0108b, flags=0, prelocking_strategy=0x7f5b0108b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a108b0000, tables=0x7f5a108b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a108b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a108b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a108b0000, rawbuf=0x7f5a108b4b10 "SELECT c FROM sbtest7 WHERE id=504235", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a108b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 234 (Thread 0x7f5b000ea000 (LWP 4234)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a108a0000, table_list=0x7f5a108a5000, ot_ctx=0x7f5b0108a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0108a, has_prelocking_list=false, ot_ctx=0x7f5b0108a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a108a0000, start=0x7f5b0108a, counter=0x7f5b0108a, flags=0, prelocking_strategy=0x7f5b0108a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a108a0000, tables=0x7f5a108a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a108a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a108a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a108a0000, rawbuf=0x7f5a108a4b10 "SELECT c FROM sbtest7 WHERE id=504234", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a108a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a108a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a108aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 233 (Thread 0x7f5b000e9000 (LWP 4233)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1089, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1089, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1089, buf=0x7f5a1089d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10890350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10890350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10890350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10890000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10890000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1089a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 232 (Thread 0x7f5b000e8000 (LWP 4232)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10880000, table_list=0x7f5a10885000, ot_ctx=0x7f5b01088) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01088, has_prelocking_list=false, ot_ctx=0x7f5b01088) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10880000, start=0x7f5b01088, counter=0x7f5b01088, flags=0, prelocking_strategy=0x7f5b01088) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10880000, tables=0x7f5a10885000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10880000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10880000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10880000, rawbuf=0x7f5a10884b10 "SELECT c FROM sbtest7 WHERE id=504232", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10880000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10880000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1088a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 231 (Thread 0x7f5b000e7000 (LWP 4231)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01087, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a108700d0, mdl_request=0x7f5a10875200, out_ticket=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a108700d0, mdl_request=0x7f5a10875200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10870000, ot_ctx=0x7f5b01087, table_list=0x7f5a10875000, flags=0, mdl_ticket=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10870000, table_list=0x7f5a10875000, ot_ctx=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01087, has_prelocking_list=false, ot_ctx=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10870000, start=0x7f5b01087, counter=0x7f5b01087, flags=0, prelocking_strategy=0x7f5b01087) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10870000, tables=0x7f5a10875000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10870000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10870000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10870000, rawbuf=0x7f5a10874b10 "SELECT c FROM sbtest7 WHERE id=504231", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10870000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10870000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1087a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 230 (Thread 0x7f5b000e6000 (LWP 4230)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10860000, table_list=0x7f5a10865000, ot_ctx=0x7f5b01086) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01086, has_prelocking_list=false, ot_ctx=0x7f5b01086) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10860000, start=0x7f5b01086, counter=0x7f5b01086, flags=0, prelocking_strategy=0x7f5b01086) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10860000, tables=0x7f5a10865000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10860000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10860000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10860000, rawbuf=0x7f5a10864b10 "SELECT c FROM sbtest7 WHERE id=504230", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10860000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10860000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1086a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 229 (Thread 0x7f5b000e5000 (LWP 4229)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10850000, table_list=0x7f5a10855000, ot_ctx=0x7f5b01085) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01085, has_prelocking_list=false, ot_ctx=0x7f5b01085) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10850000, start=0x7f5b01085, counter=0x7f5b01085, flags=0, prelocking_strategy=0x7f5b01085) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10850000, tables=0x7f5a10855000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10850000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10850000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10850000, rawbuf=0x7f5a10854b10 "SELECT c FROM sbtest7 WHERE id=504229", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10850000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10850000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1085a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 228 (Thread 0x7f5b000e4000 (LWP 4228)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10840000, table_list=0x7f5a10845000, ot_ctx=0x7f5b01084) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01084, has_prelocking_list=false, ot_ctx=0x7f5b01084) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10840000, start=0x7f5b01084, counter=0x7f5b01084, flags=0, prelocking_strategy=0x7f5b01084) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10840000, tables=0x7f5a10845000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10840000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10840000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10840000, rawbuf=0x7f5a10844b10 "SELECT c FROM sbtest7 WHERE id=504228", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10840000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10840000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1084a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 227 (Thread 0x7f5b000e3000 (LWP 4227)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10830000, table_list=0x7f5a10835000, ot_ctx=0x7f5b01083) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01083, has_prelocking_list=false, ot_ctx=0x7f5b01083) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10830000, start=0x7f5b01083, counter=0x7f5b01083, flags=0, prelocking_strategy=0x7f5b01083) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10830000, tables=0x7f5a10835000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10830000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10830000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10830000, rawbuf=0x7f5a10834b10 "SELECT c FROM sbtest7 WHERE id=504227", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10830000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10830000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1083a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 226 (Thread 0x7f5b000e2000 (LWP 4226)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10820000, table_list=0x7f5a10825000, ot_ctx=0x7f5b01082) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01082, has_prelocking_list=false, ot_ctx=0x7f5b01082) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10820000, start=0x7f5b01082, counter=0x7f5b01082, flags=0, prelocking_strategy=0x7f5b01082) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10820000, tables=0x7f5a10825000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10820000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10820000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10820000, rawbuf=0x7f5a10824b10 "SELECT c FROM sbtest7 WHERE id=504226", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10820000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10820000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1082a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 225 (Thread 0x7f5b000e1000 (LWP 4225)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10810000, table_list=0x7f5a10815000, ot_ctx=0x7f5b01081) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01081, has_prelocking_list=false, ot_ctx=0x7f5b01081) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10810000, start=0x7f5b01081, counter=0x7f5b01081, flags=0, prelocking_strategy=0x7f5b01081) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10810000, tables=0x7f5a10815000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10810000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10810000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10810000, rawbuf=0x7f5a10814b10 "SELECT c FROM sbtest7 WHERE id=504225", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10810000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10810000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1081a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 224 (Thread 0x7f5b000e0000 (LWP 4224)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1080, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1080, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1080, buf=0x7f5a1080d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10800350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10800350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10800350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10800000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10800000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1080a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 223 (Thread 0x7f5b000df000 (LWP 4223)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a107f0000, table_list=0x7f5a107f5000, ot_ctx=0x7f5b0107f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0107f, has_prelocking_list=false, ot_ctx=0x7f5b0107f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a107f0000, start=0x7f5b0107f, counter=0x7f5b0107f, flags=0, prelocking_strategy=0x7f5b0107f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a107f0000, tables=0x7f5a107f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a107f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a107f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a107f0000, rawbuf=0x7f5a107f4b10 "SELECT c FROM sbtest7 WHERE id=504223", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a107f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 222 (Thread 0x7f5b000de000 (LWP 4222)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a107e0000, table_list=0x7f5a107e5000, ot_ctx=0x7f5b0107e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0107e, has_prelocking_list=false, ot_ctx=0x7f5b0107e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a107e0000, start=0x7f5b0107e, counter=0x7f5b0107e, flags=0, prelocking_strategy=0x7f5b0107e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a107e0000, tables=0x7f5a107e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a107e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a107e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a107e0000, rawbuf=0x7f5a107e4b10 "SELECT c FROM sbtest7 WHERE id=504222", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a107e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 221 (Thread 0x7f5b000dd000 (LWP 4221)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a107d0000, table_list=0x7f5a107d5000, ot_ctx=0x7f5b0107d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0107d, has_prelocking_list=false, ot_ctx=0x7f5b0107d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a107d0000, start=0x7f5b0107d, counter=0x7f5b0107d, flags=0, prelocking_strategy=0x7f5b0107d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a107d0000, tables=0x7f5a107d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a107d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a107d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a107d0000, rawbuf=0x7f5a107d4b10 "SELECT c FROM sbtest7 WHERE id=504221", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a107d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 220 (Thread 0x7f5b000dc000 (LWP 4220)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a107c, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a107c, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a107c, buf=0x7f5a107cd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a107c0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a107c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a107c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a107c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 219 (Thread 0x7f5b000db000 (LWP 4219)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a107b0000, table_list=0x7f5a107b5000, ot_ctx=0x7f5b0107b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0107b, has_prelocking_list=false, ot_ctx=0x7f5b0107b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a107b0000, start=0x7f5b0107b, counter=0x7f5b0107b, flags=0, prelocking_strategy=0x7f5b0107b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a107b0000, tables=0x7f5a107b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a107b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a107b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a107b0000, rawbuf=0x7f5a107b4b10 "SELECT c FROM sbtest7 WHERE id=504219", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a107b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 218 (Thread 0x7f5b000da000 (LWP 4218)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a107a0000, table_list=0x7f5a107a5000, ot_ctx=0x7f5b0107a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0107a, has_prelocking_list=false, ot_ctx=0x7f5b0107a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a107a0000, start=0x7f5b0107a, counter=0x7f5b0107a, flags=0, prelocking_strategy=0x7f5b0107a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a107a0000, tables=0x7f5a107a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a107a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a107a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a107a0000, rawbuf=0x7f5a107a4b10 "SELECT c FROM sbtest7 WHERE id=504218", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a107a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a107a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a107aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 217 (Thread 0x7f5b000d9000 (LWP 4217)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10790000, table_list=0x7f5a10795000, ot_ctx=0x7f5b01079) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01079, has_prelocking_list=false, ot_ctx=0x7f5b01079) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10790000, start=0x7f5b01079, counter=0x7f5b01079, flags=0, prelocking_strategy=0x7f5b01079) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10790000, tables=0x7f5a10795000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10790000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10790000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10790000, rawbuf=0x7f5a10794b10 "SELECT c FROM sbtest7 WHERE id=504217", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10790000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10790000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1079a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 216 (Thread 0x7f5b000d8000 (LWP 4216)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10780000, table_list=0x7f5a10785000, ot_ctx=0x7f5b01078) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01078, has_prelocking_list=false, ot_ctx=0x7f5b01078) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10780000, start=0x7f5b01078, counter=0x7f5b01078, flags=0, prelocking_strategy=0x7f5b01078) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10780000, tables=0x7f5a10785000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10780000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10780000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10780000, rawbuf=0x7f5a10784b10 "SELECT c FROM sbtest7 WHERE id=504216", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10780000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10780000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1078a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 215 (Thread 0x7f5b000d7000 (LWP 4215)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1077, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1077, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1077, buf=0x7f5a1077d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10770350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10770350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10770350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10770000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10770000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1077a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 214 (Thread 0x7f5b000d6000 (LWP 4214)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10760000, table_list=0x7f5a10765000, ot_ctx=0x7f5b01076) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01076, has_prelocking_list=false, ot_ctx=0x7f5b01076) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10760000, start=0x7f5b01076, counter=0x7f5b01076, flags=0, prelocking_strategy=0x7f5b01076) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10760000, tables=0x7f5a10765000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10760000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10760000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10760000, rawbuf=0x7f5a10764b10 "SELECT c FROM sbtest7 WHERE id=504214", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10760000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10760000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1076a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 213 (Thread 0x7f5b000d5000 (LWP 4213)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10750000, table_list=0x7f5a10755000, ot_ctx=0x7f5b01075) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01075, has_prelocking_list=false, ot_ctx=0x7f5b01075) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10750000, start=0x7f5b01075, counter=0x7f5b01075, flags=0, prelocking_strategy=0x7f5b01075) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10750000, tables=0x7f5a10755000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10750000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10750000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10750000, rawbuf=0x7f5a10754b10 "SELECT c FROM sbtest7 WHERE id=504213", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10750000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10750000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1075a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 212 (Thread 0x7f5b000d4000 (LWP 4212)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10740000, table_list=0x7f5a10745000, ot_ctx=0x7f5b01074) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01074, has_prelocking_list=false, ot_ctx=0x7f5b01074) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10740000, start=0x7f5b01074, counter=0x7f5b01074, flags=0, prelocking_strategy=0x7f5b01074) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10740000, tables=0x7f5a10745000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10740000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10740000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10740000, rawbuf=0x7f5a10744b10 "SELECT c FROM sbtest7 WHERE id=504212", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10740000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10740000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1074a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 211 (Thread 0x7f5b000d3000 (LWP 4211)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10730000, table_list=0x7f5a10735000, ot_ctx=0x7f5b01073) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01073, has_prelocking_list=false, ot_ctx=0x7f5b01073) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10730000, start=0x7f5b01073, counter=0x7f5b01073, flags=0, prelocking_strategy=0x7f5b01073) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10730000, tables=0x7f5a10735000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10730000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10730000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10730000, rawbuf=0x7f5a10734b10 "SELECT c FROM sbtest7 WHERE id=504211", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10730000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10730000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1073a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 210 (Thread 0x7f5b000d2000 (LWP 4210)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1072, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1072, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1072, buf=0x7f5a1072d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10720350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10720350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10720350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10720000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10720000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1072a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 209 (Thread 0x7f5b000d1000 (LWP 4209)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10710000, table_list=0x7f5a10715000, ot_ctx=0x7f5b01071) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01071, has_prelocking_list=false, ot_ctx=0x7f5b01071) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10710000, start=0x7f5b01071, counter=0x7f5b01071, flags=0, prelocking_strategy=0x7f5b01071) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10710000, tables=0x7f5a10715000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10710000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10710000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10710000, rawbuf=0x7f5a10714b10 "SELECT c FROM sbtest7 WHERE id=504209", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10710000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10710000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1071a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 208 (Thread 0x7f5b000d0000 (LWP 4208)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01070, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a107000d0, mdl_request=0x7f5a10705200, out_ticket=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a107000d0, mdl_request=0x7f5a10705200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10700000, ot_ctx=0x7f5b01070, table_list=0x7f5a10705000, flags=0, mdl_ticket=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10700000, table_list=0x7f5a10705000, ot_ctx=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01070, has_prelocking_list=false, ot_ctx=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10700000, start=0x7f5b01070, counter=0x7f5b01070, flags=0, prelocking_strategy=0x7f5b01070) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10700000, tables=0x7f5a10705000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10700000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10700000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10700000, rawbuf=0x7f5a10704b10 "SELECT c FROM sbtest7 WHERE id=504208", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10700000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10700000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1070a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 207 (Thread 0x7f5b000cf000 (LWP 4207)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a106f0000, table_list=0x7f5a106f5000, ot_ctx=0x7f5b0106f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0106f, has_prelocking_list=false, ot_ctx=0x7f5b0106f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a106f0000, start=0x7f5b0106f, counter=0x7f5b0106f, flags=0, prelocking_strategy=0x7f5b0106f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a106f0000, tables=0x7f5a106f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a106f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a106f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a106f0000, rawbuf=0x7f5a106f4b10 "SELECT c FROM sbtest7 WHERE id=504207", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a106f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 206 (Thread 0x7f5b000ce000 (LWP 4206)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0106e, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a106e00d0, mdl_request=0x7f5a106e5200, out_ticket=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a106e00d0, mdl_request=0x7f5a106e5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a106e0000, ot_ctx=0x7f5b0106e, table_list=0x7f5a106e5000, flags=0, mdl_ticket=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a106e0000, table_list=0x7f5a106e5000, ot_ctx=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0106e, has_prelocking_list=false, ot_ctx=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a106e0000, start=0x7f5b0106e, counter=0x7f5b0106e, flags=0, prelocking_strategy=0x7f5b0106e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a106e0000, tables=0x7f5a106e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a106e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a106e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a106e0000, rawbuf=0x7f5a106e4b10 "SELECT c FROM sbtest7 WHERE id=504206", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a106e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 205 (Thread 0x7f5b000cd000 (LWP 4205)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a106d0000, table_list=0x7f5a106d5000, ot_ctx=0x7f5b0106d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0106d, has_prelocking_list=false, ot_ctx=0x7f5b0106d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a106d0000, start=0x7f5b0106d, counter=0x7f5b0106d, flags=0, prelocking_strategy=0x7f5b0106d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a106d0000, tables=0x7f5a106d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a106d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a106d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a106d0000, rawbuf=0x7f5a106d4b10 "SELECT c FROM sbtest7 WHERE id=504205", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a106d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 204 (Thread 0x7f5b000cc000 (LWP 4204)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a106c, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a106c, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a106c, buf=0x7f5a106cd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a106c0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a106c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a106c0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a106c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 203 (Thread 0x7f5b000cb000 (LWP 4203)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a106b0000, table_list=0x7f5a106b5000, ot_ctx=0x7f5b0106b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0106b, has_prelocking_list=false, ot_ctx=0x7f5b0106b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a106b0000, start=0x7f5b0106b, counter=0x7f5b0106b, flags=0, prelocking_strategy=0x7f5b0106b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a106b0000, tables=0x7f5a106b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a106b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a106b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a106b0000, rawbuf=0x7f5a106b4b10 "SELECT c FROM sbtest7 WHERE id=504203", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a106b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 202 (Thread 0x7f5b000ca000 (LWP 4202)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a106a0000, table_list=0x7f5a106a5000, ot_ctx=0x7f5b0106a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0106a, has_prelocking_list=false, ot_ctx=0x7f5b0106a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a106a0000, start=0x7f5b0106a, counter=0x7f5b0106a, flags=0, prelocking_strategy=0x7f5b0106a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a106a0000, tables=0x7f5a106a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a106a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a106a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a106a0000, rawbuf=0x7f5a106a4b10 "SELECT c FROM sbtest7 WHERE id=504202", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a106a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a106a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a106aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 201 (Thread 0x7f5b000c9000 (LWP 4201)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10690000, table_list=0x7f5a10695000, ot_ctx=0x7f5b01069) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01069, has_prelocking_list=false, ot_ctx=0x7f5b01069) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10690000, start=0x7f5b01069, counter=0x7f5b01069, flags=0, prelocking_strategy=0x7f5b01069) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10690000, tables=0x7f5a10695000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10690000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10690000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10690000, rawbuf=0x7f5a10694b10 "SELECT c FROM sbtest7 WHERE id=504201", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10690000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10690000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1069a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 200 (Thread 0x7f5b000c8000 (LWP 4200)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1068, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1068, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1068, buf=0x7f5a1068d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10680350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10680350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10680350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10680000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10680000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1068a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 199 (Thread 0x7f5b000c7000 (LWP 4199)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10670000, table_list=0x7f5a10675000, ot_ctx=0x7f5b01067) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01067, has_prelocking_list=false, ot_ctx=0x7f5b01067) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10670000, start=0x7f5b01067, counter=0x7f5b01067, flags=0, prelocking_strategy=0x7f5b01067) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10670000, tables=0x7f5a10675000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10670000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10670000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10670000, rawbuf=0x7f5a10674b10 "SELECT c FROM sbtest7 WHERE id=504199", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10670000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10670000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1067a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 198 (Thread 0x7f5b000c6000 (LWP 4198)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10660000, table_list=0x7f5a10665000, ot_ctx=0x7f5b01066) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01066, has_prelocking_list=false, ot_ctx=0x7f5b01066) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10660000, start=0x7f5b01066, counter=0x7f5b01066, flags=0, prelocking_strategy=0x7f5b01066) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10660000, tables=0x7f5a10665000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10660000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10660000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10660000, rawbuf=0x7f5a10664b10 "SELECT c FROM sbtest7 WHERE id=504198", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10660000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10660000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1066a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 197 (Thread 0x7f5b000c5000 (LWP 4197)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01065, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a106500d0, mdl_request=0x7f5a10655200, out_ticket=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a106500d0, mdl_request=0x7f5a10655200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10650000, ot_ctx=0x7f5b01065, table_list=0x7f5a10655000, flags=0, mdl_ticket=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10650000, table_list=0x7f5a10655000, ot_ctx=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01065, has_prelocking_list=false, ot_ctx=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10650000, start=0x7f5b01065, counter=0x7f5b01065, flags=0, prelocking_strategy=0x7f5b01065) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10650000, tables=0x7f5a10655000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10650000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10650000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10650000, rawbuf=0x7f5a10654b10 "SELECT c FROM sbtest7 WHERE id=504197", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10650000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10650000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1065a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 196 (Thread 0x7f5b000c4000 (LWP 4196)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01064, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a106400d0, mdl_request=0x7f5a10645200, out_ticket=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a106400d0, mdl_request=0x7f5a10645200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10640000, ot_ctx=0x7f5b01064, table_list=0x7f5a10645000, flags=0, mdl_ticket=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10640000, table_list=0x7f5a10645000, ot_ctx=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01064, has_prelocking_list=false, ot_ctx=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10640000, start=0x7f5b01064, counter=0x7f5b01064, flags=0, prelocking_strategy=0x7f5b01064) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10640000, tables=0x7f5a10645000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10640000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10640000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10640000, rawbuf=0x7f5a10644b10 "SELECT c FROM sbtest7 WHERE id=504196", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10640000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10640000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1064a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 195 (Thread 0x7f5b000c3000 (LWP 4195)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1063, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1063, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1063, buf=0x7f5a1063d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10630350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10630350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10630350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10630000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10630000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1063a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 194 (Thread 0x7f5b000c2000 (LWP 4194)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10620000, table_list=0x7f5a10625000, ot_ctx=0x7f5b01062) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01062, has_prelocking_list=false, ot_ctx=0x7f5b01062) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10620000, start=0x7f5b01062, counter=0x7f5b01062, flags=0, prelocking_strategy=0x7f5b01062) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10620000, tables=0x7f5a10625000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10620000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10620000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10620000, rawbuf=0x7f5a10624b10 "SELECT c FROM sbtest7 WHERE id=504194", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10620000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10620000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1062a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 193 (Thread 0x7f5b000c1000 (LWP 4193)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10610000, table_list=0x7f5a10615000, ot_ctx=0x7f5b01061) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01061, has_prelocking_list=false, ot_ctx=0x7f5b01061) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10610000, start=0x7f5b01061, counter=0x7f5b01061, flags=0, prelocking_strategy=0x7f5b01061) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10610000, tables=0x7f5a10615000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10610000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10610000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10610000, rawbuf=0x7f5a10614b10 "SELECT c FROM sbtest7 WHERE id=504193", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10610000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10610000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1061a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 192 (Thread 0x7f5b000c0000 (LWP 4192)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10600000, table_list=0x7f5a10605000, ot_ctx=0x7f5b01060) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01060, has_prelocking_list=false, ot_ctx=0x7f5b01060) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10600000, start=0x7f5b01060, counter=0x7f5b01060, flags=0, prelocking_strategy=0x7f5b01060) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10600000, tables=0x7f5a10605000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10600000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10600000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10600000, rawbuf=0x7f5a10604b10 "SELECT c FROM sbtest7 WHERE id=504192", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10600000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10600000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1060a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 191 (Thread 0x7f5b000bf000 (LWP 4191)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a105f0000, table_list=0x7f5a105f5000, ot_ctx=0x7f5b0105f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0105f, has_prelocking_list=false, ot_ctx=0x7f5b0105f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a105f0000, start=0x7f5b0105f, counter=0x7f5b0105f, flags=0, prelocking_strategy=0x7f5b0105f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a105f0000, tables=0x7f5a105f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a105f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a105f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a105f0000, rawbuf=0x7f5a105f4b10 "SELECT c FROM sbtest7 WHERE id=504191", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a105f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 190 (Thread 0x7f5b000be000 (LWP 4190)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a105e, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a105e, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a105e, buf=0x7f5a105ed000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a105e0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a105e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a105e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a105e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 189 (Thread 0x7f5b000bd000 (LWP 4189)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a105d0000, table_list=0x7f5a105d5000, ot_ctx=0x7f5b0105d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0105d, has_prelocking_list=false, ot_ctx=0x7f5b0105d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a105d0000, start=0x7f5b0105d, counter=0x7f5b0105d, flags=0, prelocking_strategy=0x7f5b0105d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a105d0000, tables=0x7f5a105d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a105d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a105d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a105d0000, rawbuf=0x7f5a105d4b10 "SELECT c FROM sbtest7 WHERE id=504189", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a105d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 188 (Thread 0x7f5b000bc000 (LWP 4188)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a105c0000, table_list=0x7f5a105c5000, ot_ctx=0x7f5b0105c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0105c, has_prelocking_list=false, ot_ctx=0x7f5b0105c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a105c0000, start=0x7f5b0105c, counter=0x7f5b0105c, flags=0, prelocking_strategy=0x7f5b0105c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a105c0000, tables=0x7f5a105c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a105c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a105c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a105c0000, rawbuf=0x7f5a105c4b10 "SELECT c FROM sbtest7 WHERE id=504188", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a105c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 187 (Thread 0x7f5b000bb000 (LWP 4187)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a105b, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a105b, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a105b, buf=0x7f5a105bd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a105b0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a105b0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a105b0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a105b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 186 (Thread 0x7f5b000ba000 (LWP 4186)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a105a0000, table_list=0x7f5a105a5000, ot_ctx=0x7f5b0105a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0105a, has_prelocking_list=false, ot_ctx=0x7f5b0105a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a105a0000, start=0x7f5b0105a, counter=0x7f5b0105a, flags=0, prelocking_strategy=0x7f5b0105a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a105a0000, tables=0x7f5a105a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a105a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a105a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a105a0000, rawbuf=0x7f5a105a4b10 "SELECT c FROM sbtest7 WHERE id=504186", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a105a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a105a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a105aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 185 (Thread 0x7f5b000b9000 (LWP 4185)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10590000, table_list=0x7f5a10595000, ot_ctx=0x7f5b01059) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01059, has_prelocking_list=false, ot_ctx=0x7f5b01059) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10590000, start=0x7f5b01059, counter=0x7f5b01059, flags=0, prelocking_strategy=0x7f5b01059) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10590000, tables=0x7f5a10595000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10590000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10590000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10590000, rawbuf=0x7f5a10594b10 "SELECT c FROM sbtest7 WHERE id=504185", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10590000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10590000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1059a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 184 (Thread 0x7f5b000b8000 (LWP 4184)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10580000, table_list=0x7f5a10585000, ot_ctx=0x7f5b01058) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01058, has_prelocking_list=false, ot_ctx=0x7f5b01058) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10580000, start=0x7f5b01058, counter=0x7f5b01058, flags=0, prelocking_strategy=0x7f5b01058) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10580000, tables=0x7f5a10585000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10580000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10580000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10580000, rawbuf=0x7f5a10584b10 "SELECT c FROM sbtest7 WHERE id=504184", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10580000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10580000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1058a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 183 (Thread 0x7f5b000b7000 (LWP 4183)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1057, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1057, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1057, buf=0x7f5a1057d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10570350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10570350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10570350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10570000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10570000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1057a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 182 (Thread 0x7f5b000b6000 (LWP 4182)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10560000, table_list=0x7f5a10565000, ot_ctx=0x7f5b01056) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01056, has_prelocking_list=false, ot_ctx=0x7f5b01056) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10560000, start=0x7f5b01056, counter=0x7f5b01056, flags=0, prelocking_strategy=0x7f5b01056) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10560000, tables=0x7f5a10565000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10560000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10560000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10560000, rawbuf=0x7f5a10564b10 "SELECT c FROM sbtest7 WHERE id=504182", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10560000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10560000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1056a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 181 (Thread 0x7f5b000b5000 (LWP 4181)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10550000, table_list=0x7f5a10555000, ot_ctx=0x7f5b01055) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01055, has_prelocking_list=false, ot_ctx=0x7f5b01055) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10550000, start=0x7f5b01055, counter=0x7f5b01055, flags=0, prelocking_strategy=0x7f5b01055) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10550000, tables=0x7f5a10555000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10550000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10550000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10550000, rawbuf=0x7f5a10554b10 "SELECT c FROM sbtest7 WHERE id=504181", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10550000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10550000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1055a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 180 (Thread 0x7f5b000b4000 (LWP 4180)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1054, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1054, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1054, buf=0x7f5a1054d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10540350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10540350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10540350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10540000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10540000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1054a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 179 (Thread 0x7f5b000b3000 (LWP 4179)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10530000, table_list=0x7f5a10535000, ot_ctx=0x7f5b01053) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01053, has_prelocking_list=false, ot_ctx=0x7f5b01053) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10530000, start=0x7f5b01053, counter=0x7f5b01053, flags=0, prelocking_strategy=0x7f5b01053) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10530000, tables=0x7f5a10535000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10530000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10530000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10530000, rawbuf=0x7f5a10534b10 "SELECT c FROM sbtest7 WHERE id=504179", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10530000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10530000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1053a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 178 (Thread 0x7f5b000b2000 (LWP 4178)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01052, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a105200d0, mdl_request=0x7f5a10525200, out_ticket=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a105200d0, mdl_request=0x7f5a10525200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10520000, ot_ctx=0x7f5b01052, table_list=0x7f5a10525000, flags=0, mdl_ticket=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10520000, table_list=0x7f5a10525000, ot_ctx=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01052, has_prelocking_list=false, ot_ctx=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10520000, start=0x7f5b01052, counter=0x7f5b01052, flags=0, prelocking_strategy=0x7f5b01052) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10520000, tables=0x7f5a10525000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10520000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10520000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10520000, rawbuf=0x7f5a10524b10 "SELECT c FROM sbtest7 WHERE id=504178", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10520000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10520000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1052a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 177 (Thread 0x7f5b000b1000 (LWP 4177)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1051, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1051, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1051, buf=0x7f5a1051d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10510350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10510350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10510350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10510000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10510000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1051a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 176 (Thread 0x7f5b000b0000 (LWP 4176)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10500000, table_list=0x7f5a10505000, ot_ctx=0x7f5b01050) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01050, has_prelocking_list=false, ot_ctx=0x7f5b01050) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10500000, start=0x7f5b01050, counter=0x7f5b01050, flags=0, prelocking_strategy=0x7f5b01050) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10500000, tables=0x7f5a10505000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10500000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10500000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10500000, rawbuf=0x7f5a10504b10 "SELECT c FROM sbtest7 WHERE id=504176", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10500000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10500000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1050a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 175 (Thread 0x7f5b000af000 (LWP 4175)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104f0000, table_list=0x7f5a104f5000, ot_ctx=0x7f5b0104f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104f, has_prelocking_list=false, ot_ctx=0x7f5b0104f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104f0000, start=0x7f5b0104f, counter=0x7f5b0104f, flags=0, prelocking_strategy=0x7f5b0104f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104f0000, tables=0x7f5a104f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104f0000, rawbuf=0x7f5a104f4b10 "SELECT c FROM sbtest7 WHERE id=504175", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 174 (Thread 0x7f5b000ae000 (LWP 4174)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104e0000, table_list=0x7f5a104e5000, ot_ctx=0x7f5b0104e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104e, has_prelocking_list=false, ot_ctx=0x7f5b0104e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104e0000, start=0x7f5b0104e, counter=0x7f5b0104e, flags=0, prelocking_strategy=0x7f5b0104e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104e0000, tables=0x7f5a104e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104e0000, rawbuf=0x7f5a104e4b10 "SELECT c FROM sbtest7 WHERE id=504174", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 173 (Thread 0x7f5b000ad000 (LWP 4173)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104d0000, table_list=0x7f5a104d5000, ot_ctx=0x7f5b0104d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104d, has_prelocking_list=false, ot_ctx=0x7f5b0104d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104d0000, start=0x7f5b0104d, counter=0x7f5b0104d, flags=0, prelocking_strategy=0x7f5b0104d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104d0000, tables=0x7f5a104d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104d0000, rawbuf=0x7f5a104d4b10 "SELECT c FROM sbtest7 WHERE id=504173", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 172 (Thread 0x7f5b000ac000 (LWP 4172)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104c0000, table_list=0x7f5a104c5000, ot_ctx=0x7f5b0104c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104c, has_prelocking_list=false, ot_ctx=0x7f5b0104c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104c0000, start=0x7f5b0104c, counter=0x7f5b0104c, flags=0, prelocking_strategy=0x7f5b0104c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104c0000, tables=0x7f5a104c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104c0000, rawbuf=0x7f5a104c4b10 "SELECT c FROM sbtest7 WHERE id=504172", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 171 (Thread 0x7f5b000ab000 (LWP 4171)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104b0000, table_list=0x7f5a104b5000, ot_ctx=0x7f5b0104b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104b, has_prelocking_list=false, ot_ctx=0x7f5b0104b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104b0000, start=0x7f5b0104b, counter=0x7f5b0104b, flags=0, prelocking_strategy=0x7f5b0104b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104b0000, tables=0x7f5a104b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104b0000, rawbuf=0x7f5a104b4b10 "SELECT c FROM sbtest7 WHERE id=504171", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 170 (Thread 0x7f5b000aa000 (LWP 4170)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a104a0000, table_list=0x7f5a104a5000, ot_ctx=0x7f5b0104a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0104a, has_prelocking_list=false, ot_ctx=0x7f5b0104a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a104a0000, start=0x7f5b0104a, counter=0x7f5b0104a, flags=0, prelocking_strategy=0x7f5b0104a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a104a0000, tables=0x7f5a104a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a104a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a104a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a104a0000, rawbuf=0x7f5a104a4b10 "SELECT c FROM sbtest7 WHERE id=504170", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a104a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a104a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a104aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 169 (Thread 0x7f5b000a9000 (LWP 4169)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10490000, table_list=0x7f5a10495000, ot_ctx=0x7f5b01049) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01049, has_prelocking_list=false, ot_ctx=0x7f5b01049) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10490000, start=0x7f5b01049, counter=0x7f5b01049, flags=0, prelocking_strategy=0x7f5b01049) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10490000, tables=0x7f5a10495000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10490000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10490000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10490000, rawbuf=0x7f5a10494b10 "SELECT c FROM sbtest7 WHERE id=504169", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10490000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10490000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1049a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 168 (Thread 0x7f5b000a8000 (LWP 4168)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10480000, table_list=0x7f5a10485000, ot_ctx=0x7f5b01048) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01048, has_prelocking_list=false, ot_ctx=0x7f5b01048) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10480000, start=0x7f5b01048, counter=0x7f5b01048, flags=0, prelocking_strategy=0x7f5b01048) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10480000, tables=0x7f5a10485000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10480000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10480000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10480000, rawbuf=0x7f5a10484b10 "SELECT c FROM sbtest7 WHERE id=504168", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10480000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10480000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1048a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 167 (Thread 0x7f5b000a7000 (LWP 4167)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10470000, table_list=0x7f5a10475000, ot_ctx=0x7f5b01047) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01047, has_prelocking_list=false, ot_ctx=0x7f5b01047) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10470000, start=0x7f5b01047, counter=0x7f5b01047, flags=0, prelocking_strategy=0x7f5b01047) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10470000, tables=0x7f5a10475000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10470000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10470000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10470000, rawbuf=0x7f5a10474b10 "SELECT c FROM sbtest7 WHERE id=504167", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10470000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10470000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1047a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 166 (Thread 0x7f5b000a6000 (LWP 4166)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10460000, table_list=0x7f5a10465000, ot_ctx=0x7f5b01046) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01046, has_prelocking_list=false, ot_ctx=0x7f5b01046) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10460000, start=0x7f5b01046, counter=0x7f5b01046, flags=0, prelocking_strategy=0x7f5b01046) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10460000, tables=0x7f5a10465000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10460000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10460000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10460000, rawbuf=0x7f5a10464b10 "SELECT c FROM sbtest7 WHERE id=504166", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10460000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10460000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1046a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 165 (Thread 0x7f5b000a5000 (LWP 4165)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10450000, table_list=0x7f5a10455000, ot_ctx=0x7f5b01045) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01045, has_prelocking_list=false, ot_ctx=0x7f5b01045) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10450000, start=0x7f5b01045, counter=0x7f5b01045, flags=0, prelocking_strategy=0x7f5b01045) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10450000, tables=0x7f5a10455000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10450000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10450000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10450000, rawbuf=0x7f5a10454b10 "SELECT c FROM sbtest7 WHERE id=504165", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10450000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10450000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1045a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 164 (Thread 0x7f5b000a4000 (LWP 4164)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10440000, table_list=0x7f5a10445000, ot_ctx=0x7f5b01044) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01044, has_prelocking_list=false, ot_ctx=0x7f5b01044) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10440000, start=0x7f5b01044, counter=0x7f5b01044, flags=0, prelocking_strategy=0x7f5b01044) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10440000, tables=0x7f5a10445000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10440000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10440000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10440000, rawbuf=0x7f5a10444b10 "SELECT c FROM sbtest7 WHERE id=504164", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10440000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10440000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1044a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 163 (Thread 0x7f5b000a3000 (LWP 4163)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10430000, table_list=0x7f5a10435000, ot_ctx=0x7f5b01043) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01043, has_prelocking_list=false, ot_ctx=0x7f5b01043) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10430000, start=0x7f5b01043, counter=0x7f5b01043, flags=0, prelocking_strategy=0x7f5b01043) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10430000, tables=0x7f5a10435000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10430000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10430000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10430000, rawbuf=0x7f5a10434b10 "SELECT c FROM sbtest7 WHERE id=504163", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10430000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10430000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1043a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 162 (Thread 0x7f5b000a2000 (LWP 4162)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10420000, table_list=0x7f5a10425000, ot_ctx=0x7f5b01042) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01042, has_prelocking_list=false, ot_ctx=0x7f5b01042) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10420000, start=0x7f5b01042, counter=0x7f5b01042, flags=0, prelocking_strategy=0x7f5b01042) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10420000, tables=0x7f5a10425000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10420000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10420000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10420000, rawbuf=0x7f5a10424b10 "SELECT c FROM sbtest7 WHERE id=504162", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10420000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10420000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1042a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 161 (Thread 0x7f5b000a1000 (LWP 4161)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10410000, table_list=0x7f5a10415000, ot_ctx=0x7f5b01041) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01041, has_prelocking_list=false, ot_ctx=0x7f5b01041) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10410000, start=0x7f5b01041, counter=0x7f5b01041, flags=0, prelocking_strategy=0x7f5b01041) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10410000, tables=0x7f5a10415000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10410000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10410000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10410000, rawbuf=0x7f5a10414b10 "SELECT c FROM sbtest7 WHERE id=504161", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10410000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10410000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1041a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 160 (Thread 0x7f5b000a0000 (LWP 4160)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1040, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1040, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1040, buf=0x7f5a1040d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10400350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10400350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10400350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10400000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10400000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1040a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 159 (Thread 0x7f5b0009f000 (LWP 4159)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0103f, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a103f00d0, mdl_request=0x7f5a103f5200, out_ticket=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a103f00d0, mdl_request=0x7f5a103f5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a103f0000, ot_ctx=0x7f5b0103f, table_list=0x7f5a103f5000, flags=0, mdl_ticket=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a103f0000, table_list=0x7f5a103f5000, ot_ctx=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103f, has_prelocking_list=false, ot_ctx=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a103f0000, start=0x7f5b0103f, counter=0x7f5b0103f, flags=0, prelocking_strategy=0x7f5b0103f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103f0000, tables=0x7f5a103f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a103f0000, rawbuf=0x7f5a103f4b10 "SELECT c FROM sbtest7 WHERE id=504159", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 158 (Thread 0x7f5b0009e000 (LWP 4158)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a103e0000, table_list=0x7f5a103e5000, ot_ctx=0x7f5b0103e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103e, has_prelocking_list=false, ot_ctx=0x7f5b0103e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a103e0000, start=0x7f5b0103e, counter=0x7f5b0103e, flags=0, prelocking_strategy=0x7f5b0103e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103e0000, tables=0x7f5a103e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a103e0000, rawbuf=0x7f5a103e4b10 "SELECT c FROM sbtest7 WHERE id=504158", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 157 (Thread 0x7f5b0009d000 (LWP 4157)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a103d0000, table_list=0x7f5a103d5000, ot_ctx=0x7f5b0103d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103d, has_prelocking_list=false, ot_ctx=0x7f5b0103d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a103d0000, start=0x7f5b0103d, counter=0x7f5b0103d, flags=0, prelocking_strategy=0x7f5b0103d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103d0000, tables=0x7f5a103d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a103d0000, rawbuf=0x7f5a103d4b10 "SELECT c FROM sbtest7 WHERE id=504157", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 156 (Thread 0x7f5b0009c000 (LWP 4156)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a103c0000, table_list=0x7f5a103c5000, ot_ctx=0x7f5b0103c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103c, has_prelocking_list=false, ot_ctx=0x7f5b0103c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a103c0000, start=0x7f5b0103c, counter=0x7f5b0103c, flags=0, prelocking_strategy=0x7f5b0103c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103c0000, tables=0x7f5a103c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a103c0000, rawbuf=0x7f5a103c4b10 "SELECT c FROM sbtest7 WHERE id=504156", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 155 (Thread 0x7f5b0009b000 (LWP 4155)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a103b0000, table_list=0x7f5a103b5000, ot_ctx=0x7f5b0103b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103b, has_prelocking_list=false, ot_ctx=0x7f5b0103b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a103b0000, start=0x7f5b0103b, counter=0x7f5b0103b, flags=0, prelocking_strategy=0x7f5b0103b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103b0000, tables=0x7f5a103b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a103b0000, rawbuf=0x7f5a103b4b10 "SELECT c FROM sbtest7 WHERE id=504155", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 154 (Thread 0x7f5b0009a000 (LWP 4154)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0103a, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a103a00d0, mdl_request=0x7f5a103a5200, out_ticket=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a103a00d0, mdl_request=0x7f5a103a5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a103a0000, ot_ctx=0x7f5b0103a, table_list=0x7f5a103a5000, flags=0, mdl_ticket=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a103a0000, table_list=0x7f5a103a5000, ot_ctx=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0103a, has_prelocking_list=false, ot_ctx=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a103a0000, start=0x7f5b0103a, counter=0x7f5b0103a, flags=0, prelocking_strategy=0x7f5b0103a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a103a0000, tables=0x7f5a103a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a103a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a103a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a103a0000, rawbuf=0x7f5a103a4b10 "SELECT c FROM sbtest7 WHERE id=504154", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a103a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a103a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a103aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 153 (Thread 0x7f5b00099000 (LWP 4153)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1039, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1039, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1039, buf=0x7f5a1039d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10390350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10390350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10390350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10390000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10390000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1039a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 152 (Thread 0x7f5b00098000 (LWP 4152)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10380000, table_list=0x7f5a10385000, ot_ctx=0x7f5b01038) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01038, has_prelocking_list=false, ot_ctx=0x7f5b01038) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10380000, start=0x7f5b01038, counter=0x7f5b01038, flags=0, prelocking_strategy=0x7f5b01038) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10380000, tables=0x7f5a10385000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10380000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10380000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10380000, rawbuf=0x7f5a10384b10 "SELECT c FROM sbtest7 WHERE id=504152", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10380000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10380000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1038a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 151 (Thread 0x7f5b00097000 (LWP 4151)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10370000, table_list=0x7f5a10375000, ot_ctx=0x7f5b01037) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01037, has_prelocking_list=false, ot_ctx=0x7f5b01037) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10370000, start=0x7f5b01037, counter=0x7f5b01037, flags=0, prelocking_strategy=0x7f5b01037) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10370000, tables=0x7f5a10375000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10370000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10370000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10370000, rawbuf=0x7f5a10374b10 "SELECT c FROM sbtest7 WHERE id=504151", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10370000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10370000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1037a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 150 (Thread 0x7f5b00096000 (LWP 4150)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10360000, table_list=0x7f5a10365000, ot_ctx=0x7f5b01036) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01036, has_prelocking_list=false, ot_ctx=0x7f5b01036) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10360000, start=0x7f5b01036, counter=0x7f5b01036, flags=0, prelocking_strategy=0x7f5b01036) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10360000, tables=0x7f5a10365000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10360000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10360000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10360000, rawbuf=0x7f5a10364b10 "SELECT c FROM sbtest7 WHERE id=504150", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10360000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10360000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1036a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 149 (Thread 0x7f5b00095000 (LWP 4149)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10350000, table_list=0x7f5a10355000, ot_ctx=0x7f5b01035) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01035, has_prelocking_list=false, ot_ctx=0x7f5b01035) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10350000, start=0x7f5b01035, counter=0x7f5b01035, flags=0, prelocking_strategy=0x7f5b01035) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10350000, tables=0x7f5a10355000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10350000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10350000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10350000, rawbuf=0x7f5a10354b10 "SELECT c FROM sbtest7 WHERE id=504149", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10350000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10350000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1035a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 148 (Thread 0x7f5b00094000 (LWP 4148)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01034, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a103400d0, mdl_request=0x7f5a10345200, out_ticket=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a103400d0, mdl_request=0x7f5a10345200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10340000, ot_ctx=0x7f5b01034, table_list=0x7f5a10345000, flags=0, mdl_ticket=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10340000, table_list=0x7f5a10345000, ot_ctx=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01034, has_prelocking_list=false, ot_ctx=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10340000, start=0x7f5b01034, counter=0x7f5b01034, flags=0, prelocking_strategy=0x7f5b01034) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10340000, tables=0x7f5a10345000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10340000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10340000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10340000, rawbuf=0x7f5a10344b10 "SELECT c FROM sbtest7 WHERE id=504148", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10340000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10340000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1034a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 147 (Thread 0x7f5b00093000 (LWP 4147)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10330000, table_list=0x7f5a10335000, ot_ctx=0x7f5b01033) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01033, has_prelocking_list=false, ot_ctx=0x7f5b01033) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10330000, start=0x7f5b01033, counter=0x7f5b01033, flags=0, prelocking_strategy=0x7f5b01033) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10330000, tables=0x7f5a10335000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10330000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10330000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10330000, rawbuf=0x7f5a10334b10 "SELECT c FROM sbtest7 WHERE id=504147", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10330000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10330000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1033a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 146 (Thread 0x7f5b00092000 (LWP 4146)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10320000, table_list=0x7f5a10325000, ot_ctx=0x7f5b01032) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01032, has_prelocking_list=false, ot_ctx=0x7f5b01032) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10320000, start=0x7f5b01032, counter=0x7f5b01032, flags=0, prelocking_strategy=0x7f5b01032) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10320000, tables=0x7f5a10325000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10320000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10320000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10320000, rawbuf=0x7f5a10324b10 "SELECT c FROM sbtest7 WHERE id=504146", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10320000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10320000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1032a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 145 (Thread 0x7f5b00091000 (LWP 4145)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10310000, table_list=0x7f5a10315000, ot_ctx=0x7f5b01031) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01031, has_prelocking_list=false, ot_ctx=0x7f5b01031) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10310000, start=0x7f5b01031, counter=0x7f5b01031, flags=0, prelocking_strategy=0x7f5b01031) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10310000, tables=0x7f5a10315000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10310000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10310000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10310000, rawbuf=0x7f5a10314b10 "SELECT c FROM sbtest7 WHERE id=504145", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10310000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10310000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1031a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 144 (Thread 0x7f5b00090000 (LWP 4144)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01030, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a103000d0, mdl_request=0x7f5a10305200, out_ticket=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a103000d0, mdl_request=0x7f5a10305200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10300000, ot_ctx=0x7f5b01030, table_list=0x7f5a10305000, flags=0, mdl_ticket=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10300000, table_list=0x7f5a10305000, ot_ctx=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01030, has_prelocking_list=false, ot_ctx=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10300000, start=0x7f5b01030, counter=0x7f5b01030, flags=0, prelocking_strategy=0x7f5b01030) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10300000, tables=0x7f5a10305000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10300000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10300000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10300000, rawbuf=0x7f5a10304b10 "SELECT c FROM sbtest7 WHERE id=504144", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10300000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10300000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1030a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 143 (Thread 0x7f5b0008f000 (LWP 4143)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0102f, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a102f00d0, mdl_request=0x7f5a102f5200, out_ticket=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a102f00d0, mdl_request=0x7f5a102f5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a102f0000, ot_ctx=0x7f5b0102f, table_list=0x7f5a102f5000, flags=0, mdl_ticket=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a102f0000, table_list=0x7f5a102f5000, ot_ctx=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0102f, has_prelocking_list=false, ot_ctx=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a102f0000, start=0x7f5b0102f, counter=0x7f5b0102f, flags=0, prelocking_strategy=0x7f5b0102f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a102f0000, tables=0x7f5a102f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a102f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a102f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a102f0000, rawbuf=0x7f5a102f4b10 "SELECT c FROM sbtest7 WHERE id=504143", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a102f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 142 (Thread 0x7f5b0008e000 (LWP 4142)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a102e, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a102e, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a102e, buf=0x7f5a102ed000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a102e0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a102e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a102e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a102e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 141 (Thread 0x7f5b0008d000 (LWP 4141)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a102d0000, table_list=0x7f5a102d5000, ot_ctx=0x7f5b0102d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0102d, has_prelocking_list=false, ot_ctx=0x7f5b0102d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a102d0000, start=0x7f5b0102d, counter=0x7f5b0102d, flags=0, prelocking_strategy=0x7f5b0102d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a102d0000, tables=0x7f5a102d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a102d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a102d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a102d0000, rawbuf=0x7f5a102d4b10 "SELECT c FROM sbtest7 WHERE id=504141", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a102d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 140 (Thread 0x7f5b0008c000 (LWP 4140)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b0102c, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a102c00d0, mdl_request=0x7f5a102c5200, out_ticket=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a102c00d0, mdl_request=0x7f5a102c5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a102c0000, ot_ctx=0x7f5b0102c, table_list=0x7f5a102c5000, flags=0, mdl_ticket=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a102c0000, table_list=0x7f5a102c5000, ot_ctx=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0102c, has_prelocking_list=false, ot_ctx=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a102c0000, start=0x7f5b0102c, counter=0x7f5b0102c, flags=0, prelocking_strategy=0x7f5b0102c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a102c0000, tables=0x7f5a102c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a102c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a102c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a102c0000, rawbuf=0x7f5a102c4b10 "SELECT c FROM sbtest7 WHERE id=504140", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a102c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 139 (Thread 0x7f5b0008b000 (LWP 4139)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a102b0000, table_list=0x7f5a102b5000, ot_ctx=0x7f5b0102b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0102b, has_prelocking_list=false, ot_ctx=0x7f5b0102b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a102b0000, start=0x7f5b0102b, counter=0x7f5b0102b, flags=0, prelocking_strategy=0x7f5b0102b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a102b0000, tables=0x7f5a102b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a102b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a102b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a102b0000, rawbuf=0x7f5a102b4b10 "SELECT c FROM sbtest7 WHERE id=504139", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a102b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 138 (Thread 0x7f5b0008a000 (LWP 4138)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a102a, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a102a, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a102a, buf=0x7f5a102ad000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a102a0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a102a0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a102a0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a102a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a102a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a102aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 137 (Thread 0x7f5b00089000 (LWP 4137)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10290000, table_list=0x7f5a10295000, ot_ctx=0x7f5b01029) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01029, has_prelocking_list=false, ot_ctx=0x7f5b01029) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10290000, start=0x7f5b01029, counter=0x7f5b01029, flags=0, prelocking_strategy=0x7f5b01029) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10290000, tables=0x7f5a10295000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10290000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10290000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10290000, rawbuf=0x7f5a10294b10 "SELECT c FROM sbtest7 WHERE id=504137", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10290000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10290000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1029a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 136 (Thread 0x7f5b00088000 (LWP 4136)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1028, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1028, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1028, buf=0x7f5a1028d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10280350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10280350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10280350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10280000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10280000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1028a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 135 (Thread 0x7f5b00087000 (LWP 4135)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10270000, table_list=0x7f5a10275000, ot_ctx=0x7f5b01027) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01027, has_prelocking_list=false, ot_ctx=0x7f5b01027) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10270000, start=0x7f5b01027, counter=0x7f5b01027, flags=0, prelocking_strategy=0x7f5b01027) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10270000, tables=0x7f5a10275000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10270000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10270000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10270000, rawbuf=0x7f5a10274b10 "SELECT c FROM sbtest7 WHERE id=504135", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10270000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10270000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1027a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 134 (Thread 0x7f5b00086000 (LWP 4134)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10260000, table_list=0x7f5a10265000, ot_ctx=0x7f5b01026) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01026, has_prelocking_list=false, ot_ctx=0x7f5b01026) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10260000, start=0x7f5b01026, counter=0x7f5b01026, flags=0, prelocking_strategy=0x7f5b01026) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10260000, tables=0x7f5a10265000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10260000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10260000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10260000, rawbuf=0x7f5a10264b10 "SELECT c FROM sbtest7 WHERE id=504134", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10260000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10260000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1026a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 133 (Thread 0x7f5b00085000 (LWP 4133)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10250000, table_list=0x7f5a10255000, ot_ctx=0x7f5b01025) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01025, has_prelocking_list=false, ot_ctx=0x7f5b01025) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10250000, start=0x7f5b01025, counter=0x7f5b01025, flags=0, prelocking_strategy=0x7f5b01025) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10250000, tables=0x7f5a10255000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10250000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10250000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10250000, rawbuf=0x7f5a10254b10 "SELECT c FROM sbtest7 WHERE id=504133", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10250000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10250000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1025a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 132 (Thread 0x7f5b00084000 (LWP 4132)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1024, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1024, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1024, buf=0x7f5a1024d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10240350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10240350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10240350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10240000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10240000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1024a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 131 (Thread 0x7f5b00083000 (LWP 4131)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10230000, table_list=0x7f5a10235000, ot_ctx=0x7f5b01023) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01023, has_prelocking_list=false, ot_ctx=0x7f5b01023) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10230000, start=0x7f5b01023, counter=0x7f5b01023, flags=0, prelocking_strategy=0x7f5b01023) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10230000, tables=0x7f5a10235000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10230000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10230000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10230000, rawbuf=0x7f5a10234b10 "SELECT c FROM sbtest7 WHERE id=504131", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10230000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10230000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1023a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 130 (Thread 0x7f5b00082000 (LWP 4130)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1022, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1022, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1022, buf=0x7f5a1022d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10220350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10220350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10220350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10220000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10220000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1022a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 129 (Thread 0x7f5b00081000 (LWP 4129)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10210000, table_list=0x7f5a10215000, ot_ctx=0x7f5b01021) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01021, has_prelocking_list=false, ot_ctx=0x7f5b01021) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10210000, start=0x7f5b01021, counter=0x7f5b01021, flags=0, prelocking_strategy=0x7f5b01021) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10210000, tables=0x7f5a10215000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10210000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10210000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10210000, rawbuf=0x7f5a10214b10 "SELECT c FROM sbtest7 WHERE id=504129", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10210000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10210000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1021a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 128 (Thread 0x7f5b00080000 (LWP 4128)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10200000, table_list=0x7f5a10205000, ot_ctx=0x7f5b01020) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01020, has_prelocking_list=false, ot_ctx=0x7f5b01020) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10200000, start=0x7f5b01020, counter=0x7f5b01020, flags=0, prelocking_strategy=0x7f5b01020) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10200000, tables=0x7f5a10205000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10200000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10200000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10200000, rawbuf=0x7f5a10204b10 "SELECT c FROM sbtest7 WHERE id=504128", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10200000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10200000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1020a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 127 (Thread 0x7f5b0007f000 (LWP 4127)):
#0  0x00000036f0c0e334 in pthread_cond_timedwait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0
#1  0x000000000063f027 in os_cond_wait_timed (time_in_usec=1000000) at /usr/src/mysql-5.6.14/storage/innobase/os/os0sync.cc:215
#2  0x000000000065d38c in os_event_wait_time_low (event=0x2b4dc60, time_in_usec=<optimized out>, reset_sig_count=<optimized out>) at /usr/src/mysql-5.6.14/storage/innobase/os/os0sync.cc:643
#3  0x0000000000624be1 in lock_wait_timeout_thread (arg=<optimized out>) at /usr/src/mysql-5.6.14/storage/innobase/lock/lock0wait.cc:501
#4  0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#5  0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 126 (Thread 0x7f5b0007e000 (LWP 4126)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a101e, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a101e, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a101e, buf=0x7f5a101ed000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a101e0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a101e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a101e0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a101e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a101e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a101ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 125 (Thread 0x7f5b0007d000 (LWP 4125)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a101d0000, table_list=0x7f5a101d5000, ot_ctx=0x7f5b0101d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0101d, has_prelocking_list=false, ot_ctx=0x7f5b0101d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a101d0000, start=0x7f5b0101d, counter=0x7f5b0101d, flags=0, prelocking_strategy=0x7f5b0101d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a101d0000, tables=0x7f5a101d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a101d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a101d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a101d0000, rawbuf=0x7f5a101d4b10 "SELECT c FROM sbtest7 WHERE id=504125", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a101d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a101d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a101da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 124 (Thread 0x7f5b0007c000 (LWP 4124)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a101c0000, table_list=0x7f5a101c5000, ot_ctx=0x7f5b0101c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0101c, has_prelocking_list=false, ot_ctx=0x7f5b0101c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a101c0000, start=0x7f5b0101c, counter=0x7f5b0101c, flags=0, prelocking_strategy=0x7f5b0101c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a101c0000, tables=0x7f5a101c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a101c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a101c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a101c0000, rawbuf=0x7f5a101c4b10 "SELECT c FROM sbtest7 WHERE id=504124", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a101c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a101c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a101ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 123 (Thread 0x7f5b0007b000 (LWP 4123)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a101b, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a101b, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a101b, buf=0x7f5a101bd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a101b0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a101b0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a101b0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a101b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a101b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a101ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 122 (Thread 0x7f5b0007a000 (LWP 4122)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a101a0000, table_list=0x7f5a101a5000, ot_ctx=0x7f5b0101a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0101a, has_prelocking_list=false, ot_ctx=0x7f5b0101a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a101a0000, start=0x7f5b0101a, counter=0x7f5b0101a, flags=0, prelocking_strategy=0x7f5b0101a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a101a0000, tables=0x7f5a101a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a101a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a101a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a101a0000, rawbuf=0x7f5a101a4b10 "SELECT c FROM sbtest7 WHERE id=504122", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a101a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a101a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a101aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 121 (Thread 0x7f5b00079000 (LWP 4121)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01019, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a101900d0, mdl_request=0x7f5a10195200, out_ticket=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a101900d0, mdl_request=0x7f5a10195200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10190000, ot_ctx=0x7f5b01019, table_list=0x7f5a10195000, flags=0, mdl_ticket=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10190000, table_list=0x7f5a10195000, ot_ctx=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01019, has_prelocking_list=false, ot_ctx=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10190000, start=0x7f5b01019, counter=0x7f5b01019, flags=0, prelocking_strategy=0x7f5b01019) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10190000, tables=0x7f5a10195000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10190000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10190000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10190000, rawbuf=0x7f5a10194b10 "SELECT c FROM sbtest7 WHERE id=504121", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10190000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10190000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1019a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 120 (Thread 0x7f5b00078000 (LWP 4120)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1018, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1018, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1018, buf=0x7f5a1018d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10180350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10180350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10180350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10180000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10180000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1018a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 119 (Thread 0x7f5b00077000 (LWP 4119)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b01017, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a101700d0, mdl_request=0x7f5a10175200, out_ticket=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a101700d0, mdl_request=0x7f5a10175200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a10170000, ot_ctx=0x7f5b01017, table_list=0x7f5a10175000, flags=0, mdl_ticket=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a10170000, table_list=0x7f5a10175000, ot_ctx=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01017, has_prelocking_list=false, ot_ctx=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a10170000, start=0x7f5b01017, counter=0x7f5b01017, flags=0, prelocking_strategy=0x7f5b01017) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10170000, tables=0x7f5a10175000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10170000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10170000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a10170000, rawbuf=0x7f5a10174b10 "SELECT c FROM sbtest7 WHERE id=504119", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10170000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10170000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1017a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 118 (Thread 0x7f5b00076000 (LWP 4118)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10160000, table_list=0x7f5a10165000, ot_ctx=0x7f5b01016) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01016, has_prelocking_list=false, ot_ctx=0x7f5b01016) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10160000, start=0x7f5b01016, counter=0x7f5b01016, flags=0, prelocking_strategy=0x7f5b01016) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10160000, tables=0x7f5a10165000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10160000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10160000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10160000, rawbuf=0x7f5a10164b10 "SELECT c FROM sbtest7 WHERE id=504118", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10160000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10160000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1016a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 117 (Thread 0x7f5b00075000 (LWP 4117)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10150000, table_list=0x7f5a10155000, ot_ctx=0x7f5b01015) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01015, has_prelocking_list=false, ot_ctx=0x7f5b01015) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10150000, start=0x7f5b01015, counter=0x7f5b01015, flags=0, prelocking_strategy=0x7f5b01015) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10150000, tables=0x7f5a10155000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10150000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10150000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10150000, rawbuf=0x7f5a10154b10 "SELECT c FROM sbtest7 WHERE id=504117", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10150000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10150000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1015a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 116 (Thread 0x7f5b00074000 (LWP 4116)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10140000, table_list=0x7f5a10145000, ot_ctx=0x7f5b01014) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01014, has_prelocking_list=false, ot_ctx=0x7f5b01014) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10140000, start=0x7f5b01014, counter=0x7f5b01014, flags=0, prelocking_strategy=0x7f5b01014) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10140000, tables=0x7f5a10145000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10140000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10140000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10140000, rawbuf=0x7f5a10144b10 "SELECT c FROM sbtest7 WHERE id=504116", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10140000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10140000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1014a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 115 (Thread 0x7f5b00073000 (LWP 4115)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10130000, table_list=0x7f5a10135000, ot_ctx=0x7f5b01013) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01013, has_prelocking_list=false, ot_ctx=0x7f5b01013) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10130000, start=0x7f5b01013, counter=0x7f5b01013, flags=0, prelocking_strategy=0x7f5b01013) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10130000, tables=0x7f5a10135000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10130000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10130000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10130000, rawbuf=0x7f5a10134b10 "SELECT c FROM sbtest7 WHERE id=504115", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10130000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10130000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1013a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 114 (Thread 0x7f5b00072000 (LWP 4114)):
#0  0x00000036f0c0e334 in lf_hash_search (hash=0x1890ea0 <digest_hash>, pins=0x2c1b4e8, key=0x7f5b01012, keylen=16) at /usr/src/mysql-5.6.14/mysys/lf_hash.c:433
#1  0x000000000061a350 in find_or_create_digest (thread=0x7f5a1012a000, digest_storage=0x7f5a1012b000, schema_name=0x7f5a1012c000 "sbtest", schema_name_length=6) at /usr/src/mysql-5.6.14/storage/perfschema/pfs_digest.cc:209
#2  0x000000000062afc9 in end_statement_v1 (locker=0x7f5a10121f38, stmt_da=0x7f5a10122770) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:4710
#3  0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10120000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#4  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#5  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10120000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#6  0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1012a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#7  0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#8  0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 113 (Thread 0x7f5b00071000 (LWP 4113)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10110000, table_list=0x7f5a10115000, ot_ctx=0x7f5b01011) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01011, has_prelocking_list=false, ot_ctx=0x7f5b01011) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10110000, start=0x7f5b01011, counter=0x7f5b01011, flags=0, prelocking_strategy=0x7f5b01011) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10110000, tables=0x7f5a10115000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10110000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10110000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10110000, rawbuf=0x7f5a10114b10 "SELECT c FROM sbtest7 WHERE id=504113", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10110000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10110000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1011a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 112 (Thread 0x7f5b00070000 (LWP 4112)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10100000, table_list=0x7f5a10105000, ot_ctx=0x7f5b01010) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01010, has_prelocking_list=false, ot_ctx=0x7f5b01010) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10100000, start=0x7f5b01010, counter=0x7f5b01010, flags=0, prelocking_strategy=0x7f5b01010) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10100000, tables=0x7f5a10105000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10100000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10100000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10100000, rawbuf=0x7f5a10104b10 "SELECT c FROM sbtest7 WHERE id=504112", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10100000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10100000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1010a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 111 (Thread 0x7f5b0006f000 (LWP 4111)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100f0000, table_list=0x7f5a100f5000, ot_ctx=0x7f5b0100f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100f, has_prelocking_list=false, ot_ctx=0x7f5b0100f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100f0000, start=0x7f5b0100f, counter=0x7f5b0100f, flags=0, prelocking_strategy=0x7f5b0100f) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100f0000, tables=0x7f5a100f5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100f0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100f0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100f0000, rawbuf=0x7f5a100f4b10 "SELECT c FROM sbtest7 WHERE id=504111", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100f0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100f0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100fa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 110 (Thread 0x7f5b0006e000 (LWP 4110)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100e0000, table_list=0x7f5a100e5000, ot_ctx=0x7f5b0100e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100e, has_prelocking_list=false, ot_ctx=0x7f5b0100e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100e0000, start=0x7f5b0100e, counter=0x7f5b0100e, flags=0, prelocking_strategy=0x7f5b0100e) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100e0000, tables=0x7f5a100e5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100e0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100e0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100e0000, rawbuf=0x7f5a100e4b10 "SELECT c FROM sbtest7 WHERE id=504110", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100e0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100e0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100ea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 109 (Thread 0x7f5b0006d000 (LWP 4109)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100d0000, table_list=0x7f5a100d5000, ot_ctx=0x7f5b0100d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100d, has_prelocking_list=false, ot_ctx=0x7f5b0100d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100d0000, start=0x7f5b0100d, counter=0x7f5b0100d, flags=0, prelocking_strategy=0x7f5b0100d) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100d0000, tables=0x7f5a100d5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100d0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100d0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100d0000, rawbuf=0x7f5a100d4b10 "SELECT c FROM sbtest7 WHERE id=504109", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100d0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100d0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100da000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 108 (Thread 0x7f5b0006c000 (LWP 4108)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100c0000, table_list=0x7f5a100c5000, ot_ctx=0x7f5b0100c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100c, has_prelocking_list=false, ot_ctx=0x7f5b0100c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100c0000, start=0x7f5b0100c, counter=0x7f5b0100c, flags=0, prelocking_strategy=0x7f5b0100c) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100c0000, tables=0x7f5a100c5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100c0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100c0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100c0000, rawbuf=0x7f5a100c4b10 "SELECT c FROM sbtest7 WHERE id=504108", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100c0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100c0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100ca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 107 (Thread 0x7f5b0006b000 (LWP 4107)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100b0000, table_list=0x7f5a100b5000, ot_ctx=0x7f5b0100b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100b, has_prelocking_list=false, ot_ctx=0x7f5b0100b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100b0000, start=0x7f5b0100b, counter=0x7f5b0100b, flags=0, prelocking_strategy=0x7f5b0100b) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100b0000, tables=0x7f5a100b5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100b0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100b0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100b0000, rawbuf=0x7f5a100b4b10 "SELECT c FROM sbtest7 WHERE id=504107", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100b0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100b0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100ba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 106 (Thread 0x7f5b0006a000 (LWP 4106)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a100a0000, table_list=0x7f5a100a5000, ot_ctx=0x7f5b0100a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b0100a, has_prelocking_list=false, ot_ctx=0x7f5b0100a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a100a0000, start=0x7f5b0100a, counter=0x7f5b0100a, flags=0, prelocking_strategy=0x7f5b0100a) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a100a0000, tables=0x7f5a100a5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a100a0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a100a0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a100a0000, rawbuf=0x7f5a100a4b10 "SELECT c FROM sbtest7 WHERE id=504106", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a100a0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a100a0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a100aa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 105 (Thread 0x7f5b00069000 (LWP 4105)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10090000, table_list=0x7f5a10095000, ot_ctx=0x7f5b01009) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01009, has_prelocking_list=false, ot_ctx=0x7f5b01009) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10090000, start=0x7f5b01009, counter=0x7f5b01009, flags=0, prelocking_strategy=0x7f5b01009) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10090000, tables=0x7f5a10095000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10090000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10090000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10090000, rawbuf=0x7f5a10094b10 "SELECT c FROM sbtest7 WHERE id=504105", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10090000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10090000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1009a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 104 (Thread 0x7f5b00068000 (LWP 4104)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1008, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1008, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1008, buf=0x7f5a1008d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10080350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10080350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10080350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10080000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10080000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1008a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 103 (Thread 0x7f5b00067000 (LWP 4103)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10070000, table_list=0x7f5a10075000, ot_ctx=0x7f5b01007) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01007, has_prelocking_list=false, ot_ctx=0x7f5b01007) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10070000, start=0x7f5b01007, counter=0x7f5b01007, flags=0, prelocking_strategy=0x7f5b01007) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10070000, tables=0x7f5a10075000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10070000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10070000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10070000, rawbuf=0x7f5a10074b10 "SELECT c FROM sbtest7 WHERE id=504103", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10070000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10070000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1007a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 102 (Thread 0x7f5b00066000 (LWP 4102)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10060000, table_list=0x7f5a10065000, ot_ctx=0x7f5b01006) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01006, has_prelocking_list=false, ot_ctx=0x7f5b01006) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10060000, start=0x7f5b01006, counter=0x7f5b01006, flags=0, prelocking_strategy=0x7f5b01006) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10060000, tables=0x7f5a10065000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10060000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10060000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10060000, rawbuf=0x7f5a10064b10 "SELECT c FROM sbtest7 WHERE id=504102", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10060000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10060000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1006a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 101 (Thread 0x7f5b00065000 (LWP 4101)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10050000, table_list=0x7f5a10055000, ot_ctx=0x7f5b01005) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01005, has_prelocking_list=false, ot_ctx=0x7f5b01005) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10050000, start=0x7f5b01005, counter=0x7f5b01005, flags=0, prelocking_strategy=0x7f5b01005) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10050000, tables=0x7f5a10055000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10050000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10050000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10050000, rawbuf=0x7f5a10054b10 "SELECT c FROM sbtest7 WHERE id=504101", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10050000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10050000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1005a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 100 (Thread 0x7f5b00064000 (LWP 4100)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10040000, table_list=0x7f5a10045000, ot_ctx=0x7f5b01004) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01004, has_prelocking_list=false, ot_ctx=0x7f5b01004) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10040000, start=0x7f5b01004, counter=0x7f5b01004, flags=0, prelocking_strategy=0x7f5b01004) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10040000, tables=0x7f5a10045000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10040000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10040000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10040000, rawbuf=0x7f5a10044b10 "SELECT c FROM sbtest7 WHERE id=504100", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10040000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10040000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1004a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 99 (Thread 0x7f5b00063000 (LWP 4099)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a1003, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a1003, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a1003, buf=0x7f5a1003d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a10030350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a10030350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a10030350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a10030000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10030000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1003a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 98 (Thread 0x7f5b00062000 (LWP 4098)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10020000, table_list=0x7f5a10025000, ot_ctx=0x7f5b01002) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01002, has_prelocking_list=false, ot_ctx=0x7f5b01002) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10020000, start=0x7f5b01002, counter=0x7f5b01002, flags=0, prelocking_strategy=0x7f5b01002) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10020000, tables=0x7f5a10025000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10020000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10020000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10020000, rawbuf=0x7f5a10024b10 "SELECT c FROM sbtest7 WHERE id=504098", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10020000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10020000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1002a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 97 (Thread 0x7f5b00061000 (LWP 4097)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10010000, table_list=0x7f5a10015000, ot_ctx=0x7f5b01001) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01001, has_prelocking_list=false, ot_ctx=0x7f5b01001) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10010000, start=0x7f5b01001, counter=0x7f5b01001, flags=0, prelocking_strategy=0x7f5b01001) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10010000, tables=0x7f5a10015000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10010000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10010000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10010000, rawbuf=0x7f5a10014b10 "SELECT c FROM sbtest7 WHERE id=504097", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10010000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10010000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1001a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 96 (Thread 0x7f5b00060000 (LWP 4096)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a10000000, table_list=0x7f5a10005000, ot_ctx=0x7f5b01000) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b01000, has_prelocking_list=false, ot_ctx=0x7f5b01000) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a10000000, start=0x7f5b01000, counter=0x7f5b01000, flags=0, prelocking_strategy=0x7f5b01000) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a10000000, tables=0x7f5a10005000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a10000000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a10000000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a10000000, rawbuf=0x7f5a10004b10 "SELECT c FROM sbtest7 WHERE id=504096", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a10000000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a10000000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a1000a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 95 (Thread 0x7f5b0005f000 (LWP 4095)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fff, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fff, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fff, buf=0x7f5a0fffd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fff0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fff0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fff0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fff0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fff0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fffa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 94 (Thread 0x7f5b0005e000 (LWP 4094)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ffe0000, table_list=0x7f5a0ffe5000, ot_ctx=0x7f5b00ffe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ffe, has_prelocking_list=false, ot_ctx=0x7f5b00ffe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ffe0000, start=0x7f5b00ffe, counter=0x7f5b00ffe, flags=0, prelocking_strategy=0x7f5b00ffe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ffe0000, tables=0x7f5a0ffe5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ffe0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ffe0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ffe0000, rawbuf=0x7f5a0ffe4b10 "SELECT c FROM sbtest7 WHERE id=504094", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ffe0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ffe0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ffea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 93 (Thread 0x7f5b0005d000 (LWP 4093)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ffd0000, table_list=0x7f5a0ffd5000, ot_ctx=0x7f5b00ffd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ffd, has_prelocking_list=false, ot_ctx=0x7f5b00ffd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ffd0000, start=0x7f5b00ffd, counter=0x7f5b00ffd, flags=0, prelocking_strategy=0x7f5b00ffd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ffd0000, tables=0x7f5a0ffd5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ffd0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ffd0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ffd0000, rawbuf=0x7f5a0ffd4b10 "SELECT c FROM sbtest7 WHERE id=504093", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ffd0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ffd0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ffda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 92 (Thread 0x7f5b0005c000 (LWP 4092)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ffc0000, table_list=0x7f5a0ffc5000, ot_ctx=0x7f5b00ffc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ffc, has_prelocking_list=false, ot_ctx=0x7f5b00ffc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ffc0000, start=0x7f5b00ffc, counter=0x7f5b00ffc, flags=0, prelocking_strategy=0x7f5b00ffc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ffc0000, tables=0x7f5a0ffc5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ffc0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ffc0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ffc0000, rawbuf=0x7f5a0ffc4b10 "SELECT c FROM sbtest7 WHERE id=504092", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ffc0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ffc0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ffca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 91 (Thread 0x7f5b0005b000 (LWP 4091)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ffb0000, table_list=0x7f5a0ffb5000, ot_ctx=0x7f5b00ffb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ffb, has_prelocking_list=false, ot_ctx=0x7f5b00ffb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ffb0000, start=0x7f5b00ffb, counter=0x7f5b00ffb, flags=0, prelocking_strategy=0x7f5b00ffb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ffb0000, tables=0x7f5a0ffb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ffb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ffb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ffb0000, rawbuf=0x7f5a0ffb4b10 "SELECT c FROM sbtest7 WHERE id=504091", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ffb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ffb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ffba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 90 (Thread 0x7f5b0005a000 (LWP 4090)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ffa0000, table_list=0x7f5a0ffa5000, ot_ctx=0x7f5b00ffa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ffa, has_prelocking_list=false, ot_ctx=0x7f5b00ffa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ffa0000, start=0x7f5b00ffa, counter=0x7f5b00ffa, flags=0, prelocking_strategy=0x7f5b00ffa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ffa0000, tables=0x7f5a0ffa5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ffa0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ffa0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ffa0000, rawbuf=0x7f5a0ffa4b10 "SELECT c FROM sbtest7 WHERE id=504090", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ffa0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ffa0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ffaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 89 (Thread 0x7f5b00059000 (LWP 4089)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff90000, table_list=0x7f5a0ff95000, ot_ctx=0x7f5b00ff9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff9, has_prelocking_list=false, ot_ctx=0x7f5b00ff9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff90000, start=0x7f5b00ff9, counter=0x7f5b00ff9, flags=0, prelocking_strategy=0x7f5b00ff9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff90000, tables=0x7f5a0ff95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff90000, rawbuf=0x7f5a0ff94b10 "SELECT c FROM sbtest7 WHERE id=504089", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 88 (Thread 0x7f5b00058000 (LWP 4088)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00ff8, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0ff800d0, mdl_request=0x7f5a0ff85200, out_ticket=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0ff800d0, mdl_request=0x7f5a0ff85200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0ff80000, ot_ctx=0x7f5b00ff8, table_list=0x7f5a0ff85000, flags=0, mdl_ticket=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0ff80000, table_list=0x7f5a0ff85000, ot_ctx=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff8, has_prelocking_list=false, ot_ctx=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0ff80000, start=0x7f5b00ff8, counter=0x7f5b00ff8, flags=0, prelocking_strategy=0x7f5b00ff8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff80000, tables=0x7f5a0ff85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0ff80000, rawbuf=0x7f5a0ff84b10 "SELECT c FROM sbtest7 WHERE id=504088", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 87 (Thread 0x7f5b00057000 (LWP 4087)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff70000, table_list=0x7f5a0ff75000, ot_ctx=0x7f5b00ff7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff7, has_prelocking_list=false, ot_ctx=0x7f5b00ff7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff70000, start=0x7f5b00ff7, counter=0x7f5b00ff7, flags=0, prelocking_strategy=0x7f5b00ff7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff70000, tables=0x7f5a0ff75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff70000, rawbuf=0x7f5a0ff74b10 "SELECT c FROM sbtest7 WHERE id=504087", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 86 (Thread 0x7f5b00056000 (LWP 4086)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff60000, table_list=0x7f5a0ff65000, ot_ctx=0x7f5b00ff6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff6, has_prelocking_list=false, ot_ctx=0x7f5b00ff6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff60000, start=0x7f5b00ff6, counter=0x7f5b00ff6, flags=0, prelocking_strategy=0x7f5b00ff6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff60000, tables=0x7f5a0ff65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff60000, rawbuf=0x7f5a0ff64b10 "SELECT c FROM sbtest7 WHERE id=504086", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 85 (Thread 0x7f5b00055000 (LWP 4085)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff50000, table_list=0x7f5a0ff55000, ot_ctx=0x7f5b00ff5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff5, has_prelocking_list=false, ot_ctx=0x7f5b00ff5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff50000, start=0x7f5b00ff5, counter=0x7f5b00ff5, flags=0, prelocking_strategy=0x7f5b00ff5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff50000, tables=0x7f5a0ff55000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff50000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff50000, rawbuf=0x7f5a0ff54b10 "SELECT c FROM sbtest7 WHERE id=504085", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff50000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 84 (Thread 0x7f5b00054000 (LWP 4084)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff40000, table_list=0x7f5a0ff45000, ot_ctx=0x7f5b00ff4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff4, has_prelocking_list=false, ot_ctx=0x7f5b00ff4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff40000, start=0x7f5b00ff4, counter=0x7f5b00ff4, flags=0, prelocking_strategy=0x7f5b00ff4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff40000, tables=0x7f5a0ff45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff40000, rawbuf=0x7f5a0ff44b10 "SELECT c FROM sbtest7 WHERE id=504084", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 83 (Thread 0x7f5b00053000 (LWP 4083)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff30000, table_list=0x7f5a0ff35000, ot_ctx=0x7f5b00ff3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff3, has_prelocking_list=false, ot_ctx=0x7f5b00ff3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff30000, start=0x7f5b00ff3, counter=0x7f5b00ff3, flags=0, prelocking_strategy=0x7f5b00ff3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff30000, tables=0x7f5a0ff35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff30000, rawbuf=0x7f5a0ff34b10 "SELECT c FROM sbtest7 WHERE id=504083", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 82 (Thread 0x7f5b00052000 (LWP 4082)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0ff2, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0ff2, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0ff2, buf=0x7f5a0ff2d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0ff20350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0ff20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0ff20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0ff20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 81 (Thread 0x7f5b00051000 (LWP 4081)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0ff10000, table_list=0x7f5a0ff15000, ot_ctx=0x7f5b00ff1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff1, has_prelocking_list=false, ot_ctx=0x7f5b00ff1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0ff10000, start=0x7f5b00ff1, counter=0x7f5b00ff1, flags=0, prelocking_strategy=0x7f5b00ff1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff10000, tables=0x7f5a0ff15000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff10000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0ff10000, rawbuf=0x7f5a0ff14b10 "SELECT c FROM sbtest7 WHERE id=504081", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff10000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 80 (Thread 0x7f5b00050000 (LWP 4080)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00ff0, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0ff000d0, mdl_request=0x7f5a0ff05200, out_ticket=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0ff000d0, mdl_request=0x7f5a0ff05200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0ff00000, ot_ctx=0x7f5b00ff0, table_list=0x7f5a0ff05000, flags=0, mdl_ticket=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0ff00000, table_list=0x7f5a0ff05000, ot_ctx=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00ff0, has_prelocking_list=false, ot_ctx=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0ff00000, start=0x7f5b00ff0, counter=0x7f5b00ff0, flags=0, prelocking_strategy=0x7f5b00ff0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0ff00000, tables=0x7f5a0ff05000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0ff00000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0ff00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0ff00000, rawbuf=0x7f5a0ff04b10 "SELECT c FROM sbtest7 WHERE id=504080", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0ff00000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0ff00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0ff0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 79 (Thread 0x7f5b0004f000 (LWP 4079)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fef, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fef, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fef, buf=0x7f5a0fefd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fef0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fef0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fef0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fef0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fef0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fefa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 78 (Thread 0x7f5b0004e000 (LWP 4078)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fee0000, table_list=0x7f5a0fee5000, ot_ctx=0x7f5b00fee) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fee, has_prelocking_list=false, ot_ctx=0x7f5b00fee) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fee0000, start=0x7f5b00fee, counter=0x7f5b00fee, flags=0, prelocking_strategy=0x7f5b00fee) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fee0000, tables=0x7f5a0fee5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fee0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fee0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fee0000, rawbuf=0x7f5a0fee4b10 "SELECT c FROM sbtest7 WHERE id=504078", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fee0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fee0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0feea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 77 (Thread 0x7f5b0004d000 (LWP 4077)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fed0000, table_list=0x7f5a0fed5000, ot_ctx=0x7f5b00fed) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fed, has_prelocking_list=false, ot_ctx=0x7f5b00fed) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fed0000, start=0x7f5b00fed, counter=0x7f5b00fed, flags=0, prelocking_strategy=0x7f5b00fed) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fed0000, tables=0x7f5a0fed5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fed0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fed0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fed0000, rawbuf=0x7f5a0fed4b10 "SELECT c FROM sbtest7 WHERE id=504077", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fed0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fed0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0feda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 76 (Thread 0x7f5b0004c000 (LWP 4076)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fec0000, table_list=0x7f5a0fec5000, ot_ctx=0x7f5b00fec) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fec, has_prelocking_list=false, ot_ctx=0x7f5b00fec) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fec0000, start=0x7f5b00fec, counter=0x7f5b00fec, flags=0, prelocking_strategy=0x7f5b00fec) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fec0000, tables=0x7f5a0fec5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fec0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fec0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fec0000, rawbuf=0x7f5a0fec4b10 "SELECT c FROM sbtest7 WHERE id=504076", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fec0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fec0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0feca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 75 (Thread 0x7f5b0004b000 (LWP 4075)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00feb, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0feb00d0, mdl_request=0x7f5a0feb5200, out_ticket=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0feb00d0, mdl_request=0x7f5a0feb5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0feb0000, ot_ctx=0x7f5b00feb, table_list=0x7f5a0feb5000, flags=0, mdl_ticket=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0feb0000, table_list=0x7f5a0feb5000, ot_ctx=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00feb, has_prelocking_list=false, ot_ctx=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0feb0000, start=0x7f5b00feb, counter=0x7f5b00feb, flags=0, prelocking_strategy=0x7f5b00feb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0feb0000, tables=0x7f5a0feb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0feb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0feb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0feb0000, rawbuf=0x7f5a0feb4b10 "SELECT c FROM sbtest7 WHERE id=504075", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0feb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0feb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0feba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 74 (Thread 0x7f5b0004a000 (LWP 4074)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fea0000, table_list=0x7f5a0fea5000, ot_ctx=0x7f5b00fea) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fea, has_prelocking_list=false, ot_ctx=0x7f5b00fea) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fea0000, start=0x7f5b00fea, counter=0x7f5b00fea, flags=0, prelocking_strategy=0x7f5b00fea) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fea0000, tables=0x7f5a0fea5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fea0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fea0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fea0000, rawbuf=0x7f5a0fea4b10 "SELECT c FROM sbtest7 WHERE id=504074", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fea0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fea0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0feaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 73 (Thread 0x7f5b00049000 (LWP 4073)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fe9, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fe9, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fe9, buf=0x7f5a0fe9d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fe90350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fe90350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fe90350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fe90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 72 (Thread 0x7f5b00048000 (LWP 4072)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe80000, table_list=0x7f5a0fe85000, ot_ctx=0x7f5b00fe8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe8, has_prelocking_list=false, ot_ctx=0x7f5b00fe8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe80000, start=0x7f5b00fe8, counter=0x7f5b00fe8, flags=0, prelocking_strategy=0x7f5b00fe8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe80000, tables=0x7f5a0fe85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe80000, rawbuf=0x7f5a0fe84b10 "SELECT c FROM sbtest7 WHERE id=504072", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 71 (Thread 0x7f5b00047000 (LWP 4071)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe70000, table_list=0x7f5a0fe75000, ot_ctx=0x7f5b00fe7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe7, has_prelocking_list=false, ot_ctx=0x7f5b00fe7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe70000, start=0x7f5b00fe7, counter=0x7f5b00fe7, flags=0, prelocking_strategy=0x7f5b00fe7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe70000, tables=0x7f5a0fe75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe70000, rawbuf=0x7f5a0fe74b10 "SELECT c FROM sbtest7 WHERE id=504071", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 70 (Thread 0x7f5b00046000 (LWP 4070)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe60000, table_list=0x7f5a0fe65000, ot_ctx=0x7f5b00fe6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe6, has_prelocking_list=false, ot_ctx=0x7f5b00fe6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe60000, start=0x7f5b00fe6, counter=0x7f5b00fe6, flags=0, prelocking_strategy=0x7f5b00fe6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe60000, tables=0x7f5a0fe65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe60000, rawbuf=0x7f5a0fe64b10 "SELECT c FROM sbtest7 WHERE id=504070", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 69 (Thread 0x7f5b00045000 (LWP 4069)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe50000, table_list=0x7f5a0fe55000, ot_ctx=0x7f5b00fe5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe5, has_prelocking_list=false, ot_ctx=0x7f5b00fe5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe50000, start=0x7f5b00fe5, counter=0x7f5b00fe5, flags=0, prelocking_strategy=0x7f5b00fe5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe50000, tables=0x7f5a0fe55000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe50000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe50000, rawbuf=0x7f5a0fe54b10 "SELECT c FROM sbtest7 WHERE id=504069", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe50000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 68 (Thread 0x7f5b00044000 (LWP 4068)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fe4, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fe4, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fe4, buf=0x7f5a0fe4d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fe40350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fe40350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fe40350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fe40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 67 (Thread 0x7f5b00043000 (LWP 4067)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe30000, table_list=0x7f5a0fe35000, ot_ctx=0x7f5b00fe3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe3, has_prelocking_list=false, ot_ctx=0x7f5b00fe3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe30000, start=0x7f5b00fe3, counter=0x7f5b00fe3, flags=0, prelocking_strategy=0x7f5b00fe3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe30000, tables=0x7f5a0fe35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe30000, rawbuf=0x7f5a0fe34b10 "SELECT c FROM sbtest7 WHERE id=504067", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 66 (Thread 0x7f5b00042000 (LWP 4066)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fe2, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fe200d0, mdl_request=0x7f5a0fe25200, out_ticket=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fe200d0, mdl_request=0x7f5a0fe25200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fe20000, ot_ctx=0x7f5b00fe2, table_list=0x7f5a0fe25000, flags=0, mdl_ticket=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fe20000, table_list=0x7f5a0fe25000, ot_ctx=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe2, has_prelocking_list=false, ot_ctx=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fe20000, start=0x7f5b00fe2, counter=0x7f5b00fe2, flags=0, prelocking_strategy=0x7f5b00fe2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe20000, tables=0x7f5a0fe25000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe20000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fe20000, rawbuf=0x7f5a0fe24b10 "SELECT c FROM sbtest7 WHERE id=504066", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe20000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 65 (Thread 0x7f5b00041000 (LWP 4065)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe10000, table_list=0x7f5a0fe15000, ot_ctx=0x7f5b00fe1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe1, has_prelocking_list=false, ot_ctx=0x7f5b00fe1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe10000, start=0x7f5b00fe1, counter=0x7f5b00fe1, flags=0, prelocking_strategy=0x7f5b00fe1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe10000, tables=0x7f5a0fe15000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe10000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe10000, rawbuf=0x7f5a0fe14b10 "SELECT c FROM sbtest7 WHERE id=504065", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe10000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 64 (Thread 0x7f5b00040000 (LWP 4064)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fe00000, table_list=0x7f5a0fe05000, ot_ctx=0x7f5b00fe0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fe0, has_prelocking_list=false, ot_ctx=0x7f5b00fe0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fe00000, start=0x7f5b00fe0, counter=0x7f5b00fe0, flags=0, prelocking_strategy=0x7f5b00fe0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fe00000, tables=0x7f5a0fe05000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fe00000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fe00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fe00000, rawbuf=0x7f5a0fe04b10 "SELECT c FROM sbtest7 WHERE id=504064", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fe00000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fe00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fe0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 63 (Thread 0x7f5b0003f000 (LWP 4063)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fdf0000, table_list=0x7f5a0fdf5000, ot_ctx=0x7f5b00fdf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fdf, has_prelocking_list=false, ot_ctx=0x7f5b00fdf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fdf0000, start=0x7f5b00fdf, counter=0x7f5b00fdf, flags=0, prelocking_strategy=0x7f5b00fdf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fdf0000, tables=0x7f5a0fdf5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fdf0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fdf0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fdf0000, rawbuf=0x7f5a0fdf4b10 "SELECT c FROM sbtest7 WHERE id=504063", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fdf0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fdf0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdfa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 62 (Thread 0x7f5b0003e000 (LWP 4062)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fde0000, table_list=0x7f5a0fde5000, ot_ctx=0x7f5b00fde) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fde, has_prelocking_list=false, ot_ctx=0x7f5b00fde) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fde0000, start=0x7f5b00fde, counter=0x7f5b00fde, flags=0, prelocking_strategy=0x7f5b00fde) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fde0000, tables=0x7f5a0fde5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fde0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fde0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fde0000, rawbuf=0x7f5a0fde4b10 "SELECT c FROM sbtest7 WHERE id=504062", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fde0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fde0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 61 (Thread 0x7f5b0003d000 (LWP 4061)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fdd0000, table_list=0x7f5a0fdd5000, ot_ctx=0x7f5b00fdd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fdd, has_prelocking_list=false, ot_ctx=0x7f5b00fdd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fdd0000, start=0x7f5b00fdd, counter=0x7f5b00fdd, flags=0, prelocking_strategy=0x7f5b00fdd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fdd0000, tables=0x7f5a0fdd5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fdd0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fdd0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fdd0000, rawbuf=0x7f5a0fdd4b10 "SELECT c FROM sbtest7 WHERE id=504061", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fdd0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fdd0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 60 (Thread 0x7f5b0003c000 (LWP 4060)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fdc0000, table_list=0x7f5a0fdc5000, ot_ctx=0x7f5b00fdc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fdc, has_prelocking_list=false, ot_ctx=0x7f5b00fdc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fdc0000, start=0x7f5b00fdc, counter=0x7f5b00fdc, flags=0, prelocking_strategy=0x7f5b00fdc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fdc0000, tables=0x7f5a0fdc5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fdc0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fdc0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fdc0000, rawbuf=0x7f5a0fdc4b10 "SELECT c FROM sbtest7 WHERE id=504060", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fdc0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fdc0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 59 (Thread 0x7f5b0003b000 (LWP 4059)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fdb0000, table_list=0x7f5a0fdb5000, ot_ctx=0x7f5b00fdb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fdb, has_prelocking_list=false, ot_ctx=0x7f5b00fdb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fdb0000, start=0x7f5b00fdb, counter=0x7f5b00fdb, flags=0, prelocking_strategy=0x7f5b00fdb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fdb0000, tables=0x7f5a0fdb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fdb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fdb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fdb0000, rawbuf=0x7f5a0fdb4b10 "SELECT c FROM sbtest7 WHERE id=504059", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fdb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fdb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 58 (Thread 0x7f5b0003a000 (LWP 4058)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fda0000, table_list=0x7f5a0fda5000, ot_ctx=0x7f5b00fda) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fda, has_prelocking_list=false, ot_ctx=0x7f5b00fda) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fda0000, start=0x7f5b00fda, counter=0x7f5b00fda, flags=0, prelocking_strategy=0x7f5b00fda) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fda0000, tables=0x7f5a0fda5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fda0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fda0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fda0000, rawbuf=0x7f5a0fda4b10 "SELECT c FROM sbtest7 WHERE id=504058", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fda0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fda0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fdaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 57 (Thread 0x7f5b00039000 (LWP 4057)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd90000, table_list=0x7f5a0fd95000, ot_ctx=0x7f5b00fd9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd9, has_prelocking_list=false, ot_ctx=0x7f5b00fd9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd90000, start=0x7f5b00fd9, counter=0x7f5b00fd9, flags=0, prelocking_strategy=0x7f5b00fd9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd90000, tables=0x7f5a0fd95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd90000, rawbuf=0x7f5a0fd94b10 "SELECT c FROM sbtest7 WHERE id=504057", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 56 (Thread 0x7f5b00038000 (LWP 4056)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fd8, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fd800d0, mdl_request=0x7f5a0fd85200, out_ticket=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fd800d0, mdl_request=0x7f5a0fd85200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fd80000, ot_ctx=0x7f5b00fd8, table_list=0x7f5a0fd85000, flags=0, mdl_ticket=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fd80000, table_list=0x7f5a0fd85000, ot_ctx=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd8, has_prelocking_list=false, ot_ctx=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fd80000, start=0x7f5b00fd8, counter=0x7f5b00fd8, flags=0, prelocking_strategy=0x7f5b00fd8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd80000, tables=0x7f5a0fd85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fd80000, rawbuf=0x7f5a0fd84b10 "SELECT c FROM sbtest7 WHERE id=504056", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 55 (Thread 0x7f5b00037000 (LWP 4055)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd70000, table_list=0x7f5a0fd75000, ot_ctx=0x7f5b00fd7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd7, has_prelocking_list=false, ot_ctx=0x7f5b00fd7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd70000, start=0x7f5b00fd7, counter=0x7f5b00fd7, flags=0, prelocking_strategy=0x7f5b00fd7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd70000, tables=0x7f5a0fd75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd70000, rawbuf=0x7f5a0fd74b10 "SELECT c FROM sbtest7 WHERE id=504055", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 54 (Thread 0x7f5b00036000 (LWP 4054)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd60000, table_list=0x7f5a0fd65000, ot_ctx=0x7f5b00fd6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd6, has_prelocking_list=false, ot_ctx=0x7f5b00fd6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd60000, start=0x7f5b00fd6, counter=0x7f5b00fd6, flags=0, prelocking_strategy=0x7f5b00fd6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd60000, tables=0x7f5a0fd65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd60000, rawbuf=0x7f5a0fd64b10 "SELECT c FROM sbtest7 WHERE id=504054", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 53 (Thread 0x7f5b00035000 (LWP 4053)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd50000, table_list=0x7f5a0fd55000, ot_ctx=0x7f5b00fd5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd5, has_prelocking_list=false, ot_ctx=0x7f5b00fd5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd50000, start=0x7f5b00fd5, counter=0x7f5b00fd5, flags=0, prelocking_strategy=0x7f5b00fd5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd50000, tables=0x7f5a0fd55000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd50000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd50000, rawbuf=0x7f5a0fd54b10 "SELECT c FROM sbtest7 WHERE id=504053", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd50000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 52 (Thread 0x7f5b00034000 (LWP 4052)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd40000, table_list=0x7f5a0fd45000, ot_ctx=0x7f5b00fd4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd4, has_prelocking_list=false, ot_ctx=0x7f5b00fd4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd40000, start=0x7f5b00fd4, counter=0x7f5b00fd4, flags=0, prelocking_strategy=0x7f5b00fd4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd40000, tables=0x7f5a0fd45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd40000, rawbuf=0x7f5a0fd44b10 "SELECT c FROM sbtest7 WHERE id=504052", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 51 (Thread 0x7f5b00033000 (LWP 4051)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd30000, table_list=0x7f5a0fd35000, ot_ctx=0x7f5b00fd3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd3, has_prelocking_list=false, ot_ctx=0x7f5b00fd3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd30000, start=0x7f5b00fd3, counter=0x7f5b00fd3, flags=0, prelocking_strategy=0x7f5b00fd3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd30000, tables=0x7f5a0fd35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd30000, rawbuf=0x7f5a0fd34b10 "SELECT c FROM sbtest7 WHERE id=504051", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 50 (Thread 0x7f5b00032000 (LWP 4050)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fd2, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fd2, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fd2, buf=0x7f5a0fd2d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fd20350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fd20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fd20350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fd20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 49 (Thread 0x7f5b00031000 (LWP 4049)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fd10000, table_list=0x7f5a0fd15000, ot_ctx=0x7f5b00fd1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fd1, has_prelocking_list=false, ot_ctx=0x7f5b00fd1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fd10000, start=0x7f5b00fd1, counter=0x7f5b00fd1, flags=0, prelocking_strategy=0x7f5b00fd1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fd10000, tables=0x7f5a0fd15000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fd10000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fd10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fd10000, rawbuf=0x7f5a0fd14b10 "SELECT c FROM sbtest7 WHERE id=504049", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fd10000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 48 (Thread 0x7f5b00030000 (LWP 4048)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fd0, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fd0, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fd0, buf=0x7f5a0fd0d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fd00350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fd00350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fd00350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fd00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fd00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fd0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 47 (Thread 0x7f5b0002f000 (LWP 4047)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fcf, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fcf00d0, mdl_request=0x7f5a0fcf5200, out_ticket=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fcf00d0, mdl_request=0x7f5a0fcf5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fcf0000, ot_ctx=0x7f5b00fcf, table_list=0x7f5a0fcf5000, flags=0, mdl_ticket=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fcf0000, table_list=0x7f5a0fcf5000, ot_ctx=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fcf, has_prelocking_list=false, ot_ctx=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fcf0000, start=0x7f5b00fcf, counter=0x7f5b00fcf, flags=0, prelocking_strategy=0x7f5b00fcf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fcf0000, tables=0x7f5a0fcf5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fcf0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fcf0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fcf0000, rawbuf=0x7f5a0fcf4b10 "SELECT c FROM sbtest7 WHERE id=504047", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fcf0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fcf0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcfa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 46 (Thread 0x7f5b0002e000 (LWP 4046)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fce0000, table_list=0x7f5a0fce5000, ot_ctx=0x7f5b00fce) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fce, has_prelocking_list=false, ot_ctx=0x7f5b00fce) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fce0000, start=0x7f5b00fce, counter=0x7f5b00fce, flags=0, prelocking_strategy=0x7f5b00fce) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fce0000, tables=0x7f5a0fce5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fce0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fce0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fce0000, rawbuf=0x7f5a0fce4b10 "SELECT c FROM sbtest7 WHERE id=504046", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fce0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fce0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 45 (Thread 0x7f5b0002d000 (LWP 4045)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fcd0000, table_list=0x7f5a0fcd5000, ot_ctx=0x7f5b00fcd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fcd, has_prelocking_list=false, ot_ctx=0x7f5b00fcd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fcd0000, start=0x7f5b00fcd, counter=0x7f5b00fcd, flags=0, prelocking_strategy=0x7f5b00fcd) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fcd0000, tables=0x7f5a0fcd5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fcd0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fcd0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fcd0000, rawbuf=0x7f5a0fcd4b10 "SELECT c FROM sbtest7 WHERE id=504045", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fcd0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fcd0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 44 (Thread 0x7f5b0002c000 (LWP 4044)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fcc, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fcc, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fcc, buf=0x7f5a0fccd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fcc0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fcc0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fcc0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fcc0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fcc0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 43 (Thread 0x7f5b0002b000 (LWP 4043)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fcb0000, table_list=0x7f5a0fcb5000, ot_ctx=0x7f5b00fcb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fcb, has_prelocking_list=false, ot_ctx=0x7f5b00fcb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fcb0000, start=0x7f5b00fcb, counter=0x7f5b00fcb, flags=0, prelocking_strategy=0x7f5b00fcb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fcb0000, tables=0x7f5a0fcb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fcb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fcb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fcb0000, rawbuf=0x7f5a0fcb4b10 "SELECT c FROM sbtest7 WHERE id=504043", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fcb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fcb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 42 (Thread 0x7f5b0002a000 (LWP 4042)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fca, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fca, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fca, buf=0x7f5a0fcad000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fca0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fca0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fca0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fca0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fca0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fcaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 41 (Thread 0x7f5b00029000 (LWP 4041)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fc9, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fc9, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fc9, buf=0x7f5a0fc9d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fc90350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fc90350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fc90350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fc90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 40 (Thread 0x7f5b00028000 (LWP 4040)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fc8, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fc8, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fc8, buf=0x7f5a0fc8d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fc80350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fc80350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fc80350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fc80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 39 (Thread 0x7f5b00027000 (LWP 4039)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc70000, table_list=0x7f5a0fc75000, ot_ctx=0x7f5b00fc7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc7, has_prelocking_list=false, ot_ctx=0x7f5b00fc7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc70000, start=0x7f5b00fc7, counter=0x7f5b00fc7, flags=0, prelocking_strategy=0x7f5b00fc7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc70000, tables=0x7f5a0fc75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc70000, rawbuf=0x7f5a0fc74b10 "SELECT c FROM sbtest7 WHERE id=504039", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 38 (Thread 0x7f5b00026000 (LWP 4038)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc60000, table_list=0x7f5a0fc65000, ot_ctx=0x7f5b00fc6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc6, has_prelocking_list=false, ot_ctx=0x7f5b00fc6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc60000, start=0x7f5b00fc6, counter=0x7f5b00fc6, flags=0, prelocking_strategy=0x7f5b00fc6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc60000, tables=0x7f5a0fc65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc60000, rawbuf=0x7f5a0fc64b10 "SELECT c FROM sbtest7 WHERE id=504038", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 37 (Thread 0x7f5b00025000 (LWP 4037)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fc5, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fc5, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fc5, buf=0x7f5a0fc5d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fc50350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fc50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fc50350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fc50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 36 (Thread 0x7f5b00024000 (LWP 4036)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc40000, table_list=0x7f5a0fc45000, ot_ctx=0x7f5b00fc4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc4, has_prelocking_list=false, ot_ctx=0x7f5b00fc4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc40000, start=0x7f5b00fc4, counter=0x7f5b00fc4, flags=0, prelocking_strategy=0x7f5b00fc4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc40000, tables=0x7f5a0fc45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc40000, rawbuf=0x7f5a0fc44b10 "SELECT c FROM sbtest7 WHERE id=504036", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 35 (Thread 0x7f5b00023000 (LWP 4035)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc30000, table_list=0x7f5a0fc35000, ot_ctx=0x7f5b00fc3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc3, has_prelocking_list=false, ot_ctx=0x7f5b00fc3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc30000, start=0x7f5b00fc3, counter=0x7f5b00fc3, flags=0, prelocking_strategy=0x7f5b00fc3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc30000, tables=0x7f5a0fc35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc30000, rawbuf=0x7f5a0fc34b10 "SELECT c FROM sbtest7 WHERE id=504035", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 34 (Thread 0x7f5b00022000 (LWP 4034)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc20000, table_list=0x7f5a0fc25000, ot_ctx=0x7f5b00fc2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc2, has_prelocking_list=false, ot_ctx=0x7f5b00fc2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc20000, start=0x7f5b00fc2, counter=0x7f5b00fc2, flags=0, prelocking_strategy=0x7f5b00fc2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc20000, tables=0x7f5a0fc25000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc20000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc20000, rawbuf=0x7f5a0fc24b10 "SELECT c FROM sbtest7 WHERE id=504034", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc20000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 33 (Thread 0x7f5b00021000 (LWP 4033)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fc10000, table_list=0x7f5a0fc15000, ot_ctx=0x7f5b00fc1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fc1, has_prelocking_list=false, ot_ctx=0x7f5b00fc1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fc10000, start=0x7f5b00fc1, counter=0x7f5b00fc1, flags=0, prelocking_strategy=0x7f5b00fc1) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fc10000, tables=0x7f5a0fc15000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fc10000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fc10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fc10000, rawbuf=0x7f5a0fc14b10 "SELECT c FROM sbtest7 WHERE id=504033", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fc10000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 32 (Thread 0x7f5b00020000 (LWP 4032)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fc0, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fc0, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fc0, buf=0x7f5a0fc0d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fc00350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fc00350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fc00350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fc00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fc00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fc0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 31 (Thread 0x7f5b0001f000 (LWP 4031)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fbf, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fbf, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fbf, buf=0x7f5a0fbfd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fbf0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fbf0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fbf0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fbf0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fbf0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbfa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 30 (Thread 0x7f5b0001e000 (LWP 4030)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fbe0000, table_list=0x7f5a0fbe5000, ot_ctx=0x7f5b00fbe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fbe, has_prelocking_list=false, ot_ctx=0x7f5b00fbe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fbe0000, start=0x7f5b00fbe, counter=0x7f5b00fbe, flags=0, prelocking_strategy=0x7f5b00fbe) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fbe0000, tables=0x7f5a0fbe5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fbe0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fbe0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fbe0000, rawbuf=0x7f5a0fbe4b10 "SELECT c FROM sbtest7 WHERE id=504030", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fbe0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fbe0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 29 (Thread 0x7f5b0001d000 (LWP 4029)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fbd, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fbd, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fbd, buf=0x7f5a0fbdd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fbd0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fbd0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fbd0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fbd0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fbd0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbda000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 28 (Thread 0x7f5b0001c000 (LWP 4028)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fbc, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fbc00d0, mdl_request=0x7f5a0fbc5200, out_ticket=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fbc00d0, mdl_request=0x7f5a0fbc5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fbc0000, ot_ctx=0x7f5b00fbc, table_list=0x7f5a0fbc5000, flags=0, mdl_ticket=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fbc0000, table_list=0x7f5a0fbc5000, ot_ctx=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fbc, has_prelocking_list=false, ot_ctx=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fbc0000, start=0x7f5b00fbc, counter=0x7f5b00fbc, flags=0, prelocking_strategy=0x7f5b00fbc) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fbc0000, tables=0x7f5a0fbc5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fbc0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fbc0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fbc0000, rawbuf=0x7f5a0fbc4b10 "SELECT c FROM sbtest7 WHERE id=504028", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fbc0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fbc0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 27 (Thread 0x7f5b0001b000 (LWP 4027)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fbb0000, table_list=0x7f5a0fbb5000, ot_ctx=0x7f5b00fbb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fbb, has_prelocking_list=false, ot_ctx=0x7f5b00fbb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fbb0000, start=0x7f5b00fbb, counter=0x7f5b00fbb, flags=0, prelocking_strategy=0x7f5b00fbb) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fbb0000, tables=0x7f5a0fbb5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fbb0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fbb0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fbb0000, rawbuf=0x7f5a0fbb4b10 "SELECT c FROM sbtest7 WHERE id=504027", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fbb0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fbb0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 26 (Thread 0x7f5b0001a000 (LWP 4026)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fba, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fba00d0, mdl_request=0x7f5a0fba5200, out_ticket=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fba00d0, mdl_request=0x7f5a0fba5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fba0000, ot_ctx=0x7f5b00fba, table_list=0x7f5a0fba5000, flags=0, mdl_ticket=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fba0000, table_list=0x7f5a0fba5000, ot_ctx=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fba, has_prelocking_list=false, ot_ctx=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fba0000, start=0x7f5b00fba, counter=0x7f5b00fba, flags=0, prelocking_strategy=0x7f5b00fba) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fba0000, tables=0x7f5a0fba5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fba0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fba0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fba0000, rawbuf=0x7f5a0fba4b10 "SELECT c FROM sbtest7 WHERE id=504026", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fba0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fba0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fbaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 25 (Thread 0x7f5b00019000 (LWP 4025)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb90000, table_list=0x7f5a0fb95000, ot_ctx=0x7f5b00fb9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb9, has_prelocking_list=false, ot_ctx=0x7f5b00fb9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb90000, start=0x7f5b00fb9, counter=0x7f5b00fb9, flags=0, prelocking_strategy=0x7f5b00fb9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb90000, tables=0x7f5a0fb95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb90000, rawbuf=0x7f5a0fb94b10 "SELECT c FROM sbtest7 WHERE id=504025", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 24 (Thread 0x7f5b00018000 (LWP 4024)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb80000, table_list=0x7f5a0fb85000, ot_ctx=0x7f5b00fb8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb8, has_prelocking_list=false, ot_ctx=0x7f5b00fb8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb80000, start=0x7f5b00fb8, counter=0x7f5b00fb8, flags=0, prelocking_strategy=0x7f5b00fb8) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb80000, tables=0x7f5a0fb85000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb80000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb80000, rawbuf=0x7f5a0fb84b10 "SELECT c FROM sbtest7 WHERE id=504024", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb80000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 23 (Thread 0x7f5b00017000 (LWP 4023)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb70000, table_list=0x7f5a0fb75000, ot_ctx=0x7f5b00fb7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb7, has_prelocking_list=false, ot_ctx=0x7f5b00fb7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb70000, start=0x7f5b00fb7, counter=0x7f5b00fb7, flags=0, prelocking_strategy=0x7f5b00fb7) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb70000, tables=0x7f5a0fb75000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb70000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb70000, rawbuf=0x7f5a0fb74b10 "SELECT c FROM sbtest7 WHERE id=504023", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb70000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 22 (Thread 0x7f5b00016000 (LWP 4022)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb60000, table_list=0x7f5a0fb65000, ot_ctx=0x7f5b00fb6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb6, has_prelocking_list=false, ot_ctx=0x7f5b00fb6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb60000, start=0x7f5b00fb6, counter=0x7f5b00fb6, flags=0, prelocking_strategy=0x7f5b00fb6) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb60000, tables=0x7f5a0fb65000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb60000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb60000, rawbuf=0x7f5a0fb64b10 "SELECT c FROM sbtest7 WHERE id=504022", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb60000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 21 (Thread 0x7f5b00015000 (LWP 4021)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb50000, table_list=0x7f5a0fb55000, ot_ctx=0x7f5b00fb5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb5, has_prelocking_list=false, ot_ctx=0x7f5b00fb5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb50000, start=0x7f5b00fb5, counter=0x7f5b00fb5, flags=0, prelocking_strategy=0x7f5b00fb5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb50000, tables=0x7f5a0fb55000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb50000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb50000, rawbuf=0x7f5a0fb54b10 "SELECT c FROM sbtest7 WHERE id=504021", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb50000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 20 (Thread 0x7f5b00014000 (LWP 4020)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb40000, table_list=0x7f5a0fb45000, ot_ctx=0x7f5b00fb4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb4, has_prelocking_list=false, ot_ctx=0x7f5b00fb4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb40000, start=0x7f5b00fb4, counter=0x7f5b00fb4, flags=0, prelocking_strategy=0x7f5b00fb4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb40000, tables=0x7f5a0fb45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb40000, rawbuf=0x7f5a0fb44b10 "SELECT c FROM sbtest7 WHERE id=504020", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 19 (Thread 0x7f5b00013000 (LWP 4019)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb30000, table_list=0x7f5a0fb35000, ot_ctx=0x7f5b00fb3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb3, has_prelocking_list=false, ot_ctx=0x7f5b00fb3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb30000, start=0x7f5b00fb3, counter=0x7f5b00fb3, flags=0, prelocking_strategy=0x7f5b00fb3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb30000, tables=0x7f5a0fb35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb30000, rawbuf=0x7f5a0fb34b10 "SELECT c FROM sbtest7 WHERE id=504019", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 18 (Thread 0x7f5b00012000 (LWP 4018)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb20000, table_list=0x7f5a0fb25000, ot_ctx=0x7f5b00fb2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb2, has_prelocking_list=false, ot_ctx=0x7f5b00fb2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb20000, start=0x7f5b00fb2, counter=0x7f5b00fb2, flags=0, prelocking_strategy=0x7f5b00fb2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb20000, tables=0x7f5a0fb25000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb20000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb20000, rawbuf=0x7f5a0fb24b10 "SELECT c FROM sbtest7 WHERE id=504018", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb20000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 17 (Thread 0x7f5b00011000 (LWP 4017)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fb1, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fb1, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fb1, buf=0x7f5a0fb1d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fb10350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fb10350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fb10350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fb10000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb10000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb1a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 16 (Thread 0x7f5b00010000 (LWP 4016)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fb00000, table_list=0x7f5a0fb05000, ot_ctx=0x7f5b00fb0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fb0, has_prelocking_list=false, ot_ctx=0x7f5b00fb0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fb00000, start=0x7f5b00fb0, counter=0x7f5b00fb0, flags=0, prelocking_strategy=0x7f5b00fb0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fb00000, tables=0x7f5a0fb05000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fb00000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fb00000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fb00000, rawbuf=0x7f5a0fb04b10 "SELECT c FROM sbtest7 WHERE id=504016", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fb00000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fb00000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fb0a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 15 (Thread 0x7f5b0000f000 (LWP 4015)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00faf, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0faf00d0, mdl_request=0x7f5a0faf5200, out_ticket=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0faf00d0, mdl_request=0x7f5a0faf5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0faf0000, ot_ctx=0x7f5b00faf, table_list=0x7f5a0faf5000, flags=0, mdl_ticket=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0faf0000, table_list=0x7f5a0faf5000, ot_ctx=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00faf, has_prelocking_list=false, ot_ctx=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0faf0000, start=0x7f5b00faf, counter=0x7f5b00faf, flags=0, prelocking_strategy=0x7f5b00faf) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0faf0000, tables=0x7f5a0faf5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0faf0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0faf0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0faf0000, rawbuf=0x7f5a0faf4b10 "SELECT c FROM sbtest7 WHERE id=504015", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0faf0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0faf0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fafa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 14 (Thread 0x7f5b0000e000 (LWP 4014)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fae, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fae00d0, mdl_request=0x7f5a0fae5200, out_ticket=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fae00d0, mdl_request=0x7f5a0fae5200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fae0000, ot_ctx=0x7f5b00fae, table_list=0x7f5a0fae5000, flags=0, mdl_ticket=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fae0000, table_list=0x7f5a0fae5000, ot_ctx=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fae, has_prelocking_list=false, ot_ctx=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fae0000, start=0x7f5b00fae, counter=0x7f5b00fae, flags=0, prelocking_strategy=0x7f5b00fae) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fae0000, tables=0x7f5a0fae5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fae0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fae0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fae0000, rawbuf=0x7f5a0fae4b10 "SELECT c FROM sbtest7 WHERE id=504014", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fae0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fae0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0faea000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 13 (Thread 0x7f5b0000d000 (LWP 4013)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fad0000, table_list=0x7f5a0fad5000, ot_ctx=0x7f5b00fad) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fad, has_prelocking_list=false, ot_ctx=0x7f5b00fad) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fad0000, start=0x7f5b00fad, counter=0x7f5b00fad, flags=0, prelocking_strategy=0x7f5b00fad) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fad0000, tables=0x7f5a0fad5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fad0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fad0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fad0000, rawbuf=0x7f5a0fad4b10 "SELECT c FROM sbtest7 WHERE id=504013", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fad0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fad0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fada000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 12 (Thread 0x7f5b0000c000 (LWP 4012)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fac, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fac, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fac, buf=0x7f5a0facd000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fac0350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fac0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fac0350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fac0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fac0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0faca000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 11 (Thread 0x7f5b0000b000 (LWP 4011)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fab0000, table_list=0x7f5a0fab5000, ot_ctx=0x7f5b00fab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fab, has_prelocking_list=false, ot_ctx=0x7f5b00fab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fab0000, start=0x7f5b00fab, counter=0x7f5b00fab, flags=0, prelocking_strategy=0x7f5b00fab) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fab0000, tables=0x7f5a0fab5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fab0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fab0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fab0000, rawbuf=0x7f5a0fab4b10 "SELECT c FROM sbtest7 WHERE id=504011", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fab0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fab0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0faba000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 10 (Thread 0x7f5b0000a000 (LWP 4010)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0faa0000, table_list=0x7f5a0faa5000, ot_ctx=0x7f5b00faa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00faa, has_prelocking_list=false, ot_ctx=0x7f5b00faa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0faa0000, start=0x7f5b00faa, counter=0x7f5b00faa, flags=0, prelocking_strategy=0x7f5b00faa) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0faa0000, tables=0x7f5a0faa5000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0faa0000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0faa0000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0faa0000, rawbuf=0x7f5a0faa4b10 "SELECT c FROM sbtest7 WHERE id=504010", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0faa0000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0faa0000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0faaa000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 9 (Thread 0x7f5b00009000 (LWP 4009)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb41c20 "/usr/src/mysql-5.6.14/sql/mdl.cc", src_line=795, that=0x2b6a318) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  0x000000000060ad6e in MDL_map_partition::find_or_insert (this=0x2b6a2f0, mdl_key=0x7f5b00fa9, hash_value=<optimized out>) at /usr/src/mysql-5.6.14/sql/mdl.cc:795
#5  0x00000000006028be in MDL_map::find_or_insert (this=<optimized out>, mdl_key=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/mdl.cc:756
#6  0x000000000062e1e2 in MDL_context::try_acquire_lock_impl (this=0x7f5a0fa900d0, mdl_request=0x7f5a0fa95200, out_ticket=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/mdl.cc:2025
#7  0x0000000000665f0f in MDL_context::acquire_lock (this=0x7f5a0fa900d0, mdl_request=0x7f5a0fa95200, lock_wait_timeout=31536000) at /usr/src/mysql-5.6.14/sql/mdl.cc:2180
#8  0x000000000067ad95 in open_table_get_mdl_lock (thd=0x7f5a0fa90000, ot_ctx=0x7f5b00fa9, table_list=0x7f5a0fa95000, flags=0, mdl_ticket=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:2735
#9  0x000000000064d729 in open_table (thd=0x7f5a0fa90000, table_list=0x7f5a0fa95000, ot_ctx=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#10 0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fa9, has_prelocking_list=false, ot_ctx=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#11 0x000000000064af14 in open_tables (thd=0x7f5a0fa90000, start=0x7f5b00fa9, counter=0x7f5b00fa9, flags=0, prelocking_strategy=0x7f5b00fa9) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#12 0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fa90000, tables=0x7f5a0fa95000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#13 0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fa90000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#14 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fa90000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#15 0x000000000067041f in mysql_parse (thd=0x7f5a0fa90000, rawbuf=0x7f5a0fa94b10 "SELECT c FROM sbtest7 WHERE id=504009", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#16 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fa90000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#17 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#18 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa90000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#19 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa9a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#20 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#21 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 8 (Thread 0x7f5b00008000 (LWP 4008)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fa8, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fa8, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fa8, buf=0x7f5a0fa8d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fa80350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fa80350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fa80350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fa80000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa80000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa8a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 7 (Thread 0x7f5b00007000 (LWP 4007)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fa7, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fa7, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fa7, buf=0x7f5a0fa7d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fa70350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fa70350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fa70350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fa70000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa70000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa7a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 6 (Thread 0x7f5b00006000 (LWP 4006)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065f18c in vio_io_wait (vio=0x3b9a0fa6, event=VIO_IO_EVENT_READ, timeout=28800000) at /usr/src/mysql-5.6.14/vio/viosocket.c:771
#2  0x000000000062dcb0 in vio_socket_io_wait (vio=0x3b9a0fa6, event=VIO_IO_EVENT_READ) at /usr/src/mysql-5.6.14/vio/viosocket.c:77
#3  0x00000000006282e5 in vio_read (vio=0x3b9a0fa6, buf=0x7f5a0fa6d000 "\a", size=4) at /usr/src/mysql-5.6.14/vio/viosocket.c:132
#4  0x000000000066ecb4 in net_read_raw_loop (net=0x7f5a0fa60350, count=4) at /usr/src/mysql-5.6.14/sql/net_serv.cc:669
#5  0x000000000062357f in net_read_packet_header (net=0x7f5a0fa60350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:751
#6  0x000000000060da3e in my_net_read (net=0x7f5a0fa60350) at /usr/src/mysql-5.6.14/sql/net_serv.cc:877
#7  0x000000000067182a in do_command (thd=0x7f5a0fa60000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1009
#8  0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#9  0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa60000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#10 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa6a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#11 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#12 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 5 (Thread 0x7f5b00005000 (LWP 4005)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fa50000, table_list=0x7f5a0fa55000, ot_ctx=0x7f5b00fa5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fa5, has_prelocking_list=false, ot_ctx=0x7f5b00fa5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fa50000, start=0x7f5b00fa5, counter=0x7f5b00fa5, flags=0, prelocking_strategy=0x7f5b00fa5) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fa50000, tables=0x7f5a0fa55000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fa50000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fa50000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fa50000, rawbuf=0x7f5a0fa54b10 "SELECT c FROM sbtest7 WHERE id=504005", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fa50000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa50000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa5a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 4 (Thread 0x7f5b00004000 (LWP 4004)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fa40000, table_list=0x7f5a0fa45000, ot_ctx=0x7f5b00fa4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fa4, has_prelocking_list=false, ot_ctx=0x7f5b00fa4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fa40000, start=0x7f5b00fa4, counter=0x7f5b00fa4, flags=0, prelocking_strategy=0x7f5b00fa4) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fa40000, tables=0x7f5a0fa45000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fa40000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fa40000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fa40000, rawbuf=0x7f5a0fa44b10 "SELECT c FROM sbtest7 WHERE id=504004", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fa40000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa40000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa4a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 3 (Thread 0x7f5b00003000 (LWP 4003)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fa30000, table_list=0x7f5a0fa35000, ot_ctx=0x7f5b00fa3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fa3, has_prelocking_list=false, ot_ctx=0x7f5b00fa3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fa30000, start=0x7f5b00fa3, counter=0x7f5b00fa3, flags=0, prelocking_strategy=0x7f5b00fa3) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fa30000, tables=0x7f5a0fa35000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fa30000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fa30000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fa30000, rawbuf=0x7f5a0fa34b10 "SELECT c FROM sbtest7 WHERE id=504003", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fa30000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa30000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa3a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 2 (Thread 0x7f5b00002000 (LWP 4002)):
#0  0x00000036f0c0e334 in __lll_lock_wait () from /lib64/libpthread.so.0
#1  0x000000000061d0e9 in _L_lock_854 () from /lib64/libpthread.so.0
#2  0x0000000000613030 in pthread_mutex_lock () from /lib64/libpthread.so.0
#3  inline_mysql_mutex_lock (src_file=0xb3c1d8 "/usr/src/mysql-5.6.14/sql/table_cache.h", src_line=115, that=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/include/mysql/psi/mysql_thread.h:688
#4  Table_cache::lock (this=0x1866d80 <table_cache_manager>) at /usr/src/mysql-5.6.14/sql/table_cache.h:115
#5  0x000000000064d729 in open_table (thd=0x7f5a0fa20000, table_list=0x7f5a0fa25000, ot_ctx=0x7f5b00fa2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:3011
#6  0x0000000000605d10 in open_and_process_table (flags=0, prelocking_strategy=0x7f5b00fa2, has_prelocking_list=false, ot_ctx=0x7f5b00fa2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4547
#7  0x000000000064af14 in open_tables (thd=0x7f5a0fa20000, start=0x7f5b00fa2, counter=0x7f5b00fa2, flags=0, prelocking_strategy=0x7f5b00fa2) at /usr/src/mysql-5.6.14/sql/sql_base.cc:4980
#8  0x000000000067dae6 in open_normal_and_derived_tables (thd=0x7f5a0fa20000, tables=0x7f5a0fa25000, flags=0) at /usr/src/mysql-5.6.14/sql/sql_base.cc:5704
#9  0x000000000066f40f in execute_sqlcom_select (thd=0x7f5a0fa20000, all_tables=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:5123
#10 0x000000000061a1eb in mysql_execute_command (thd=0x7f5a0fa20000) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:2494
#11 0x000000000067041f in mysql_parse (thd=0x7f5a0fa20000, rawbuf=0x7f5a0fa24b10 "SELECT c FROM sbtest7 WHERE id=504002", length=<optimized out>, parser_state=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:6245
#12 0x000000000062ee45 in dispatch_command (command=COM_QUERY, thd=0x7f5a0fa20000, packet=<optimized out>, packet_length=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_parse.cc:1332
#13 0x00000000006134d9 in do_handle_one_connection (thd_arg=<optimized out>) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:982
#14 0x00000000006424ed in handle_one_connection (arg=arg@entry=0x7f5a0fa20000) at /usr/src/mysql-5.6.14/sql/sql_connect.cc:898
#15 0x0000000000607b73 in pfs_spawn_thread (arg=0x7f5a0fa2a000) at /usr/src/mysql-5.6.14/storage/perfschema/pfs.cc:1858
#16 0x0000000000657348 in start_thread () from /lib64/libpthread.so.0
#17 0x00000000006160d9 in clone () from /lib64/libc.so.6
Thread 1 (Thread 0x7f5b00001000 (LWP 4001)):
#0  0x00000036f0c0e334 in poll () from /lib64/libc.so.6
#1  0x000000000065d221 in handle_connections_sockets () at /usr/src/mysql-5.6.14/sql/mysqld.cc:6295
#2  0x0000000000628097 in mysqld_main (argc=42, argv=0x2b1c0a8) at /usr/src/mysql-5.6.14/sql/mysqld.cc:5661
#3  0x0000000000667fc0 in __libc_start_main () from /lib64/libc.so.6
#4  0x000000000063e1c1 in _start ()
