package cases

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"rtrail/internal/lab/env"
	"rtrail/internal/lab/load"
)

// controlCompile compiles with as many jobs as there are CPUs, again and again. All
// CPUs are busy, on purpose, and nobody waits for one.
func controlCompile() Case {
	const files = 40
	return Case{
		ID:    "control/parallel-compile",
		Title: "make with a job for each CPU",
		Needs: env.Needs{Packages: []string{"make", "gcc", "libc6-dev"}, Commands: []string{"make", "gcc"}},
		Setup: func(ctx context.Context, e *env.Env) error {
			for i := range files {
				if _, err := e.WriteFile(fmt.Sprintf("tree/f%d.c", i), compilable(i)); err != nil {
					return err
				}
			}
			if _, err := e.WriteFile("tree/Makefile", "all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\t@gcc -O2 -c $< -o $@ && echo >>built\n"); err != nil {
				return err
			}
			// It ends after two minutes at most.
			if _, err := e.Start("timeout", "120", "sh", "-c", `cd "$0" && while make -s -j "$1" all; do rm -f ./*.o; done`, e.Path("tree"), fmt.Sprint(runtime.NumCPU())); err != nil {
				return err
			}
			return env.Until(ctx, 20*time.Second, "files to be compiled", func() (bool, error) { return sizeOf(e.Path("tree/built")) > 1, nil })
		},
		Measure: func(ctx context.Context, e *env.Env, d time.Duration) (load.Measurement, error) {
			before, began := sizeOf(e.Path("tree/built")), time.Now()
			env.Sleep(ctx, d)
			return load.Measurement{Value: float64(sizeOf(e.Path("tree/built"))-before) / time.Since(began).Seconds(), Unit: "files/s"}, ctx.Err()
		},
	}
}

// compilable is a file that takes a compiler about half a second.
func compilable(n int) string {
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n")
	for i := range 40 {
		fmt.Fprintf(&b, "int f%d_%d(const char *s, int n)\n{\n\tint sum = %d;\n\tfor (int i = 0; i < n; i++)\n\t\tfor (int j = i; j < n; j++)\n\t\t\tsum += s[i] * s[j] ^ (sum >> %d);\n"+
			"\tif (sum %% %d == 0)\n\t\tsum += strlen(s) + atoi(s + 1);\n\treturn sum;\n}\n", n, i, i, 1+i%7, 2+i)
	}
	return b.String()
}

// controlJava is a web server in Java at about half of what it can do: it makes
// garbage, collects it, compiles as it goes, and throws an exception now and then.
func controlJava() Case {
	var p pair
	return Case{
		ID:    "control/java-busy",
		Title: "a web server in Java that is busy and healthy",
		Needs: env.Needs{Root: true, Packages: []string{"default-jdk-headless", "wrk", "iproute2"}, Commands: []string{"java", "javac", "wrk", "ip", "ss"}},
		Extra: true,
		Setup: inPair(&p, func(ctx context.Context, e *env.Env) error {
			source, err := e.WriteFile("Orders.java", ordersInJava)
			if err != nil {
				return err
			}
			if _, err := e.Run(ctx, "javac", "-d", e.Path("classes"), source); err != nil {
				return err
			}
			if _, err := e.StartWith(env.Options{NetNS: p.server}, "java", "-Xmx256m", "-XX:-UsePerfData", "-Dsun.net.httpserver.nodelay=true", "-cp", e.Path("classes"), "Orders", p.at.Addr); err != nil {
				return err
			}
			if err := p.server.UntilListens(ctx, p.at.Addr+":80"); err != nil {
				return err
			}
			_, err = load.Wrk{URL: p.url(), Connections: 10, Think: 2 * time.Millisecond}.Run(ctx, e, p.client, 6*time.Second)
			return err // it is compiled by now
		}),
		Measure: p.wrk("", load.Wrk{Connections: 6, Think: 5 * time.Millisecond}),
	}
}

const ordersInJava = `import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

public class Orders {
	static final Map<Integer, List<String>> cache = Collections.synchronizedMap(new HashMap<>());

	static String page(long n) {
		List<String> lines = new ArrayList<>();
		for (int i = 0; i < 400; i++)
			lines.add("{\"order\":" + (n * 7919 + i * 31) % 10007 + ",\"item\":\"" + Integer.toHexString(i) + "\"}");
		Collections.sort(lines);
		cache.put((int) (n % 2000), lines);
		if (n % 50 == 0) {
			try {
				Integer.parseInt(lines.get(0));
			} catch (NumberFormatException e) {
				lines.add("{}");
			}
		}
		return String.join(",", lines.subList(0, 50));
	}

	public static void main(String[] args) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress(args[0], 80), 100);
		AtomicLong n = new AtomicLong();
		server.createContext("/", exchange -> {
			byte[] body = page(n.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, body.length);
			try (var out = exchange.getResponseBody()) {
				out.write(body);
			}
		});
		server.setExecutor(Executors.newFixedThreadPool(8));
		server.start();
	}
}
`
