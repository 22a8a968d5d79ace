package cpu

import (
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

var delayShare = rule.Threshold{Name: "delay-share", Value: 0.25, Unit: "share", Source: rule.Judgement,
	Reason: "Time that a program's threads waited for a CPU, relative to the time that others waited for this program. Below it a free CPU would hardly make the answers faster."}

// delayed says whether threads that waited for a CPU explain the time that was waited
// for the subject of another finding. by says whose threads count.
func delayed(v *view.View, symptom *rule.Finding, by func(*view.Process) bool) bool {
	return v.WaitedForCPU(symptom.Subject, symptom.Impact.TimeLost, by) >= delayShare.Value
}
