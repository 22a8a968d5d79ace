package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rtrail/internal/traffic"
	"rtrail/internal/traffic/filter"
)

// packetsJob is what `rtrail packets` was asked to do.
type packetsJob struct {
	ports string
	only  []uint16 // what ports names
	as    decodeAs
	every time.Duration
	top   int

	iface  string
	netns  string
	length time.Duration
	write  string
	rows   bool

	by           string
	transactions bool
	order        string
	slowest      int
	histogram    bool
	filter       string
	face
	format  string
	parquet string
	html    string

	topGiven, orderGiven, byGiven, slowestGiven, formatGiven, everyGiven, filterGiven, lengthGiven bool
}

func newPacketsCommand() *cobra.Command {
	var p packetsJob
	cmd := &cobra.Command{
		Use:   "packets FILE... | -i IF",
		Short: "Response times from packets: per second, service, statement, connection",
		Long: `Reads captures (pcap or pcapng, also gzip or zstd; "-" is standard input),
reassembles the connections and measures how long every request waited for its
answer. Without further flags it prints the services, their times over the
capture, and the connections and statements that took the time. On an interface,
on standard input, and with --every or --by second it prints a line per interval
and service as time passes, then the sums.

RT runs from the first copy of the last packet of a request to the first packet
of its answer. Requests that are ambiguous, or of which packets are missing, are
counted but left out of all times. A protocol marked ~ is not fully decoded:
~generic and ~tls infer requests from changes of direction; ~mysql and others
are cut off or encrypted.

Views (one of them):
  --by WHAT        sums by second, connection, statement, client or server
  --transactions   every request: when, RT and its phases, frames, statement
  --slowest N      the N requests with the longest RT
  --histogram      how RT is distributed, per service, and where it has peaks
  --format CODES   a line per interval in the codes of tcprstat

Beside any view: --parquet DIR for DuckDB or Spark, --html FILE for a browser.

Instead of a view, and without its flags:
  --connection ID  one connection, packet by packet
  --extract IDS    copies the packets of connections to -o FILE
  --client-side FILE --server-side FILE
                   compares two captures of the same traffic; takes -p, --top,
                   --transactions and --json

--filter EXPR counts and lists only requests for which an expression in the
Common Expression Language (cel.dev) is true. Comparisons with unknown values,
such as the rt of an unanswered request, are false. The variables:
` + filter.Help() + `
--format prints one line per interval over all ports, times in microseconds:
  %n count   %a mean     %s sum      %x sum of squares     %S standard deviation
  %m minimum %M maximum  %h median   %v variance           %I iteration, from 0
  %t seconds since the first interval began
  %T Unix time at the end of the interval
  %% percent sign   \n line end   \t tab
  A number after % restricts to the fastest so many percent: %95M %99a.
  Medians and percentiles are within one percent; the rest is exact.

--transactions --json prints one object per line; unknown values are null.
frames are the first and last packet of the request, then of the answer. Other
views with --json print one document, live captures one object per interval.
--markdown prints a view for a ticket, also of a live capture when it ends.

QPS is the count divided by the part of the interval that the capture covers
(JSON: seconds). If that is less than a tenth of the interval, QPS is omitted.`,
		Example: `  rtrail packets a.pcap
  rtrail packets ring_*.pcap -p 3306 --by statement --top 20
  rtrail packets a.pcap --slowest 20 --filter 'proto == "mysql"'
  rtrail packets a.pcap --transactions --filter 'rt > duration("10ms") || failed'
  rtrail packets a.pcap --transactions --json | jq 'select(.rt_ns > 1e7)'
  rtrail packets a.pcap --histogram
  rtrail packets a.pcap --format '%T\t%n\t%a\t%95M\t%99M\n'
  rtrail packets a.pcap --parquet out/ --html a.html
  tcpdump -i eth0 -w - port 3306 | rtrail packets -
  sudo rtrail packets -i eth0 -p 3306 --for 30s -w slow.pcapng`,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			p.topGiven, p.orderGiven, p.byGiven, p.slowestGiven = given("top"), given("sort"), given("by"), given("slowest")
			p.formatGiven, p.everyGiven, p.filterGiven, p.lengthGiven = given("format"), given("every"), given("filter"), given("for")
			if err := p.check(args); err != nil {
				return err
			}
			return p.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.ports, "port", "p", "", "only these server ports, comma-separated")
	p.as.add(f)
	f.StringVarP(&p.iface, "interface", "i", "", "capture on this interface (any: on all) until Ctrl-C or --for")
	f.DurationVar(&p.length, "for", 0, "how long to capture (default: until Ctrl-C)")
	f.StringVar(&p.netns, "netns", "", "capture in this network namespace: a name, a path or a PID")
	f.StringVarP(&p.write, "write", "w", "", "also write the packets to this file (pcapng, or pcap by its name)")
	f.BoolVar(&p.rows, "rows", false, "live: also copy and count the rows of large MySQL results, which are otherwise skipped")
	f.DurationVar(&p.every, "every", time.Second, "time per line, printed as it passes: whole seconds")
	f.IntVar(&p.top, "top", 10, "lines per table, or requests in a list (default there: all)")
	f.StringVar(&p.by, "by", "second", "view: sums by "+strings.Join(traffic.Views, ", "))
	f.BoolVar(&p.transactions, "transactions", false, "view: a list of all requests")
	f.StringVar(&p.order, "sort", "start", "order of --transactions: start (default), rt, total, upload, server, download, idle, retransmit, rows, bytes; none: as they complete, the only order of a live capture, and of --json without --top")
	f.Lookup("sort").DefValue = "" // the text says where it is the default
	f.IntVar(&p.slowest, "slowest", 0, "view: the N requests with the longest RT")
	f.BoolVar(&p.histogram, "histogram", false, "view: the distribution of RT per service")
	f.StringVar(&p.filter, "filter", "", "count and list only requests for which this expression is true")
	p.face.add(f, "the view")
	f.StringVar(&p.format, "format", "", "view: a line per interval in the codes of tcprstat")
	f.StringVar(&p.parquet, "parquet", "", "also write connections and requests to Parquet files in this directory")
	f.StringVar(&p.html, "html", "", "also write a page with charts and tables to this file")
	cmd.SetFlagErrorFunc(flagError)
	return withModes(cmd)
}

// portList reads ports separated by commas.
func portList(list string) ([]uint16, error) {
	var ports []uint16
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		n, err := strconv.ParseUint(word, 10, 16)
		if err != nil || n == 0 {
			return nil, usageError("-p %s: %q is no port (1 to 65535)", list, word)
		}
		ports = append(ports, uint16(n))
	}
	return ports, nil
}
