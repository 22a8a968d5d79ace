package explain

var generalMetrics = []Metric{}
