package beside

import (
	"strings"
	"testing"
)

func TestCountSamples(t *testing.T) {
	// As perf script --fields=comm,ip,sym prints it.
	const text = `mariadbd 
	ffffffff81a2b3c4 memcpy_orig
	ffffffff81a2b3c5 tpacket_rcv
	ffffffff81a2b3c6 __netif_receive_skb_core.constprop.0
	    7f1c2d3e4f50 send

swapper 
	ffffffff81a2b3c4 pv_native_safe_halt

rtrail 
	          411e11 [unknown]

mariadbd 
	    55d0c0ffee00 row_search_mvcc

sysbench 
	ffffffff81a2b3c5 tcp_sendmsg
`
	s := countSamples(strings.NewReader(text), "rtrail", []string{"tpacket_rcv", "dev_queue_xmit_nit"})
	if want := (Share{Program: 25, Kernel: 25, Samples: 4}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if s := countSamples(strings.NewReader(""), "rtrail", nil); s != (Share{}) {
		t.Errorf("of nothing: %+v", s)
	}
}
