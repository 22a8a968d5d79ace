package cassandra

// inflate appends to dst what an LZ4 block holds, up to most bytes of it, and as much as is
// there of a block that is cut short
// (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md).
func inflate(dst, block []byte, most int) []byte {
	begin := len(dst)
	for len(block) > 0 {
		token := block[0]
		literals, rest := stretch(int(token>>4), block[1:])
		n := min(literals, len(rest), most-(len(dst)-begin))
		dst = append(dst, rest[:n]...)
		if n < literals || len(rest) < n+2 {
			return dst // the last sequence has no match
		}
		back := int(rest[n]) | int(rest[n+1])<<8
		match, after := stretch(int(token&15), rest[n+2:])
		from := len(dst) - back
		if back == 0 || from < begin {
			return dst
		}
		const least = 4
		for range min(match+least, most-(len(dst)-begin)) {
			dst = append(dst, dst[from])
			from++
		}
		block = after
	}
	return dst
}

// stretch is a length of which the token held four bits.
func stretch(n int, b []byte) (int, []byte) {
	if n < 15 {
		return n, b
	}
	for len(b) > 0 {
		c := b[0]
		b = b[1:]
		if n += int(c); c < 255 {
			break
		}
	}
	return n, b
}
