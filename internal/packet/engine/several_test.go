package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/pcap"
)

// A capture is the same one if its connections are spread over two files, and if
// each of its packets is in two files.
func TestSeveralFiles(t *testing.T) {
	for name, path := range map[string]string{
		"loss": filepath.Join("testdata", "loss.pcap"), "dns": filepath.Join("..", "proto", "dns", "testdata", "dnsmasq.pcap"),
	} {
		whole, report := runAll(t, path)
		want := whole.words()
		parted, _ := runAll(t, parts(t, path)...)
		if diff := cmp.Diff(want, parted.words()); diff != "" {
			t.Errorf("%s, in two files: %s", name, diff)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		again := filepath.Join(t.TempDir(), "copy.pcap")
		if err := os.WriteFile(again, b, 0o600); err != nil {
			t.Fatal(err)
		}
		twice, both := runAll(t, path, again)
		if diff := cmp.Diff(want, twice.words()); diff != "" {
			t.Errorf("%s, with a copy: %s", name, diff)
		}
		if both.Packets != 2*report.Packets || both.Duplicates != report.Packets {
			t.Errorf("%s, with a copy: %d packets, %d of them captured twice, want %d and %d", name, both.Packets, both.Duplicates, 2*report.Packets, report.Packets)
		}
	}
}

func runAll(t *testing.T, paths ...string) (*kept, Report) {
	t.Helper()
	src, err := pcap.Open(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var k kept
	report, err := Run(context.Background(), src, Options{Workers: 2, Collector: k.collector})
	if err != nil {
		t.Fatal(err)
	}
	return &k, report
}

// words are the transactions and connections but for the numbers of packets.
func (k *kept) words() []string {
	var list []string
	for i := range k.transactions {
		x := &k.transactions[i]
		list = append(list, fmt.Sprint(x.Start, x.Client, x.Server, x.Status, x.Doubt, x.Upload, x.RT, x.Serve, x.Download, x.Retransmit))
	}
	for i := range k.connections {
		c := &k.connections[i]
		list = append(list, fmt.Sprint(c.Began, c.Client, c.Server, c.Sides[0].Packets, c.Sides[1].Packets, c.Sides[0].Retransmissions, c.Sides[1].Retransmissions))
	}
	slices.Sort(list)
	return list
}

// parts writes the packets of a capture into two files, those of a connection into
// the same one.
func parts(t *testing.T, path string) []string {
	t.Helper()
	src, err := pcap.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dir := t.TempDir()
	var paths []string
	var writers []*pcap.Writer
	for i := range 2 {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i, ".pcap")))
		f, err := os.Create(paths[i])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		writers = append(writers, pcap.NewWriter(f, pcap.PCAP, src.Interfaces))
	}
	d := decode.New()
	for {
		b, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Packets {
			if err := writers[d.Hash(&b.Packets[i])%2].Write(&b.Packets[i]); err != nil {
				t.Fatal(err)
			}
		}
		b.Release()
	}
	for _, w := range writers {
		if err := w.Close(pcap.Loss{}); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}
