package fastcgi

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/proto/prototest"
)

type steps = []prototest.Step

var client, server = prototest.Client, prototest.Server

func recordOf(kind byte, id int, content string, padding int) string {
	b := binary.BigEndian.AppendUint16([]byte{1, kind}, uint16(id))
	b = binary.BigEndian.AppendUint16(b, uint16(len(content)))
	return string(append(b, byte(padding), 0)) + content + strings.Repeat("\x00", padding)
}

func begin(id int, role byte) string {
	return recordOf(beginRequest, id, string([]byte{0, role, 1, 0, 0, 0, 0, 0}), 0)
}

func end(id int, exit byte, refusal byte) string {
	return recordOf(endRequest, id, string([]byte{0, 0, 0, exit, refusal, 0, 0, 0}), 0)
}

func size(n int) string {
	if n < 0x80 {
		return string([]byte{byte(n)})
	}
	return string(binary.BigEndian.AppendUint32(nil, uint32(n)|1<<31))
}

func pairs(list ...string) (all string) {
	for i := 0; i < len(list); i += 2 {
		all += size(len(list[i])) + size(len(list[i+1])) + list[i] + list[i+1]
	}
	return all
}

// with is the parameters of a request, in two records, and its input.
func with(id int, parameters, input string) string {
	half := len(parameters) / 2
	all := recordOf(paramsRecord, id, parameters[:half], 3) + recordOf(paramsRecord, id, parameters[half:], 0) + recordOf(paramsRecord, id, "", 0)
	if input != "" {
		all += recordOf(stdin, id, input, 7)
	}
	return all + recordOf(stdin, id, "", 0)
}

func ask(id int, method, uri string) string {
	return begin(id, responder) + with(id, pairs("SCRIPT_NAME", "/index.php", requestMethod, method, requestURI, uri, "HTTP_COOKIE", strings.Repeat("secret", 30)), "secret body")
}

func out(id int, content string) string { return recordOf(stdout, id, content, 2) }

const fine = "Content-type: text/html\r\n\r\nsecret"

