package explain

// Metric is one number a verdict can show: the entry of the dictionary that
// `rtrail explain ID` prints.
type Metric struct {
	ID      string   // "tcp.listen-overflows"; Evidence.Metric refers to it
	Name    string   // "listen queue overflows"
	Meaning string   // what it counts or measures, in plain words
	Unit    string   // "events", "bytes", "seconds", "share of one CPU"
	Source  string   // file and field, netlink attribute or counter, with the kernel version if it matters
	Tools   []string // commands that show it, as one types them
	Traps   []string // how it misleads
	Healthy string   // what a healthy value looks like, if one can say
}
