package traffic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"rtrail/internal/outfile"
	"rtrail/internal/packet/rt"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
	"rtrail/internal/safefile"
)

const (
	// groupRows bounds a row group, which is held in memory while it is written:
	// about 30 MB of requests.
	groupRows = 64 << 10
	pageBytes = 256 << 10
)

// Parquet writes every request and every connection to Parquet files, in the
// tables of a recording: packet_transactions, packet_connections and
// packet_sides. Row groups are written as they fill, so that memory does not
// grow with the capture. A file has its name when it is complete.
type Parquet struct {
	Stream *Stream // of the requests

	mu           sync.Mutex
	transactions *parquetFile[recording.PacketTransaction]
	connections  *parquetFile[recording.PacketConnection]
	sides        *parquetFile[recording.PacketSide]
	err          error
	failed       func(error)
}

// NewParquet makes the directory and begins the files; failed is told the first
// error of writing.
func NewParquet(ctx context.Context, dir string, workers int, failed func(error)) (*Parquet, error) {
	made, err := safefile.MakeDir(dir, 0o750)
	if err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	defer made.Close()
	p := &Parquet{failed: failed}
	if p.transactions, err = newParquetFile[recording.PacketTransaction](ctx, dir); err == nil {
		if p.connections, err = newParquetFile[recording.PacketConnection](ctx, dir); err == nil {
			p.sides, err = newParquetFile[recording.PacketSide](ctx, dir)
		}
	}
	if err != nil {
		p.Abandon()
		return nil, err
	}
	p.Stream = &Stream{Failed: failed, Rows: func(rows []rt.Transaction) error {
		for i := range rows {
			if err := p.transactions.add(capture.TransactionRow(&rows[i])); err != nil {
				return err
			}
		}
		return nil
	}}
	p.Stream.Start(workers)
	return p, nil
}

// Listener takes the connections of a worker.
func (p *Parquet) Listener(int) Listener { return parquetListener{p} }

type parquetListener struct{ *Parquet }

func (parquetListener) Transaction(*rt.Transaction) {}
func (parquetListener) Batch()                      {}

func (l parquetListener) Connection(k *rt.Connection) {
	row := capture.ConnectionRow(k)
	p := l.Parquet
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	p.err = errors.Join(p.connections.add(row), p.sides.add(capture.SideRow(&row, "client", &k.Sides[0])), p.sides.add(capture.SideRow(&row, "server", &k.Sides[1])))
	if p.err != nil && p.failed != nil {
		p.failed(p.err)
	}
}

// Close completes the files.
func (p *Parquet) Close() error {
	if err := errors.Join(p.Stream.Err(), p.err); err != nil {
		p.Abandon()
		return err
	}
	return errors.Join(p.transactions.close(), p.connections.close(), p.sides.close())
}

// Abandon removes what was begun.
func (p *Parquet) Abandon() {
	p.transactions.abandon()
	p.connections.abandon()
	p.sides.abandon()
}

// parquetFile is one table.
type parquetFile[T recording.Row] struct {
	name string
	f    *outfile.File
	w    *parquet.GenericWriter[T]
	rows []T
}

func newParquetFile[T recording.Row](ctx context.Context, dir string) (*parquetFile[T], error) {
	var row T
	// Not joined: that would take dir/.. for nothing, which may lead through a link.
	p := &parquetFile[T]{name: strings.TrimSuffix(dir, "/") + "/" + string(row.Table()) + ".parquet"}
	var err error
	if p.f, err = outfile.Create(ctx, p.name); err != nil {
		return nil, fmt.Errorf("writing Parquet: %w", err)
	}
	p.w = parquet.NewGenericWriter[T](p.f, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest, Concurrency: 1}),
		parquet.PageBufferSize(pageBytes), parquet.MaxRowsPerRowGroup(groupRows), parquet.CreatedBy("rtrail", fmt.Sprint(recording.FormatVersion), ""))
	return p, nil
}

// add writes a row, some at a time.
func (p *parquetFile[T]) add(row T) error {
	const some = 256
	if p.rows = append(p.rows, row); len(p.rows) < some {
		return nil
	}
	return p.flush()
}

func (p *parquetFile[T]) flush() error {
	_, err := p.w.Write(p.rows)
	clear(p.rows)
	p.rows = p.rows[:0]
	if err != nil {
		return fmt.Errorf("writing %s: %w", p.name, err)
	}
	return nil
}

func (p *parquetFile[T]) close() error {
	err := errors.Join(p.flush(), p.w.Close())
	if err == nil {
		err = p.f.Commit()
	} else {
		p.f.Abandon()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", p.name, err)
	}
	return nil
}

func (p *parquetFile[T]) abandon() {
	if p != nil && p.f != nil {
		p.f.Abandon()
	}
}
