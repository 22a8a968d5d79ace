package load

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/mysqlconn"
)

// Level is how much load a step makes: Threads of a closed loop, or Rate of an open one.
type Level struct {
	Threads int
	Rate    float64 // per second; 0: a closed loop
}

// Limits are what a step must not exceed.
type Limits struct {
	Rate float64       // transactions a second
	Time time.Duration // of a step, warm-up and all
}

// Outcome is what a step's load came to. Times of day are of this host.
type Outcome struct {
	Began, Ended time.Time // of what is measured
	Load         bench.Load
	Alone        bench.Load // the same without the wait before a request begins; of open loops
	Generator    Usage      // of the CPU
	Invalid      []string   // why nothing can be concluded
	Notes        []string   // what is worth knowing
	Settings     map[string]string
	Steady       Steadiness
	// Gone says that the load ended before its time: the step is to be repeated.
	Gone bool
}

// saidByServer is an error of a MySQL server as sysbench prints it: "FATAL: error 1040: Too many
// connections".
var saidByServer = regexp.MustCompile(`\berror (\d{4}):`)

// Full says whether a load failed because the server lets no more clients in.
func Full(failure error) bool {
	if kind, _ := mysqlconn.Classify(failure); kind == mysqlconn.Full || failure == nil {
		return failure != nil
	}
	said := saidByServer.FindStringSubmatch(failure.Error())
	if said == nil {
		return false
	}
	code, err := strconv.ParseUint(said[1], 10, 16)
	return err == nil && mysqlconn.KindOf(uint16(code)) == mysqlconn.Full
}

// Telling is how a load says what goes on.
type Telling struct {
	// Measures is called when the warm-up is over.
	Measures func()
	// Output gets what the generator prints, line by line, without secrets.
	Output func(line string)
}

// Driver makes load. Run returns what there was until ctx ended.
type Driver interface {
	Run(ctx context.Context, level Level, limits Limits, tell Telling) (Outcome, error)
}
