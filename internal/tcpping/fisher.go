package tcpping

import "math"

// byChance is how probable it is that as many of the lost ones or more are among the first
// n, if both groups lose alike (Fisher's exact test, one-sided).
func byChance(lost, n, otherLost, otherN int) float64 {
	all, allLost := n+otherN, lost+otherLost
	p := 0.0
	for k := lost; k <= min(n, allLost); k++ {
		if allLost-k <= otherN {
			p += math.Exp(choose(n, k) + choose(otherN, allLost-k) - choose(all, allLost))
		}
	}
	return min(p, 1)
}

// choose is the logarithm of a binomial coefficient.
func choose(n, k int) float64 {
	gamma := func(n int) float64 { g, _ := math.Lgamma(float64(n) + 1); return g }
	return gamma(n) - gamma(k) - gamma(n-k)
}
