package promquery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/imported"
)

// recorded is what a Prometheus answered to query_range, and how it would answer the other questions.
type recorded struct {
	result []struct {
		Metric map[string]string `json:"metric"`
		Values []json.RawMessage `json:"values"`
	}
	asked []url.Values
}

func record(t *testing.T) *recorded {
	t.Helper()
	b, err := os.ReadFile("../testdata/prometheus/range.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &recorded{}
	var all struct {
		Data struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all.Data.Result, &r.result); err != nil {
		t.Fatal(err)
	}
	return r
}

var named = regexp.MustCompile(`__name__=~("(?:[^"\\]|\\.)*")`)

func (r *recorded) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	q := req.URL.Query()
	r.asked = append(r.asked, q)
	var data any
	switch req.URL.Path {
	case "/prom/api/v1/series":
		if !strings.Contains(q.Get("match[]"), "127") && strings.Contains(q.Get("match[]"), "instance") {
			data = []any{}
			break
		}
		data = []map[string]string{{"__name__": seen, "cpu": "0", "mode": "idle", "instance": "127.0.0.1:19100", "job": "node"}}
	case "/prom/api/v1/query":
		for _, s := range r.result {
			if s.Metric["__name__"] == seen {
				data = map[string]any{"resultType": "matrix", "result": []any{s}}
				break
			}
		}
	case "/prom/api/v1/query_range":
		m := named.FindStringSubmatch(q.Get("query"))
		names, _ := strconv.Unquote(m[1])
		list := []any{}
		for _, s := range r.result {
			if regexp.MustCompile("^(?:" + names + ")$").MatchString(s.Metric["__name__"]) {
				list = append(list, s)
			}
		}
		data = map[string]any{"resultType": "matrix", "result": list}
	default:
		http.NotFound(w, req)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": data})
}

func askOf(t *testing.T, h http.Handler, change func(*Question)) (*Answer, error) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL + "/prom")
	if err != nil {
		t.Fatal(err)
	}
	// The fixture's ten seconds.
	q := Question{URL: u, Instance: "127.0.0.1:19100", From: time.Unix(1795719283, 0), To: time.Unix(1795719293, 0)}
	if change != nil {
		change(&q)
	}
	return Ask(t.Context(), q)
}

func TestAsk(t *testing.T) {
	r := record(t)
	for _, instance := range []string{"", "127.0.0.1:19100", "127.0.0.1", `{instance="127.0.0.1:19100",job="node"}`} {
		r.asked = nil
		answer, err := askOf(t, r, func(q *Question) { q.Instance = instance })
		if err != nil {
			t.Fatal(err)
		}
		if n := 2 + len(imported.Series); len(r.asked) != n || len(answer.Bodies) != len(imported.Series) {
			t.Errorf("%d requests and %d answers, want %d", len(r.asked), len(answer.Bodies), n)
		}
		last := r.asked[len(r.asked)-1]
		if last.Get("step") != "1" || !strings.Contains(last.Get("query"), `,instance="127.0.0.1:19100",job="node"}`) {
			t.Errorf("%v", last)
		}
		rec, held, err := imported.ReadAnswers(answer.Name, answer.Bodies)
		if err != nil {
			t.Fatal(err)
		}
		if took := held.To.Sub(held.From); took < 9*time.Second || rec.Manifest().Host.Name != "vm" {
			t.Errorf("%v of %q", took, rec.Manifest().Host.Name)
		}
	}
}