func TestExchanges(t *testing.T) {
	prototest.Scripts(t, Protocol, []prototest.Script{
		{Name: "hello", Steps: steps{client(1, ask(1, "POST", "/cart?id=7")), server(2, out(1, fine)+end(1, 0, 0))},
			Want: []string{`POST "/cart?id=7" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`}},
		{Name: "status", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, out(1, "X: y\nstatus:404 Gone\n\nStatus: 500\n")), server(3, end(1, 0, 0))},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered 404 failed "Not Found"`}},
		{Name: "only a script", Steps: steps{client(1, begin(9, responder)+with(9, pairs("SCRIPT_NAME", "/ping", "QUERY_STRING", "secret"), "")), server(2, out(9, fine)+end(9, 0, 0))},
			Want: []string{`RESPONDER "/ping" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`}},
		{Name: "a word that is no method", Steps: steps{client(1, ask(1, "SECRET", "/a")), server(2, out(1, fine)+end(1, 0, 0))},
			Want: []string{`? "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`}},
		{Name: "a long path", Steps: steps{client(1, begin(1, responder)+with(1, pairs(requestURI, "/"+strings.Repeat("a", 2000), "SCRIPT_NAME", "/b"), "")), server(2, out(1, fine)+end(1, 0, 0))},
			Want: []string{`RESPONDER "/` + strings.Repeat("a", maxText-1) + `"... q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`}},
		{Name: "a warning", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, recordOf(stderr, 1, "PHP Warning: x\nPHP Notice: y\n", 0)+out(1, fine)), server(3, end(1, 0, 0))},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered STDERR failed "PHP Warning: x"`}},
		{Name: "a fatal error", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, recordOf(stderr, 1, "PHP Fatal", 0)+recordOf(stderr, 1, " error", 0)+out(1, "Status: 500 Oops\r\n\r\n")+end(1, 255, 0))},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 500 failed "PHP Fatal error"`}},
		{Name: "an exit status", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, out(1, fine)+end(1, 3, 0))},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered EXIT failed "exit status 3"`}},
		{Name: "refused", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, end(1, 0, 2)), client(3, ask(1, "GET", "/b"))},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered OVERLOADED failed ""`, `GET "/b" q[3-3 #3-3 1p] r[] unanswered`}},
		{Name: "two at once, the second answer first", Steps: steps{client(1, begin(1, responder)+ask(2, "GET", "/quick")), client(2, with(1, pairs(requestURI, "/slow"), "")),
			server(3, out(1, fine)), server(4, out(2, fine)+end(2, 0, 0)), server(5, end(1, 0, 0))},
			Want: []string{`GET "/quick" q[1-1 #1-1 1p] r[4-4 #4-4 1p] answered 200 depth=2`, `RESPONDER "/slow" q[1-2 #1-2 2p] r[3-5 #3-5 2p] answered 200`}},
		{Name: "roles", Steps: steps{client(1, begin(1, authorizer)+recordOf(paramsRecord, 1, pairs(requestURI, "/a"), 0)+recordOf(paramsRecord, 1, "", 0)), server(2, out(1, fine)+end(1, 0, 0)),
			client(3, begin(1, filter)+with(1, pairs(requestURI, "/f"), "secret")), client(4, recordOf(data, 1, "secret", 0)+recordOf(data, 1, "", 0)), server(5, out(1, fine)+end(1, 0, 0))},
			Want: []string{`AUTHORIZER "/a" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 200`, `FILTER "/f" q[3-4 #3-4 2p] r[5-5 #5-5 1p] answered 200`}},
		{Name: "answered before all was sent", Steps: steps{client(1, ask(1, "POST", "/large")[:300]), server(2, out(1, "Status: 413 Large\r\n\r\n")+end(1, 0, 0)), client(3, ask(1, "POST", "/large")[300:]), client(4, ask(1, "GET", "/a")), server(5, out(1, fine)+end(1, 0, 0))},
			Uncut: true, Want: []string{`POST "/large" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered 413 failed "Request Entity Too Large"`, `GET "/a" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered 200`}},
		{Name: "given up", Steps: steps{client(1, ask(1, "GET", "/slow")), client(2, recordOf(abortRequest, 1, "", 0)), server(3, out(1, fine)+end(1, 0, 0)), client(4, ask(1, "GET", "/a")), server(5, out(1, fine)+end(1, 0, 0))},
			Want: []string{`GET "/slow" q[1-1 #1-1 1p] r[] unanswered`, `GET "/a" q[4-4 #4-4 1p] r[5-5 #5-5 1p] answered 200`}},
		{Name: "about the server", Steps: steps{client(1, recordOf(getValues, 0, pairs("FCGI_MAX_CONNS", ""), 0)), server(2, recordOf(getValuesResult, 0, pairs("FCGI_MAX_CONNS", "1"), 0)+recordOf(getValuesResult, 0, "", 0))},
			Want: []string{`GET_VALUES "" q[1-1 #1-1 1p] r[2-2 #2-2 1p] answered`}},
		{Name: "the end comes within the answer", Steps: steps{client(1, ask(1, "GET", "/a")), server(2, out(1, fine)), server(3, out(1, "more")[:9])},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[2-3 #2-3 2p] answered 200 failed "connection ended within the answer"`}},
		{Name: "midway", Midway: true, Uncut: true, Steps: steps{server(1, "the rest of a page"), server(2, end(1, 0, 0)), client(3, ask(1, "GET", "/a")), server(4, out(1, fine)+end(1, 0, 0))},
			Want: []string{` "" q[] r[2-2 #2-2 1p] unpaired`, `GET "/a" q[3-3 #3-3 1p] r[4-4 #4-4 1p] answered 200`}},
		{Name: "a part of the input is missing", Uncut: true, Steps: steps{client(1, ask(1, "POST", "/a")[:310]), client(2, ask(1, "POST", "/a")[315:]).After(5), server(3, out(1, fine)+end(1, 0, 0))},
			Want: []string{`POST "/a" q[1-2 #1-2 2p] r[3-3 #3-3 1p] answered 200 lossy`}},
		{Name: "an answer is missing", Uncut: true, Steps: steps{client(1, ask(1, "GET", "/a")), client(2, ask(1, "GET", "/b")), server(3, out(1, fine)+end(1, 0, 0)).After(90)},
			Want: []string{`GET "/a" q[1-1 #1-1 1p] r[] unanswered lossy`, `GET "/b" q[2-2 #2-2 1p] r[3-3 #3-3 1p] answered resync`}},
		{Name: "not FastCGI", Steps: steps{client(1, "GET / HTTP/1.1\r\n\r\n"), server(2, "HTTP/1.1 200 OK\r\n\r\n")}},
	})
}

// TestManyAtOnce: more requests than are remembered cost no more memory, and the
// oldest go.
func TestManyAtOnce(t *testing.T) {
	var all string
	for id := 1; id <= maxPending+2; id++ {
		all += ask(id, "GET", fmt.Sprintf("/%d", id))
	}
	p := newParser(new(prototest.Recorder), false).(*parser)
	p.Data(&flow.Chunk{Data: []byte(all)})
	if len(p.requests) != maxPending || p.table.Len() != maxPending {
		t.Errorf("%d requests, %d wait", len(p.requests), p.table.Len())
	}
}

var files = []string{"testdata/phpfpm8.pcap", "testdata/go.pcap"}

// The captures hold no word of bodies, headers and cookies.
func TestCapture(t *testing.T) {
	for _, file := range files {
		prototest.Golden(t, Protocol, file)
		if found := prototest.Conversations(t, Protocol, file, 1<<20); strings.Contains(found, "secret") {
			t.Errorf("a value is shown:\n%s", found)
		}
	}
}

