package lab

func processCases() []Case { return nil }
