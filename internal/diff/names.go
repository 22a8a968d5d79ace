package diff

// names are what things of a window are called in both: by how the window itself calls them.
type names map[string]string

// pairNames gives things that both windows have one name. Each is called as its window calls it,
// if the other window has that too; else in words that also fit another host, as the port,
// if each window has one thing left that they fit.
func pairNames(first, second map[string]string) (x, y names) {
	x, y = names{}, names{}
	left := [2]map[string][]string{{}, {}}
	for i, side := range []map[string]string{first, second} {
		for exact, words := range side {
			x, other := []names{x, y}[i], []map[string]string{second, first}[i]
			x[exact] = exact
			if _, ok := other[exact]; !ok {
				left[i][words] = append(left[i][words], exact)
			}
		}
	}
	for words, list := range left[0] {
		if others := left[1][words]; len(list) == 1 && len(others) == 1 {
			x[list[0]], y[others[0]] = words, words
		}
	}
	return x, y
}
