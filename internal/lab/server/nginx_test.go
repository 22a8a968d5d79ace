package server

import (
	"strings"
	"testing"
)

func TestNginxConfigText(t *testing.T) {
	text := NginxConfig{Name: "server", Address: "10.213.1.1", Port: 80, Backlog: 10}.text("/tmp/lab/nginx-server")
	for _, want := range []string{
		"listen 10.213.1.1:80 backlog=10;",
		"pid /tmp/lab/nginx-server.pid;",
		"error_log /tmp/lab/nginx-server.error.log;",
		`return 200 "ok\n";`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	text = NginxConfig{Address: "10.213.1.1", Port: 8080, Server: "root /srv;"}.text("x")
	if strings.Contains(text, "backlog") || !strings.Contains(text, "listen 10.213.1.1:8080;") || strings.Contains(text, "return 200") {
		t.Errorf("want nginx's own backlog and only the given server lines in\n%s", text)
	}
	if strings.Contains(text, "%!") {
		t.Errorf("the template and its arguments do not fit:\n%s", text)
	}
}

func TestListenBacklog(t *testing.T) {
	if n, ok := listenBacklog("LISTEN 11     10       10.213.1.1:80        0.0.0.0:*\n"); n != 10 || !ok {
		t.Errorf("listenBacklog = %d, %v; want 10", n, ok)
	}
	for _, out := range []string{"", "ESTAB 0 0 10.0.0.1:80 10.0.0.2:81", "LISTEN 0 many 10.0.0.1:80 0.0.0.0:*"} {
		if n, ok := listenBacklog(out); ok {
			t.Errorf("listenBacklog(%q) = %d", out, n)
		}
	}
}
