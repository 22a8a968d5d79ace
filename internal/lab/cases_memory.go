package lab

func memoryCases() []Case { return nil }