// TestAgainstTshark compares requests by their numbers: the packets in which they begin,
// and those that end their answers.
func TestAgainstTshark(t *testing.T) {
	for _, file := range files {
		waiting := map[string]string{}
		var want []string
		for _, row := range prototest.Tshark(t, file, "tcp.port==19000-19001,fcgi", "fcgi", "frame.number", "tcp.stream", "fcgi.type", "fcgi.id") {
			frame, request := row[0], row[1]+" "+row[3]
			switch row[2] {
			case "1":
				waiting[request] = frame
			case "2":
				delete(waiting, request)
			case "3":
				if began, ok := waiting[request]; ok {
					want = append(want, began+" "+frame)
				}
				delete(waiting, request)
			}
		}
		var got []string
		for _, e := range prototest.Exchanges(t, Protocol, file) {
			if e.Status == proto.Answered && e.Error != proto.EndedWithin && e.Command != "GET_VALUES" {
				got = append(got, fmt.Sprintf("%d %d", e.Request.First.Frame, e.Response.Last.Frame))
			}
		}
		prototest.Agree(t, file, want, got, 5)
	}
}

func TestSniff(t *testing.T) {
	prototest.Sniff(t, Protocol, []prototest.Opening{
		{flow.ToServer, ask(1, "GET", "/"), proto.Sure},
		{flow.ToServer, begin(1, responder)[:15], proto.Maybe},
		{flow.ToServer, begin(1, 4), proto.No},
		{flow.ToServer, begin(0, 1), proto.No},
		{flow.ToServer, begin(1, 1)[:1], proto.Maybe},
		{flow.ToServer, "\x02", proto.No},
		{flow.ToClient, begin(1, 1), proto.No},
		{flow.ToServer, recordOf(getValues, 0, pairs("FCGI_MAX_CONNS", ""), 0), proto.Sure},
		{flow.ToServer, recordOf(stdin, 1, "abc", 5) + recordOf(stdin, 1, "", 0), proto.Likely},
		{flow.ToServer, recordOf(stdin, 1, "abc", 5) + "\x01\x05", proto.Maybe},
		{flow.ToServer, recordOf(stdin, 1, "abc", 5) + "x", proto.No},
		{flow.ToServer, out(1, fine), proto.No},
		{flow.ToClient, out(1, fine), proto.Sure},
		{flow.ToClient, out(1, "\x00\x01"), proto.Likely},
		{flow.ToClient, out(1, "a page goes on")[:15], proto.Maybe},
		{flow.ToClient, out(1, "a page ends") + end(1, 0, 0), proto.Sure},
		{flow.ToClient, end(1, 0, 9), proto.No},
		{flow.ToClient, "\x01\x03\x00\x01\x00\x08\x00\x01", proto.No},
		{flow.ToServer, "GET / HTTP/1.1\r\n\r\n", proto.No},
		{flow.ToServer, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03aaaaa", proto.No},
	})
}

// What asks still, is answered, or given up is owed nothing.
func TestOwes(t *testing.T) {
	get := ask(1, "GET", "/")
	for _, tt := range []struct {
		name  string
		want  bool
		steps steps
	}{
		{"asked", true, steps{client(1, get)}},
		{"asking", false, steps{client(1, get[:len(get)-9])}},
		{"answering", false, steps{client(1, get), server(2, out(1, fine)[:9])}},
		{"answered", false, steps{client(1, get), server(2, out(1, fine)+end(1, 0, 0))}},
		{"given up", false, steps{client(1, get+recordOf(abortRequest, 1, "", 0))}},
	} {
		if got := prototest.Owes(Protocol, tt.steps); got != tt.want {
			t.Errorf("%s: owes %v, want %v", tt.name, got, tt.want)
		}
	}
}

// FuzzParser feeds arbitrary conversations, see prototest.Torture; and arbitrary
// parameters and pages in step, where the cuts do not matter.
func FuzzParser(f *testing.F) {
	f.Add(prototest.Tape(client(0, ask(1, "GET", "/a")), server(1, out(1, fine)+end(1, 0, 0))), byte(0), false)
	f.Add(prototest.Tape(client(0, begin(1, responder)+ask(2, "GET", "/b")), server(1, out(2, fine)[:20]).Cutting(3), client(2, recordOf(abortRequest, 1, "", 0))), byte(3), true)
	f.Add(prototest.Tape(client(0, recordOf(getValues, 0, pairs("FCGI_MAX_CONNS", ""), 0)), server(1, recordOf(stderr, 1, "x", 0)+end(1, 1, 2)).After(9)), byte(9), false)
	f.Fuzz(func(t *testing.T, data []byte, size byte, midway bool) {
		prototest.Torture(t, Protocol, data, midway)
		data = data[:min(len(data), 1<<16-1)]
		whole := prototest.Events(steps{
			client(1, begin(1, responder)+with(1, pairs(requestMethod, "GET", requestURI, "/a", "SECRET", string(data[:min(len(data), 1000)])), string(data))),
			server(2, out(1, string(data))+end(1, 0, 0)),
		})
		want := prototest.Run(Protocol, whole, false, flow.Finished)
		got := prototest.Run(Protocol, prototest.Recut(whole, int(size)+1), false, flow.Finished)
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 || !strings.HasPrefix(want[0], `GET "/a" q`) {
			t.Fatalf("%q; %s", want, diff)
		}
	})
}
