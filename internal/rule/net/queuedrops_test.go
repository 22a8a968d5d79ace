package net

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	risen "rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// out is a queue of an interface, by what happens a second.
type out struct {
	kind              string
	sent, drops, held float64
	parent            uint32
}

func (o out) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	return ruletest.Every(h, func(at time.Time, s float64) recording.QdiscSample {
		return recording.QdiscSample{At: at, NetNS: 1, Interface: "eth0", Kind: o.kind, Handle: 0x80010000, Parent: o.parent, Packets: 1e6 + uint64(o.sent*s), Drops: 7 + uint32(o.drops*s), Overlimits: uint32(o.held * s)}
	})
}

func TestQdiscDrops(t *testing.T) {
	var list []ruletest.Situation
	for _, c := range []struct {
		name string
		o    out
		want rule.Confidence
		says string
	}{
		{"a shaper at its rate", out{"tbf", 900, 100, 800, recording.QdiscRoot}, rule.Certain, "the shaper tbf 8001: of eth0 drops 10 % of the packets"},
		{"a short queue", out{"pfifo", 900, 100, 0, recording.QdiscRoot}, rule.Certain, "the queue pfifo 8001: of eth0"},
		{"a filled link", out{"fq_codel", 100_000, 400, 0, recording.QdiscRoot}, rule.Possible, "0.4 %"},
		{"TCP finds out what a link takes", out{"fq_codel", 100_000, 100, 0, recording.QdiscRoot}, 0, ""},
		{"one burst", out{"pfifo", 10, 1.9, 0, recording.QdiscRoot}, 0, ""},
		{"a shaper that only delays", out{"tbf", 900, 0, 800, recording.QdiscRoot}, 0, ""},
		{"a filter of incoming packets", out{"ingress", 900, 100, 0, recording.QdiscIngress}, 0, ""},
	} {
		list = append(list, ruletest.Situation{Name: c.name, Host: c.o.host, Want: c.want, Kind: view.KindInterface, Subject: "eth0", High: 0.2, Says: c.says})
	}
	ruletest.Check(t, qdiscDrops, list)
}

// received is what CPU 1 did with packets, a second.
type received struct{ processed, dropped, squeezed, softirq float64 }

func (r received) host() *ruletest.Host {
	h := ruletest.New(2, 10).CPUs(ruletest.CPU{User: 0.2}, ruletest.CPU{SoftIRQ: r.softirq})
	return ruletest.Every(h, func(at time.Time, s float64) recording.SoftnetSample {
		return recording.SoftnetSample{At: at, CPU: 1, Processed: 1e6 + uint64(r.processed*s), Dropped: uint64(r.dropped * s), Squeezed: uint64(r.squeezed * s)}
	})
}

func TestSoftnet(t *testing.T) {
	var list []ruletest.Situation
	for _, c := range []struct {
		name string
		r    received
		want rule.Confidence
		says string
	}{
		{"overflows", received{9000, 1000, 0, 0.1}, rule.Certain, "the backlog of a CPU is full: 10,000 in the window, most on CPU 1"},
		{"a part of a percent", received{99_600, 400, 5, 0.1}, rule.Likely, "4,000 in the window"},
		{"slightly", received{99_920, 80, 5, 0.1}, rule.Possible, "800 in the window"},
		{"next to nothing", received{99_990, 10, 0, 0.1}, 0, ""},
		{"one burst", received{10, 1.9, 0, 0.1}, 0, ""},
		{"squeezed", received{90_000, 0, 150, 0.4}, rule.Possible, "CPU 1 does not keep up with received packets: 150/s"},
		{"squeezed while there is time", received{90_000, 0, 150, 0.1}, 0, ""},
		{"squeezed now and then", received{90_000, 0, 90, 0.4}, 0, ""},
	} {
		list = append(list, ruletest.Situation{Name: c.name, Host: c.r.host, Want: c.want, Kind: view.KindCPU, Subject: "CPU 1", High: 0.25, Says: c.says})
	}
	ruletest.Check(t, softnet, list)
}

// card is what an interface counts, a second.
type card struct {
	came, fifo, errors, dropped, sent, carrier float64
	sentFIFO                                   float64
	virtual                                    bool
}

func (c card) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	n := func(rate, s float64) uint64 { return 1000 + uint64(rate*s) }
	return ruletest.Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
		return recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", RxPackets: n(c.came, s), RxErrors: n(c.errors+c.fifo, s), RxFIFO: n(c.fifo, s), RxDropped: n(c.dropped, s),
			TxPackets: n(c.sent, s), TxErrors: n(c.sentFIFO, s), TxFIFO: n(c.sentFIFO, s), Carrier: n(c.carrier, s), SpeedMbps: -1, Physical: !c.virtual, MTU: 1500, Up: true}
	})
}

