// Package knee says where more load stops giving more throughput: by the universal scalability
// law for closed loops, by a limit of latency for open ones.
package knee

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Point is the throughput that a number of clients got in one run.
type Point struct {
	Clients    float64
	Throughput float64 // per second
}

// Law is the universal scalability law (N. Gunther): N clients get
// lambda N / (1 + sigma (N-1) + kappa N (N-1)) per second.
type Law struct {
	Lambda float64 `json:"lambda_per_second"` // what one client gets
	Sigma  float64 `json:"sigma"`             // contention: the share that goes one at a time
	Kappa  float64 `json:"kappa"`             // crosstalk: what each pair of clients costs
}

// At is the throughput of a number of clients.
func (l Law) At(n float64) float64 { return l.Lambda * n / (1 + l.Sigma*(n-1) + l.Kappa*n*(n-1)) }

// Peak is how many clients get the most; infinite without crosstalk.
func (l Law) Peak() float64 {
	if l.Kappa <= 0 {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, 1-l.Sigma) / l.Kappa)
}

// solve finds the law of the least squares; false: no law with contention and crosstalk from 0
// on fits at all. In a = 1/lambda, b = sigma/lambda, c = kappa/lambda, the time per request
// N/X is linear; Gauss and Newton then make the errors those of X.
func solve(points []Point) (Law, bool) {
	best, found, least := Law{}, false, math.Inf(1)
	for _, free := range [][3]bool{{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false}} {
		x, ok := descend(points, free)
		if !ok || x[0] <= 0 || x[1] < 0 || x[2] < 0 {
			continue
		}
		l := Law{1 / x[0], x[1] / x[0], x[2] / x[0]}
		if sum := squares(l, points); sum < least {
			best, found, least = l, true, sum
		}
	}
	return best, found
}

// descend fits the coefficients that are free; the others are 0.
func descend(points []Point, free [3]bool) (x [3]float64, ok bool) {
	const rounds = 50
	for round := range rounds {
		var m [3][4]float64
		for _, p := range points {
			basis := [3]float64{1, p.Clients - 1, p.Clients * (p.Clients - 1)}
			// The first round weighs the linear form by what its errors mean for X.
			rest, slope := p.Clients/p.Throughput, p.Throughput*p.Throughput/p.Clients
			if round > 0 {
				f := x[0]*basis[0] + x[1]*basis[1] + x[2]*basis[2]
				if f <= 0 {
					return x, false
				}
				slope = p.Clients / (f * f)
				rest = (p.Clients/f - p.Throughput) / slope
			}
			for i := range basis {
				for j := range basis {
					m[i][j] += slope * slope * basis[i] * basis[j]
				}
				m[i][3] += slope * slope * basis[i] * rest
			}
		}
		step, solved := eliminate(m, free)
		if !solved {
			return x, false
		}
		moved := 0.0
		for i := range x {
			if round == 0 {
				x[i], moved = step[i], math.Inf(1)
				continue
			}
			x[i] += step[i]
			moved = max(moved, math.Abs(step[i])/max(math.Abs(x[i]), 1e-12))
		}
		if moved < 1e-9 {
			break
		}
	}
	return x, true
}

// eliminate solves three equations, of those unknowns that are free.
func eliminate(m [3][4]float64, free [3]bool) (x [3]float64, ok bool) {
	for i := range m {
		if !free[i] {
			for j := range m {
				m[i][j], m[j][i] = 0, 0
			}
			m[i][i], m[i][3] = 1, 0
		}
	}
	for i := range m {
		pivot := i
		for j := i + 1; j < len(m); j++ {
			if math.Abs(m[j][i]) > math.Abs(m[pivot][i]) {
				pivot = j
			}
		}
		m[i], m[pivot] = m[pivot], m[i]
		if m[i][i] == 0 || math.IsNaN(m[i][i]) {
			return x, false
		}
		for j := range m {
			if j != i {
				factor := m[j][i] / m[i][i]
				for k := i; k < len(m[j]); k++ {
					m[j][k] -= factor * m[i][k]
				}
			}
		}
	}
	for i := range m {
		x[i] = m[i][3] / m[i][i]
	}
	return x, true
}

// squares is the sum of the squares of what a law is off.
func squares(l Law, points []Point) (sum float64) {
	for _, p := range points {
		d := p.Throughput - l.At(p.Clients)
		sum += d * d
	}
	return sum
}

// levels are the different numbers of clients, ascending.
func levels(points []Point) []float64 {
	var all []float64
	for _, p := range points {
		all = append(all, p.Clients)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resample is what the law says, with the errors of points drawn again.
func resample(l Law, points []Point, draw *rand.Rand) []Point {
	again := slices.Clone(points)
	for i := range again {
		of := points[draw.IntN(len(points))]
		again[i].Throughput = l.At(points[i].Clients) * of.Throughput / l.At(of.Clients)
	}
	return again
}
