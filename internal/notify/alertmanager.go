package notify

import (
	"context"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/watch"
)

const (
	// refreshEvery is how often an Alertmanager is told of what is there: it takes alerts for
	// resolved of which it hears no more. It does not notify again for it.
	refreshEvery = time.Minute
	// endsIn is when an alert ends of which nothing more is said: after a crash, or with the
	// host. Four refreshes may fail.
	endsIn = 5 * time.Minute
)

// alert is one of POST /api/v2/alerts (Alertmanager, api/v2/openapi.yaml, postableAlert).
type alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// alertOf makes the alert of a fault. Its labels are its identity, so they have nothing that
// changes while it is there. If the clock was set back since the
// fault began, the alert begins now: none may end before it begins.
func alertOf(n *watch.Notice, k watch.Key, now, ends time.Time) alert {
	a := alert{
		Labels: map[string]string{"alertname": k.Rule, "instance": n.Host, "subject": escape.Text(k.Subject), "fault": n.Fault, "source": "rtrail"},
		Annotations: map[string]string{"summary": escape.Text(n.Headline), "description": n.Text(), "confidence": n.Confidence,
			"impact": escape.Text(n.Impact), "who": escape.Text(n.Who), "look": escape.Text(n.Look), "change": escape.Text(n.Change)},
		StartsAt: n.Since, EndsAt: ends,
	}
	if a.StartsAt.After(now) {
		a.StartsAt = now
	}
	for name, text := range a.Annotations {
		if text == "" {
			delete(a.Annotations, name)
		}
	}
	return a
}

// alert tells of a notice: a cause that another one replaced is resolved.
func (c *client) alert(ctx context.Context, n *watch.Notice) error {
	now := time.Now()
	ends := now.Add(endsIn)
	if n.Event == watch.Ended {
		ends = now
	}
	list := []alert{alertOf(n, n.Key, now, ends)}
	if n.Was != nil && n.Was.Key != n.Key {
		list = append(list, alertOf(n, n.Was.Key, now, now))
	}
	return c.post(ctx, list)
}

// again tells of all faults that are there.
func (c *client) again(ctx context.Context, open []watch.Notice) error {
	now := time.Now()
	var list []alert
	for i := range open {
		list = append(list, alertOf(&open[i], open[i].Key, now, now.Add(endsIn)))
	}
	return c.post(ctx, list)
}