// The step grows with the time, and is never finer than the scrape interval: no answer has more
// than 1,500 values of a series, as many as are read.
func TestStep(t *testing.T) {
	for span, thinned := range map[time.Duration]bool{10 * time.Second: false, 1499 * time.Second: false, 1500 * time.Second: true, 24 * time.Hour: true, MaxSpan: true} {
		r := record(t)
		answer, err := askOf(t, r, func(q *Question) { q.From = q.To.Add(-span) })
		if err != nil {
			t.Fatal(err)
		}
		last := r.asked[len(r.asked)-1]
		number := func(name string) float64 {
			n, err := strconv.ParseFloat(last.Get(name), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		step := number("step")
		values := int((number("end")-number("start"))/step) + 1
		if values > 1500 || thinned != (step > 1) || thinned != (len(answer.Notes) == 1) || thinned && values < 700 {
			t.Errorf("%v: step %v s, %d values, %q", span, step, values, answer.Notes)
		}
	}
}

func TestHosts(t *testing.T) {
	many := func(n int, more string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`{"__name__":"%s","instance":"db%02d:9100"%s}`, seen, i, strings.ReplaceAll(more, "N", strconv.Itoa(i))))
			}
			fmt.Fprintf(w, `{"status":"success","data":[%s]}`, strings.Join(list, ","))
		}
	}
	for name, tc := range map[string]struct {
		serve    http.HandlerFunc
		instance string
		want     string
	}{
		"several":      {many(50, ""), "", `series of 50 hosts: choose one of them: --instance db00:9100, --instance db01:9100`},
		"and more":     {many(50, ""), "db", "and 30 more"},
		"too many":     {many(5000, ""), "", "1000 or more"},
		"none":         {many(0, ""), "", "no series"},
		"escapes":      {many(2, `,"job":"\u001b[31m\n\"N"`), "", `--instance db00:9100`},
		"another host": {func(w http.ResponseWriter, r *http.Request) { record(t).ServeHTTP(w, r) }, "web:9100", `--instance "web:9100"`},
	} {
		_, err := askOf(t, tc.serve, func(q *Question) { q.Instance = tc.instance })
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 8000 {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	for name, want := range map[string]string{
		`$(touch x):9100`:              `--instance '$(touch x):9100'`,
		"`touch x`:9100":               "--instance '`touch x`:9100'",
		`a';touch x;':1`:               `--instance "a';touch x;':1"`,
		`$(touch x)'`:                  `--instance '{instance="$(touch x)'\''"}'`,
		`{:1`:                          `--instance '{instance="{:1"}'`,
		"-x:1":                         "cannot be written",
		strings.Repeat("a", 500):       "too long",
		strings.Repeat("'", 300):       "too long",
		strings.Repeat("a:", 300):      "too long",
		"a\x00:1":                      "cannot be written",
		strings.Repeat("a", 50) + ":1": strings.Repeat("a", 50) + ":1",
	} {
		if got := list([]target{{"instance": name}}); !strings.Contains(got, want) || strings.Contains(got, "aa") && strings.Contains(want, "too long") {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
	if got := list([]target{{"instance": "a:1"}, {"instance": "-x:1"}}); got != "--instance a:1, and 1 more" {
		t.Error(got)
	}
	if got := list([]target{{"instance": "a:1", "job": "x\x1b\""}, {"instance": "a:1", "job": "y"}}); strings.Contains(got, "\x1b") || !strings.Contains(got, `job="y"`) {
		t.Error(got)
	}
}

func TestAuth(t *testing.T) {
	for auth, want := range map[string]string{"": "", "bob:se:cret": "Basic Ym9iOnNlOmNyZXQ=", "abc.def": "Bearer abc.def"} {
		r, got := record(t), ""
		if _, err := askOf(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			got = req.Header.Get("Authorization")
			r.ServeHTTP(w, req)
		}), func(q *Question) { q.Auth = auth }); err != nil || got != want {
			t.Errorf("%q: %v, want %q", got, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for address, want := range map[string]string{"http://prom:9090/x": "", "https://prom": "", "ftp://prom": "http://", "prom:9090": "http://", "http://u:p@prom": "shown by ps", "http://": "no host", "http://prom?x": "without ?"} {
		u, err := url.Parse(address)
		if err == nil {
			err = Check(u)
		}
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// The password goes to nobody else, and errors say what came back.
func TestRefused(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer stranger.Close()
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	loop := 0
	for name, tc := range map[string]struct {
		serve http.HandlerFunc
		want  []string
	}{
		"401":        {status(401, "\n<b>who\x1b[31m?</b>\nmore"), []string{"401 Unauthorized", `"<b>who\x1b[31m?</b>"`, "--prometheus-auth"}},
		"echo":       {status(400, "Authorization: Basic Ym9iOnNlY3JldA== is bob:secret"), []string{`"Authorization: Basic *** is ***"`}},
		"JSON echo":  {status(400, `{"error":"secret, Basic Ym9iOnNlY3JldA=="}`), []string{`"***, Basic ***"`}},
		"OK echo":    {status(200, "Basic Ym9iOnNlY3JldA=="), []string{`"Basic ***"`}},
		"404":        {status(404, "404 page not found"), []string{"404 Not Found", "before /api/v1"}},
		"422":        {status(422, `{"status":"error","errorType":"execution","error":"query processing would load too many samples"}`), []string{"422", `"execution": "query processing would load too many samples"`, "shorter time"}},
		"503":        {status(503, ""), []string{"503", "an empty answer", "try again later"}},
		"a page":     {status(200, "<html>\nlog in"), []string{"no JSON", `"<html>"`, "login"}},
		"wrong JSON": {status(200, `{"status":"success","data":{"a":[]}}`), []string{"no JSON that is known"}},
		"cut off":    {status(200, `{"status":"success","data":[{"inst`), []string{"unexpected end"}},
		"elsewhere": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL+"/api/v1/series", http.StatusFound)
		},
			[]string{"302 Found, a redirect to", "give the address itself"}},
		"in circles": {func(w http.ResponseWriter, r *http.Request) {
			loop++
			http.Redirect(w, r, r.URL.String(), http.StatusTemporaryRedirect)
		}, []string{"307"}},
		"closes": {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, []string{"EOF", "HTTP_PROXY"}},
	} {
		_, err := askOf(t, tc.serve, func(q *Question) { q.Auth = "bob:secret" })
		for _, want := range tc.want {
			if err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\x1b\n") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if loop > maxRedirects+1 {
		t.Errorf("%d redirects were followed", loop)
	}
}

// That a password can be read on its way is said also if nothing was answered.
func TestInClear(t *testing.T) {
	for address, want := range map[string]bool{"http://prom.invalid": true, "https://prom.invalid": false, "http://localhost:1": false} {
		u, _ := url.Parse(address)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Ask(ctx, Question{URL: u, Auth: "bob:secret"}); err == nil || strings.Contains(err.Error(), inClear) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// Answers without end end.
func TestBounds(t *testing.T) {
	word := []byte(strings.Repeat(`{"instance":"a"},`, 4096))
	endless := func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"status":"success","data":[`))
		for r.Context().Err() == nil {
			if _, err := w.Write(word); err != nil {
				return
			}
		}
	}
	if _, err := askOf(t, http.HandlerFunc(endless), nil); err == nil || !strings.Contains(err.Error(), "more than 2 MiB") {
		t.Error(err)
	}
	drip := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("{"))
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
	}
	s := httptest.NewServer(http.HandlerFunc(drip))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	c := newClient(u, "")
	c.http.Timeout = 300 * time.Millisecond
	began := time.Now()
	if _, err := c.get(t.Context(), "series", nil, maxSmall); err == nil || !strings.Contains(err.Error(), "no whole answer") {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a slow answer took %v", took)
	}
}

// Small elements cost many times what they have in the answer.
func TestElements(t *testing.T) {
	fill := func(before, one, after string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			text := before + strings.Repeat(one+",", (maxSmall-200)/(len(one)+1)) + one + after
			_, _ = w.Write([]byte(text))
		}
	}
	for name, serve := range map[string]http.HandlerFunc{
		"hosts":  fill(`{"status":"success","data":[`, `{"a":""}`, `]}`),
		"values": fill(`{"status":"success","data":{"resultType":"matrix","result":[{"values":[`, `[]`, `]}]}}`),
	} {
		s := httptest.NewServer(serve)
		t.Cleanup(s.Close)
		u, _ := url.Parse(s.URL)
		c, q := newClient(u, ""), Question{From: time.Unix(1795719283, 0), To: time.Unix(1795719293, 0)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var err error
		if name == "hosts" {
			var all []target
			all, err = targets(t.Context(), c, &q, "")
			if err == nil && len(all) != 1 {
				t.Errorf("%d hosts", len(all))
			}
		} else if _, _, err = scraped(t.Context(), c, &q, target{}); err != nil && strings.Contains(err.Error(), "fewer than two") {
			err = nil
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; err != nil || made > 40*maxSmall {
			t.Errorf("%s: %d MB were allocated: %v", name, made>>20, err)
		}
	}
}

// All answers together are charged to one budget.
func TestBudget(t *testing.T) {
	s := httptest.NewServer(record(t))
	defer s.Close()
	u, _ := url.Parse(s.URL + "/prom")
	q := Question{URL: u, From: time.Unix(1795719283, 0), To: time.Unix(1795719293, 0)}
	memory := budget.New(1 << 30)
	answer, err := Ask(budget.With(t.Context(), memory), q)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, b := range answer.Bodies {
		sum += len(b)
	}
	if memory.Used() < int64(sum) {
		t.Errorf("%d bytes are charged of %d", memory.Used(), sum)
	}
	if _, err := Ask(budget.With(t.Context(), budget.New(int64(sum))), q); !errors.Is(err, budget.ErrSpent) {
		t.Error(err)
	}
}
