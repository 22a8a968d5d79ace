[New LWP 28716]
[New LWP 28717]
[New LWP 28718]
[New LWP 28719]
[New LWP 28720]
[New LWP 28721]
[New LWP 28722]
[New LWP 28723]
[New LWP 28724]
[New LWP 28758]
[New LWP 28769]
[New LWP 28770]
[New LWP 28771]
[New LWP 28777]
[New LWP 28778]
[New LWP 28792]
[New LWP 28793]
[New LWP 28794]
[New LWP 28795]
[New LWP 28796]
[New LWP 28797]
[Thread debugging using libthread_db enabled]
Using host libthread_db library "/lib/x86_64-linux-gnu/libthread_db.so.1".
0x00007fc26331a26f in __GI___poll (fds=0x564532933988, nfds=2, timeout=-1) at ../sysdeps/unix/sysv/linux/poll.c:29

Thread 22 (Thread 0x7fc24c52b6c0 (LWP 28797) "mariadbd"):
#0  0x00007fc26331a26f in __GI___poll (fds=0x7fc24c52a928, nfds=1, timeout=28800000) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000056452512604b in vio_io_wait ()
#2  0x0000564525126110 in vio_socket_io_wait ()
#3  0x00005645251261b3 in vio_read ()
#4  0x00005645250ed229 in ?? ()
#5  0x00005645250ee520 in my_net_read_packet_reallen ()
#6  0x00005645250ee63d in my_net_read_packet ()
#7  0x0000564524d74581 in do_command(THD*, bool) ()
#8  0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#9  0x0000564524e8be1d in handle_one_connection ()
#10 0x00005645251b6647 in ?? ()
#11 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#12 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 21 (Thread 0x7fc24c5766c0 (LWP 28796) "mariadbd"):
#0  0x00007fc2636915c4 in ?? () from /lib/x86_64-linux-gnu/libcrypto.so.3
#1  0x00007fc263692ac0 in SHA1_Final () from /lib/x86_64-linux-gnu/libcrypto.so.3
#2  0x00005645251a035c in my_sha1 ()
#3  0x000056452504ed3c in Item_func_sha::val_str_ascii(String*) ()
#4  0x000056452505adea in Item_func::val_str_from_val_str_ascii(String*, String*) ()
#5  0x000056452501d2a8 in Item_func_benchmark::val_int() ()
#6  0x0000564524f14ba9 in Type_handler::Item_send_long(Item*, Protocol*, st_value*) const ()
#7  0x0000564524ca2e54 in Protocol::send_result_set_row(List<Item>*) ()
#8  0x0000564524d16153 in select_send::send_data(List<Item>&) ()
#9  0x0000564524de5d65 in JOIN::exec_inner() ()
#10 0x0000564524de6280 in JOIN::exec() ()
#11 0x0000564524de46f5 in mysql_select(THD*, TABLE_LIST*, List<Item>&, Item*, unsigned int, st_order*, st_order*, Item*, st_order*, unsigned long long, select_result*, st_select_lex_unit*, st_select_lex*) ()
#12 0x0000564524de4e2f in handle_select(THD*, LEX*, select_result*, unsigned long long) ()
#13 0x0000564524d60ab1 in ?? ()
#14 0x0000564524d6ecd7 in mysql_execute_command(THD*, bool) ()
#15 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#16 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#17 0x0000564524d7461f in do_command(THD*, bool) ()
#18 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#19 0x0000564524e8be1d in handle_one_connection ()
#20 0x00005645251b6647 in ?? ()
#21 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#22 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 20 (Thread 0x7fc24c5c16c0 (LWP 28795) "mariadbd"):
#0  0x00007fc263690d7d in ?? () from /lib/x86_64-linux-gnu/libcrypto.so.3
#1  0x00007fc263692ac0 in SHA1_Final () from /lib/x86_64-linux-gnu/libcrypto.so.3
#2  0x00005645251a035c in my_sha1 ()
#3  0x000056452504ed3c in Item_func_sha::val_str_ascii(String*) ()
#4  0x000056452505adea in Item_func::val_str_from_val_str_ascii(String*, String*) ()
#5  0x000056452501d2a8 in Item_func_benchmark::val_int() ()
#6  0x0000564524f14ba9 in Type_handler::Item_send_long(Item*, Protocol*, st_value*) const ()
#7  0x0000564524ca2e54 in Protocol::send_result_set_row(List<Item>*) ()
#8  0x0000564524d16153 in select_send::send_data(List<Item>&) ()
#9  0x0000564524de5d65 in JOIN::exec_inner() ()
#10 0x0000564524de6280 in JOIN::exec() ()
#11 0x0000564524de46f5 in mysql_select(THD*, TABLE_LIST*, List<Item>&, Item*, unsigned int, st_order*, st_order*, Item*, st_order*, unsigned long long, select_result*, st_select_lex_unit*, st_select_lex*) ()
#12 0x0000564524de4e2f in handle_select(THD*, LEX*, select_result*, unsigned long long) ()
#13 0x0000564524d60ab1 in ?? ()
#14 0x0000564524d6ecd7 in mysql_execute_command(THD*, bool) ()
#15 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#16 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#17 0x0000564524d7461f in do_command(THD*, bool) ()
#18 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#19 0x0000564524e8be1d in handle_one_connection ()
#20 0x00005645251b6647 in ?? ()
#21 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#22 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 19 (Thread 0x7fc25805d6c0 (LWP 28794) "mariadbd"):
#0  0x00007fc26331a26f in __GI___poll (fds=0x7fc25805c928, nfds=1, timeout=28800000) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000056452512604b in vio_io_wait ()
#2  0x0000564525126110 in vio_socket_io_wait ()
#3  0x00005645251261b3 in vio_read ()
#4  0x00005645250ed229 in ?? ()
#5  0x00005645250ee520 in my_net_read_packet_reallen ()
#6  0x00005645250ee63d in my_net_read_packet ()
#7  0x0000564524d74581 in do_command(THD*, bool) ()
#8  0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#9  0x0000564524e8be1d in handle_one_connection ()
#10 0x00005645251b6647 in ?? ()
#11 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#12 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 18 (Thread 0x7fc2580a86c0 (LWP 28793) "mariadbd"):
#0  0x00007fc26331a26f in __GI___poll (fds=0x7fc2580a7928, nfds=1, timeout=28800000) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000056452512604b in vio_io_wait ()
#2  0x0000564525126110 in vio_socket_io_wait ()
#3  0x00005645251261b3 in vio_read ()
#4  0x00005645250ed229 in ?? ()
#5  0x00005645250ee520 in my_net_read_packet_reallen ()
#6  0x00005645250ee63d in my_net_read_packet ()
#7  0x0000564524d74581 in do_command(THD*, bool) ()
#8  0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#9  0x0000564524e8be1d in handle_one_connection ()
#10 0x00005645251b6647 in ?? ()
#11 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#12 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 17 (Thread 0x7fc2580f36c0 (LWP 28792) "mariadbd"):
#0  0x00007fc26331a26f in __GI___poll (fds=0x7fc2580f2928, nfds=1, timeout=28800000) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000056452512604b in vio_io_wait ()
#2  0x0000564525126110 in vio_socket_io_wait ()
#3  0x00005645251261b3 in vio_read ()
#4  0x00005645250ed229 in ?? ()
#5  0x00005645250ee520 in my_net_read_packet_reallen ()
#6  0x00005645250ee63d in my_net_read_packet ()
#7  0x0000564524d74581 in do_command(THD*, bool) ()
#8  0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#9  0x0000564524e8be1d in handle_one_connection ()
#10 0x00005645251b6647 in ?? ()
#11 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#12 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 16 (Thread 0x7fc25813e6c0 (LWP 28778) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc258139520, op=393, expected=0, futex_word=0x77c210000e20) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x77c210000e20, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258139520, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x77c210000e20, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258139520, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc258139520, clockid=0, mutex=0x77c210000dc8, cond=0x77c210000df8) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x77c210000df8, mutex=0x77c210000dc8, abstime=0x7fc258139520) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564524e93da1 in MDL_wait::timed_wait(MDL_context_owner*, timespec*, bool, PSI_stage_info_v1 const*) ()
#6  0x0000564524e955c3 in MDL_context::acquire_lock(MDL_request*, double) ()
#7  0x0000564524e9611a in MDL_context::upgrade_shared_lock(MDL_ticket*, enum_mdl_type, double) ()
#8  0x0000564524e1713e in ?? ()
#9  0x0000564524e2a945 in mysql_alter_table(THD*, st_mysql_const_lex_string const*, st_mysql_const_lex_string const*, Table_specification_st*, TABLE_LIST*, Recreate_info*, Alter_info*, unsigned int, st_order*, bool, bool) ()
#10 0x0000564524e908e2 in Sql_cmd_alter_table::execute(THD*) ()
#11 0x0000564524d6b746 in mysql_execute_command(THD*, bool) ()
#12 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#13 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#14 0x0000564524d7461f in do_command(THD*, bool) ()
#15 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#16 0x0000564524e8be1d in handle_one_connection ()
#17 0x00005645251b6647 in ?? ()
#18 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#19 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 15 (Thread 0x7fc2581896c0 (LWP 28777) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc258184bb0, op=393, expected=0, futex_word=0x77c21c000e20) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x77c21c000e20, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258184bb0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x77c21c000e20, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258184bb0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc258184bb0, clockid=0, mutex=0x77c21c000dc8, cond=0x77c21c000df8) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x77c21c000df8, mutex=0x77c21c000dc8, abstime=0x7fc258184bb0) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564524e93da1 in MDL_wait::timed_wait(MDL_context_owner*, timespec*, bool, PSI_stage_info_v1 const*) ()
#6  0x0000564524e955c3 in MDL_context::acquire_lock(MDL_request*, double) ()
#7  0x0000564524e95f5d in MDL_context::acquire_locks(I_P_List<MDL_request, I_P_List_adapter<MDL_request, &MDL_request::next_in_list, &MDL_request::prev_in_list>, I_P_List_counter, I_P_List_no_push_back<MDL_request> >*, double) ()
#8  0x0000564524cfc673 in lock_table_names(THD*, DDL_options_st const&, TABLE_LIST*, TABLE_LIST*, unsigned long, unsigned int) ()
#9  0x0000564524cfe7b0 in open_tables(THD*, DDL_options_st const&, TABLE_LIST**, unsigned int*, unsigned int, Prelocking_strategy*) ()
#10 0x0000564524e26930 in mysql_alter_table(THD*, st_mysql_const_lex_string const*, st_mysql_const_lex_string const*, Table_specification_st*, TABLE_LIST*, Recreate_info*, Alter_info*, unsigned int, st_order*, bool, bool) ()
#11 0x0000564524e908e2 in Sql_cmd_alter_table::execute(THD*) ()
#12 0x0000564524d6b746 in mysql_execute_command(THD*, bool) ()
#13 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#14 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#15 0x0000564524d7461f in do_command(THD*, bool) ()
#16 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#17 0x0000564524e8be1d in handle_one_connection ()
#18 0x00005645251b6647 in ?? ()
#19 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#20 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 14 (Thread 0x7fc2581d46c0 (LWP 28771) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc2581d1960, op=393, expected=0, futex_word=0x7fc2597f8d38) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc2597f8d38, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc2581d1960, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc2597f8d38, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc2581d1960, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc2581d1960, clockid=0, mutex=0x5645266a2140, cond=0x7fc2597f8d10) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x7fc2597f8d10, mutex=0x5645266a2140, abstime=0x7fc2581d1960) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564525292024 in ?? ()
#6  0x00005645252ed580 in ?? ()
#7  0x0000564525305728 in ?? ()
#8  0x0000564525258752 in ?? ()
#9  0x0000564524fb4c68 in handler::ha_index_read_map(unsigned char*, unsigned char const*, unsigned long, ha_rkey_function) ()
#10 0x0000564524fba781 in handler::read_range_first(st_key_range const*, st_key_range const*, bool, bool) ()
#11 0x0000564524ebf510 in handler::multi_range_read_next(void**) ()
#12 0x0000564524ebf580 in Mrr_simple_index_reader::get_next(void**) ()
#13 0x0000564524ec0a34 in DsMrr_impl::dsmrr_next(void**) ()
#14 0x0000564524c79ce6 in QUICK_RANGE_SELECT::get_next() ()
#15 0x0000564524ca3df9 in ?? ()
#16 0x0000564524e45e42 in mysql_update(THD*, TABLE_LIST*, List<Item>&, List<Item>&, Item*, unsigned int, st_order*, unsigned long long, bool, unsigned long long*, unsigned long long*) ()
#17 0x0000564524d6e2bc in mysql_execute_command(THD*, bool) ()
#18 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#19 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#20 0x0000564524d7461f in do_command(THD*, bool) ()
#21 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#22 0x0000564524e8be1d in handle_one_connection ()
#23 0x00005645251b6647 in ?? ()
#24 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#25 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 13 (Thread 0x7fc25821f6c0 (LWP 28770) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc25821c960, op=393, expected=0, futex_word=0x7fc2597f8238) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc2597f8238, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc25821c960, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc2597f8238, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc25821c960, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc25821c960, clockid=0, mutex=0x5645266a2140, cond=0x7fc2597f8210) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x7fc2597f8210, mutex=0x5645266a2140, abstime=0x7fc25821c960) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564525292024 in ?? ()
#6  0x00005645252ed580 in ?? ()
#7  0x0000564525305728 in ?? ()
#8  0x0000564525258752 in ?? ()
#9  0x0000564524fb4c68 in handler::ha_index_read_map(unsigned char*, unsigned char const*, unsigned long, ha_rkey_function) ()
#10 0x0000564524fba781 in handler::read_range_first(st_key_range const*, st_key_range const*, bool, bool) ()
#11 0x0000564524ebf510 in handler::multi_range_read_next(void**) ()
#12 0x0000564524ebf580 in Mrr_simple_index_reader::get_next(void**) ()
#13 0x0000564524ec0a34 in DsMrr_impl::dsmrr_next(void**) ()
#14 0x0000564524c79ce6 in QUICK_RANGE_SELECT::get_next() ()
#15 0x0000564524ca3df9 in ?? ()
#16 0x0000564524e45e42 in mysql_update(THD*, TABLE_LIST*, List<Item>&, List<Item>&, Item*, unsigned int, st_order*, unsigned long long, bool, unsigned long long*, unsigned long long*) ()
#17 0x0000564524d6e2bc in mysql_execute_command(THD*, bool) ()
#18 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#19 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#20 0x0000564524d7461f in do_command(THD*, bool) ()
#21 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#22 0x0000564524e8be1d in handle_one_connection ()
#23 0x00005645251b6647 in ?? ()
#24 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#25 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 12 (Thread 0x7fc25826a6c0 (LWP 28769) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc258267960, op=393, expected=0, futex_word=0x7fc2597f7738) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc2597f7738, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258267960, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc2597f7738, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc258267960, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc258267960, clockid=0, mutex=0x5645266a2140, cond=0x7fc2597f7710) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x7fc2597f7710, mutex=0x5645266a2140, abstime=0x7fc258267960) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564525292024 in ?? ()
#6  0x00005645252ed580 in ?? ()
#7  0x0000564525305728 in ?? ()
#8  0x0000564525258752 in ?? ()
#9  0x0000564524fb4c68 in handler::ha_index_read_map(unsigned char*, unsigned char const*, unsigned long, ha_rkey_function) ()
#10 0x0000564524fba781 in handler::read_range_first(st_key_range const*, st_key_range const*, bool, bool) ()
#11 0x0000564524ebf510 in handler::multi_range_read_next(void**) ()
#12 0x0000564524ebf580 in Mrr_simple_index_reader::get_next(void**) ()
#13 0x0000564524ec0a34 in DsMrr_impl::dsmrr_next(void**) ()
#14 0x0000564524c79ce6 in QUICK_RANGE_SELECT::get_next() ()
#15 0x0000564524ca3df9 in ?? ()
#16 0x0000564524e45e42 in mysql_update(THD*, TABLE_LIST*, List<Item>&, List<Item>&, Item*, unsigned int, st_order*, unsigned long long, bool, unsigned long long*, unsigned long long*) ()
#17 0x0000564524d6e2bc in mysql_execute_command(THD*, bool) ()
#18 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#19 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#20 0x0000564524d7461f in do_command(THD*, bool) ()
#21 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#22 0x0000564524e8be1d in handle_one_connection ()
#23 0x00005645251b6647 in ?? ()
#24 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#25 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 11 (Thread 0x7fc2582b56c0 (LWP 28758) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc2582b2ea0, op=393, expected=0, futex_word=0x7fc2582b2f88) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc2582b2f88, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc2582b2ea0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc2582b2f88, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc2582b2ea0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc2582b2ea0, clockid=0, mutex=0x564525e4bb00 <LOCK_item_func_sleep>, cond=0x7fc2582b2f60) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x7fc2582b2f60, mutex=0x564525e4bb00 <LOCK_item_func_sleep>, abstime=0x7fc2582b2ea0) at ./nptl/pthread_cond_wait.c:643
#5  0x00005645250243ae in Interruptible_wait::wait(st_mysql_cond*, st_mysql_mutex*) ()
#6  0x000056452502467e in ?? ()
#7  0x000056452502480a in Item_func_sleep::val_int() ()
#8  0x0000564524f14ba9 in Type_handler::Item_send_long(Item*, Protocol*, st_value*) const ()
#9  0x0000564524ca2e54 in Protocol::send_result_set_row(List<Item>*) ()
#10 0x0000564524d16153 in select_send::send_data(List<Item>&) ()
#11 0x0000564524de5d65 in JOIN::exec_inner() ()
#12 0x0000564524de6280 in JOIN::exec() ()
#13 0x0000564524de46f5 in mysql_select(THD*, TABLE_LIST*, List<Item>&, Item*, unsigned int, st_order*, st_order*, Item*, st_order*, unsigned long long, select_result*, st_select_lex_unit*, st_select_lex*) ()
#14 0x0000564524de4e2f in handle_select(THD*, LEX*, select_result*, unsigned long long) ()
#15 0x0000564524d60ab1 in ?? ()
#16 0x0000564524d6ecd7 in mysql_execute_command(THD*, bool) ()
#17 0x0000564524d705b6 in mysql_parse(THD*, char*, unsigned int, Parser_state*) ()
#18 0x0000564524d72cb5 in dispatch_command(enum_server_command, THD*, char*, unsigned int, bool) ()
#19 0x0000564524d7461f in do_command(THD*, bool) ()
#20 0x0000564524e8babd in do_handle_one_connection(CONNECT*, bool) ()
#21 0x0000564524e8be1d in handle_one_connection ()
#22 0x00005645251b6647 in ?? ()
#23 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#24 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 10 (Thread 0x7fc25872a6c0 (LWP 28724) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x0, op=393, expected=0, futex_word=0x564525e1b1ec <COND_slave_deadlock_handler+44>) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x564525e1b1ec <COND_slave_deadlock_handler+44>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x564525e1b1ec <COND_slave_deadlock_handler+44>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a65d8 in __pthread_cond_wait_common (abstime=0x0, clockid=0, mutex=0x564525e193e0 <LOCK_slave_deadlock_handler>, cond=0x564525e1b1c0 <COND_slave_deadlock_handler>) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_wait (cond=0x564525e1b1c0 <COND_slave_deadlock_handler>, mutex=0x564525e193e0 <LOCK_slave_deadlock_handler>) at ./nptl/pthread_cond_wait.c:618
#5  0x0000564524cadb63 in slave_deadlock_handler ()
#6  0x00005645251b6647 in ?? ()
#7  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#8  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 9 (Thread 0x7fc2587756c0 (LWP 28723) "mariadbd"):
#0  0x00007fc26325ac82 in __GI___sigtimedwait (set=0x7fc258774c10, info=0x7fc258774c90, timeout=0x0) at ../sysdeps/unix/sysv/linux/sigtimedwait.c:31
#1  0x0000564524c6b5c3 in signal_hand ()
#2  0x00005645251b6647 in ?? ()
#3  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#4  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 8 (Thread 0x7fc2587c06c0 (LWP 28722) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x0, op=393, expected=0, futex_word=0x564525e1dd88 <COND_manager+40>) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x564525e1dd88 <COND_manager+40>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x564525e1dd88 <COND_manager+40>, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a65d8 in __pthread_cond_wait_common (abstime=0x0, clockid=0, mutex=0x564525e1dda0 <LOCK_manager>, cond=0x564525e1dd60 <COND_manager>) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_wait (cond=0x564525e1dd60 <COND_manager>, mutex=0x564525e1dda0 <LOCK_manager>) at ./nptl/pthread_cond_wait.c:618
#5  0x0000564524d5efb0 in handle_manager ()
#6  0x00005645251b6647 in ?? ()
#7  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#8  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 7 (Thread 0x77c2457fe6c0 (LWP 28721) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x77c2457fdcb0, op=137, expected=0, futex_word=0x564532586e38) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x564532586e38, expected=expected@entry=0, clockid=clockid@entry=1, abstime=abstime@entry=0x77c2457fdcb0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x564532586e38, expected=expected@entry=0, clockid=clockid@entry=1, abstime=abstime@entry=0x77c2457fdcb0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a6baf in __pthread_cond_wait_common (abstime=<optimized out>, clockid=1, mutex=0x564532586b58, cond=0x564532586e10) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_clockwait64 (abstime=<optimized out>, clockid=1, mutex=0x564532586b58, cond=0x564532586e10) at ./nptl/pthread_cond_wait.c:682
#5  ___pthread_cond_clockwait64 (cond=0x564532586e10, mutex=0x564532586b58, clockid=1, abstime=<optimized out>) at ./nptl/pthread_cond_wait.c:670
#6  0x00005645253d4a01 in tpool::thread_pool_generic::wait_for_tasks(std::unique_lock<std::mutex>&, tpool::worker_data*) ()
#7  0x00005645253d53cf in tpool::thread_pool_generic::get_task(tpool::worker_data*, tpool::task**) ()
#8  0x00005645253d54fd in tpool::thread_pool_generic::worker_main(tpool::worker_data*) ()
#9  0x00007fc2630d44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
#10 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#11 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 6 (Thread 0x77c245fff6c0 (LWP 28720) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x77c245ffecb0, op=137, expected=0, futex_word=0x564532586d98) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x564532586d98, expected=expected@entry=0, clockid=clockid@entry=1, abstime=abstime@entry=0x77c245ffecb0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x564532586d98, expected=expected@entry=0, clockid=clockid@entry=1, abstime=abstime@entry=0x77c245ffecb0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a6baf in __pthread_cond_wait_common (abstime=<optimized out>, clockid=1, mutex=0x564532586b58, cond=0x564532586d70) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_clockwait64 (abstime=<optimized out>, clockid=1, mutex=0x564532586b58, cond=0x564532586d70) at ./nptl/pthread_cond_wait.c:682
#5  ___pthread_cond_clockwait64 (cond=0x564532586d70, mutex=0x564532586b58, clockid=1, abstime=<optimized out>) at ./nptl/pthread_cond_wait.c:670
#6  0x00005645253d4a01 in tpool::thread_pool_generic::wait_for_tasks(std::unique_lock<std::mutex>&, tpool::worker_data*) ()
#7  0x00005645253d53cf in tpool::thread_pool_generic::get_task(tpool::worker_data*, tpool::task**) ()
#8  0x00005645253d54fd in tpool::thread_pool_generic::worker_main(tpool::worker_data*) ()
#9  0x00007fc2630d44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
#10 0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#11 0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 5 (Thread 0x7fc258fc16c0 (LWP 28719) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x0, op=393, expected=0, futex_word=0x564525d6b728) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x564525d6b728, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x564525d6b728, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a65d8 in __pthread_cond_wait_common (abstime=0x0, clockid=0, mutex=0x564525d6b680, cond=0x564525d6b700) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_wait (cond=0x564525d6b700, mutex=0x564525d6b680) at ./nptl/pthread_cond_wait.c:618
#5  0x00005645253646c2 in ?? ()
#6  0x00007fc2630d44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
#7  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#8  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 4 (Thread 0x7fc2597c26c0 (LWP 28718) "mariadbd"):
#0  0x00007fc263b469f7 in ?? () from /lib/x86_64-linux-gnu/liburing.so.2
#1  0x00007fc263b46c39 in __io_uring_get_cqe () from /lib/x86_64-linux-gnu/liburing.so.2
#2  0x00005645253d75b2 in ?? ()
#3  0x00007fc2630d44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
#4  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#5  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 3 (Thread 0x7fc25a3f76c0 (LWP 28717) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc25a3f6d00, op=393, expected=0, futex_word=0x5645266507c8) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x5645266507c8, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc25a3f6d00, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x5645266507c8, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc25a3f6d00, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc25a3f6d00, clockid=0, mutex=0x5645266507e0, cond=0x5645266507a0) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x5645266507a0, mutex=0x5645266507e0, abstime=0x7fc25a3f6d00) at ./nptl/pthread_cond_wait.c:643
#5  0x000056452515659d in ?? ()
#6  0x000056452514f135 in ?? ()
#7  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#8  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 2 (Thread 0x7fc262c316c0 (LWP 28716) "mariadbd"):
#0  __futex_abstimed_wait_common64 (private=0, cancel=true, abstime=0x7fc262c30d50, op=393, expected=0, futex_word=0x5645266dd9c8) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x5645266dd9c8, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc262c30d50, private=private@entry=0, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc2632a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x5645266dd9c8, expected=expected@entry=0, clockid=clockid@entry=0, abstime=abstime@entry=0x7fc262c30d50, private=private@entry=0) at ./nptl/futex-internal.c:139
#3  0x00007fc2632a68bc in __pthread_cond_wait_common (abstime=0x7fc262c30d50, clockid=0, mutex=0x5645266dd9e0, cond=0x5645266dd9a0) at ./nptl/pthread_cond_wait.c:503
#4  ___pthread_cond_timedwait64 (cond=0x5645266dd9a0, mutex=0x5645266dd9e0, abstime=0x7fc262c30d50) at ./nptl/pthread_cond_wait.c:643
#5  0x0000564525435f8d in ?? ()
#6  0x00007fc2632a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#7  0x00007fc2633278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 1 (Thread 0x7fc262d7d880 (LWP 28714) "mariadbd"):
#0  0x00007fc26331a26f in __GI___poll (fds=0x564532933988, nfds=2, timeout=-1) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x0000564524c7394f in handle_connections_sockets() ()
#2  0x0000564524c74d98 in mysqld_main(int, char**) ()
#3  0x00007fc26324524a in __libc_start_call_main (main=main@entry=0x564524c205c0 <main>, argc=argc@entry=8, argv=argv@entry=0x7fff0916b868) at ../sysdeps/nptl/libc_start_call_main.h:58
#4  0x00007fc263245305 in __libc_start_main_impl (main=0x564524c205c0 <main>, argc=8, argv=0x7fff0916b868, init=<optimized out>, fini=<optimized out>, rtld_fini=<optimized out>, stack_end=0x7fff0916b858) at ../csu/libc-start.c:360
#5  0x0000564524c68ec1 in _start ()
[Inferior 1 (process 28714) detached]
