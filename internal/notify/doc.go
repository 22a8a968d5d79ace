// Package notify hands notices of faults to whoever is named: a command, a webhook, or an
// Alertmanager. Each receiver has a queue and a goroutine of its own: a slow one keeps neither
// others nor the watch waiting. A notice leaves its queue when the receiver took it, so that
// each arrives at least once, as long as pending ones are kept across restarts.
//
// Nothing is asked of the network but what is named. Redirects are not followed, certificates
// are verified, answers are bounded, and what stands in a URL besides scheme and host is never
// printed.
package notify
