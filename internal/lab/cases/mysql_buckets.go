package cases

import "fmt"

// mdlTable is what MySQL 5.6 puts before the key of a table in its hash of
// metadata locks: the namespace of tables.
const mdlTable = "\x02"

// bucketBits are the low bits by which names are chosen: hashes of up to
// 4,096 elements have one bucket for all that agree in twelve.
const bucketBits = 12

// tablesOfOneBucket invents names of tables in the database lab that MySQL 5.6
// keeps in one bucket of its hashes, so that whoever looks for one walks past
// the others. The keys of these hashes are database and table, behind a prefix.
func tablesOfOneBucket(n int, prefix string) []string {
	names := make([]string, 0, n)
	for i := 0; len(names) < n; i++ {
		name := fmt.Sprintf("t%08d", i)
		if hashOf56(prefix+"lab\x00"+name+"\x00")&(1<<bucketBits-1) == 0 {
			names = append(names, name)
		}
	}
	return names
}

// hashOf56 is MySQL's hash of binary strings, which 5.6 uses for its table cache
// and its metadata locks.
func hashOf56(key string) uint32 {
	a, b := uint64(1), uint64(4)
	for i := range len(key) {
		a ^= (a&63+b)*uint64(key[i]) + a<<8
		b += 3
	}
	return uint32(a)
}
