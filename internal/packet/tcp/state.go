package tcp

// impl is what a table keeps of a connection beside its counts.
type impl struct{}