func TestNICDrops(t *testing.T) {
	var list []ruletest.Situation
	for _, x := range []struct {
		name string
		c    card
		want rule.Confidence
		says string
	}{
		{"a full ring", card{came: 9500, fifo: 500}, rule.Certain, "packets because its receive ring was full: 5,000, 5.0 % of all"},
		{"now and then", card{came: 100_000, fifo: 300}, rule.Possible, "0.3 %"},
		{"hardly ever", card{came: 100_000, fifo: 100}, 0, ""},
		{"damaged frames", card{came: 9500, errors: 500}, rule.Certain, "receives damaged frames"},
		{"a link that comes and goes", card{came: 100, sent: 950, carrier: 50}, rule.Certain, "on a link that went down"},
		{"missed, or of strange protocols", card{came: 900, dropped: 100}, rule.Possible, "drops received packets unread"},
		{"of a virtual interface", card{came: 900, dropped: 100, virtual: true}, 0, ""},
		{"errors of a virtual interface", card{came: 9500, errors: 500, virtual: true}, rule.Possible, "eth0 counts errors"},
		{"healthy", card{came: 10_000, sent: 9000}, 0, ""},
	} {
		list = append(list, ruletest.Situation{Name: x.name, Host: x.c.host, Want: x.want, Kind: view.KindInterface, Subject: "eth0", High: 0.2, Says: x.says})
	}
	ruletest.Check(t, nicDrops, list)
}

// Cards as people reported them: all that a card had counted, as if it came in the window,
// since only shares are judged.
func TestNICDropsOfRealCards(t *testing.T) {
	const window = 10.0 // seconds, of card.host
	var list []ruletest.Situation
	for _, x := range []struct {
		name, source                                 string
		came, errors, dropped, sent, sentFIFO, speed float64
		want                                         rule.Confidence
		says                                         string
	}{
		{"an ice card whose rings nobody empties in time", "github.com/ntop/PF_RING/issues/831", 31_258_533, 0, 20_981_600, 0, 0, 25_000, rule.Possible, "40 % of all"},
		{"damaged frames beside what nobody wants", "hippogrammer.tistory.com/287", 318_352, 309, 4_864, 240_498, 0, 1_000, rule.Possible, "drops received packets unread: 4,864"},
		{"an ixgbe card that misses packets in bursts: too few to tell from what nobody wants", "serverdevworker.com/13544d5d66", 2_059_646_370, 0, 7_142_467, 0, 0, 10_000, 0, ""},
		{"protocols that nobody speaks", "github.com/netdata/netdata/issues/5158", 11_791_910, 0, 76_076, 17_464_164, 0, 1_000, 0, ""},
		{"an e1000e card that misses hardly any", "github.com/netdata/netdata/issues/988", 3_811_442_658, 0, 7_183, 3_587_842_070, 0, 1_000, 0, ""},
		{"errors now and then", "github.com/raspberrypi/linux/issues/6488", 7_937_985_429, 489_032, 0, 7_183_614_306, 0, 1_000, 0, ""},
		{"a tunnel that refuses some packets", "github.com/projectcalico/calico/issues/2878", 16_205_656, 0, 0, 18_243_634, 35_842, -1, 0, ""},
	} {
		c := card{came: x.came / window, errors: x.errors / window, dropped: x.dropped / window, sent: x.sent / window, sentFIFO: x.sentFIFO / window, virtual: x.speed < 0}
		list = append(list, ruletest.Situation{Name: x.name + ": " + x.source, Host: c.host, Want: x.want, Kind: view.KindInterface, Subject: "eth0", High: 0.5, Says: x.says})
	}
	ruletest.Check(t, nicDrops, list)
}

// A speed makes no card, and a bond does not lose once more what its member lost.
func TestNICDropsOfCardsOnly(t *testing.T) {
	damaged := card{came: 9500, errors: 500}
	for _, tt := range []struct {
		name   string
		card   card
		change func(*recording.NetDeviceSample)
		want   string
	}{
		{"a tunnel that tells a speed", card{came: 900, dropped: 100, virtual: true}, func(r *recording.NetDeviceSample) { r.Interface, r.SpeedMbps = "tun7", 10_000 }, "certain eth0"},
		{"a veth that counts errors", damaged, func(r *recording.NetDeviceSample) { r.Interface, r.SpeedMbps, r.Physical = "veth1", 10_000, false }, "certain eth0, possible veth1"},
		{"the bond of the card", damaged, func(r *recording.NetDeviceSample) { r.Interface, r.Physical = "bond0", false }, "certain eth0"},
		{"another card", damaged, func(r *recording.NetDeviceSample) { r.Interface = "eth1" }, "certain eth0, certain eth1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			for _, r := range recording.Rows[recording.NetDeviceSample](damaged.host().Rec) {
				r.Master = "bond0"
				ruletest.Add(h, r)
			}
			for _, r := range recording.Rows[recording.NetDeviceSample](tt.card.host().Rec) {
				tt.change(&r)
				ruletest.Add(h, r)
			}
			found, err := nicDrops.Detect(h.View())
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, f.Confidence.String()+" "+f.Subject.Name)
			}
			if strings.Join(got, ", ") != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// What a rule finds is not listed as judged by no rule: the counter names the rule.
func TestCountersNameTheirRules(t *testing.T) {
	for id, h := range map[string]*ruletest.Host{
		"net/qdisc-drops": out{"tbf", 900, 100, 800, recording.QdiscRoot}.host(),
		"net/softnet":     received{9000, 1000, 0, 0.1}.host(),
		"net/nic-drops":   card{came: 9500, fifo: 500}.host(),
	} {
		rising := risen.Rising(h.View())
		if len(rising) == 0 {
			t.Errorf("%s: no counter rises", id)
		}
		for _, r := range rising {
			if !slices.Contains(r.Rules, id) {
				t.Errorf("%s does not judge %+v", id, r)
			}
		}
	}
}
