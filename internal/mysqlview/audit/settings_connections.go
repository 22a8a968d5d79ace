package audit

import (
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// connectionSettings are how clients get in, and how long they stay.
var connectionSettings = []Setting{
	{
		Name: "max_connections", Topic: Connections, Apply: Dynamic,
		Why:  "one client more gets error 1040",
		Cost: "each connection costs memory even when idle; more that work at a time make everything slower, not faster",
		With: []string{"wait_timeout"}, Advise: adviseMaxConnections,
	},
	{
		Name: "max_user_connections", Topic: Connections, Apply: Dynamic,
		Why:  "one connection more of the same user gets error 1203. 0: no limit",
		Cost: "none",
	},
	{
		Name: "extra_port", Topic: Connections, Only: "MariaDB", Apply: Restart,
		Why:  "a way in for administrators when all connections or all threads of the pool are taken. 0: none",
		Cost: "a port to guard",
	},
	{
		Name: "admin_address", Topic: Connections, Only: "MySQL", Apply: Restart,
		Why:  "a way in for administrators, at admin_port, when all connections are taken. Empty: none",
		Cost: "a port to guard",
	},
	{
		Name: "thread_cache_size", Topic: Connections, Apply: Dynamic, Auto: "by max_connections",
		Why:  "threads kept for connections to come; without, each new connection waits for a thread to be made",
		Cost: "memory for the stacks of idle threads. A thread pool ignores it", Advise: adviseThreadCache,
	},
	{
		Name: "back_log", Topic: Connections, Apply: Restart, Auto: "by max_connections",
		Why:  "how many new connections may wait to be accepted; the kernel takes the smaller of it and net.core.somaxconn (ss -ltn shows the queue)",
		Cost: "none",
	},
	{
		Name: "skip_name_resolve", Topic: Connections, Apply: Restart,
		Why:  "OFF: each client with a new address is looked up in the DNS before it may log in; with a slow DNS it hangs",
		Cost: "ON: accounts that name hosts instead of addresses cannot log in any more", Advise: adviseNames,
	},
	{
		Name: "wait_timeout", Topic: Connections, Unit: Seconds, Apply: Dynamic,
		Why:  "idle connections are closed after this time; until then they hold a place below max_connections, and their locks",
		Cost: "shorter than the pools of the applications expect: they find their connections dead", Advise: adviseWaitTimeout,
	},
	{
		Name: "interactive_timeout", Topic: Connections, Unit: Seconds, Apply: Dynamic,
		Why:  "the same for command line clients",
		Cost: "as for wait_timeout",
	},
	{
		Name: "connect_timeout", Topic: Connections, Unit: Seconds, Apply: Dynamic,
		Why:  "how long a client may take to log in",
		Cost: "too short for slow networks: aborted connects",
	},
	{
		Name: "net_write_timeout", Topic: Connections, Unit: Seconds, Apply: Dynamic,
		Why:  "a client that does not read its answer for so long is cut off in the middle of a result",
		Cost: "long: its statement holds resources as long",
	},
	{
		Name: "net_read_timeout", Topic: Connections, Unit: Seconds, Apply: Dynamic,
		Why:  "a client that pauses for so long in the middle of a request is cut off",
		Cost: "as for net_write_timeout",
	},
	{
		Name: "max_connect_errors", Topic: Connections, Apply: Dynamic,
		Why:  "a host with this many failed handshakes in a row is locked out (error 1129) until FLUSH HOSTS",
		Cost: "protects from nothing but accidents",
	},
	{
		Name: "max_allowed_packet", Topic: Connections, Unit: Bytes, Apply: Dynamic,
		Why:  "larger statements and rows fail",
		Cost: "memory of a session that uses it",
	},
	{
		Name: "max_prepared_stmt_count", Topic: Connections, Apply: Dynamic,
		Why:  "one prepared statement more gets error 1461: applications that forget to close theirs come here",
		Cost: "memory", Advise: advisePrepared,
	},
}

func adviseMaxConnections(f *Facts, v Value) *Advice {
	limit, ok := v.Int()
	refused := f.grown("Connection_errors_max_connections")
	connected, told := f.gauge("Threads_connected")
	running, _ := f.gauge("Threads_running")
	if !ok || !told || refused <= 0 || connected <= 0 {
		return nil
	}
	if running/connected > mostly {
		return nil // they are all at work: more of them would only wait for each other
	}
	return &Advice{
		Direction: Raise, To: "what the pools of all applications may open together, or make the pools smaller", Sure: rule.Likely,
		Evidence: []rule.Text{
			rule.T("clients were refused with error 1040: %s", f.times(refused)),
			rule.T("%s of %s connections were in use, %s of them at work", unit.Count(connected), unit.Count(limit), unit.Count(running)),
		},
		Pushes: map[string]Direction{hostMemory: Raise, openFiles: Raise},
	}
}

func adviseThreadCache(f *Facts, v Value) *Advice {
	size, ok := v.Int()
	made, connects := f.rate("Threads_created"), f.rate("Connections")
	handling, _ := f.server.Variable("thread_handling")
	cached, _ := f.gauge("Threads_cached")
	if !ok || Value(handling).Is("pool-of-threads", "loaded-dynamically") || made < threadsMade || made < mostly*connects || cached >= nearLimit*float64(size) && size > 0 {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "the number of connections that come and go at a time; better, let the applications keep theirs", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s threads were made a second for %s new connections, with room for %d in the cache", unit.Number(made), unit.Number(connects), size)},
	}
}

func adviseNames(f *Facts, v Value) *Advice {
	waiting := 0
	for _, look := range f.sessions {
		for _, s := range look {
			// The address is not a name yet, the user is not known yet.
			if s.User == "unauthenticated user" && s.For >= time.Second {
				waiting++
			}
		}
	}
	if v.On() || waiting == 0 || f.looks == 0 {
		return nil
	}
	return &Advice{
		Direction: Change, To: "ON, if no account names a host", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("clients had been logging in for a second or more in %d looks at %d process lists: the DNS may be slow, or the clients", waiting, f.looks)},
	}
}

// idleLong is how long connections sleep that an application has forgotten.
const idleLong = time.Hour

func adviseWaitTimeout(f *Facts, v Value) *Advice {
	seconds, ok := v.Int()
	limit, known := f.int("max_connections")
	connected, told := f.gauge("Threads_connected")
	sleeping, forgotten := int64(0), int64(0)
	for _, c := range f.clients {
		sleeping += max(c.Sleeping, 0)
		if c.Idlest >= idleLong {
			forgotten += max(c.Sleeping, 0)
		}
	}
	if !ok || !known || !told || seconds <= int64(idleLong.Seconds()) || connected < nearLimit*float64(limit) ||
		float64(sleeping) < mostly*connected || forgotten == 0 {
		return nil
	}
	return &Advice{
		Direction: Lower, To: "somewhat more than the idle time the applications' pools allow", Sure: rule.Possible,
		Evidence: []rule.Text{
			rule.T("%s of %s connections are taken, %s of them sleep", unit.Count(connected), unit.Count(limit), unit.Count(sleeping)),
			rule.T("among those of clients with a connection that slept for an hour or more: %s", unit.Count(forgotten)),
		},
		Pushes: map[string]Direction{hostMemory: Lower},
	}
}

func advisePrepared(f *Facts, v Value) *Advice {
	limit, ok := v.Int()
	count, told := f.gauge("Prepared_stmt_count")
	if !ok || !told || limit <= 0 || count < nearLimit*float64(limit) {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "twice as many for now; find out which application does not close its statements", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%s of %s prepared statements exist", unit.Count(count), unit.Count(limit))},
	}
}
