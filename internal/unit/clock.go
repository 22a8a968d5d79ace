package unit

import "time"

// Clock prints the time of day, with its zone: "15:04:05 CET". As all times in
// answers it is that of the local zone.
type Clock time.Time

func (c Clock) String() string { return time.Time(c).Local().Format("15:04:05 MST") }

// ClockMillis prints a Clock with milliseconds.
type ClockMillis time.Time

func (c ClockMillis) String() string { return time.Time(c).Local().Format("15:04:05.000 MST") }

// Moment prints a Clock with its date: "2006-01-02 15:04:05 CET".
type Moment time.Time

func (m Moment) String() string { return time.Time(m).Local().Format(MomentLayout) }

// MomentLayout is the layout of a Moment.
const MomentLayout = "2006-01-02 15:04:05 MST"
