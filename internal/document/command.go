package document

import "strings"

// breakCommand breaks a command into lines of at most width cells, so that they
// can be pasted together: all but the last end in a backslash. Only blanks
// between words are places for it: within quotes they are part of a word, and a
// comment ends with its line. What cannot be broken stays whole.
func breakCommand(command string, width int) []string {
	if cells(command) <= width {
		return []string{command}
	}
	const more = " \\"
	var lines []string
	line := ""
	words := shellWords(command)
	for i := 0; i < len(words); i++ {
		word := words[i]
		// What may be the value of an option stands beside it.
		if i+1 < len(words) && strings.HasPrefix(word, "-") && !strings.HasPrefix(words[i+1], "-") &&
			cells(word)+1+cells(words[i+1])+len(more) <= width {
			i++
			word += " " + words[i]
		}
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word)+len(more) <= width:
			line += " " + word
		default:
			lines = append(lines, line+more)
			line = word
		}
	}
	return append(lines, line)
}

// shellWords parts a command at the blanks that a shell parts it at. A comment
// and the word before it are one, and so is what stands in quotes.
func shellWords(command string) []string {
	var words []string
	var quote byte
	begin := 0
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' && strings.HasPrefix(strings.TrimLeft(command[i:], " "), "#"):
			return append(words, command[begin:])
		case c == ' ':
			if i > begin {
				words = append(words, command[begin:i])
			}
			begin = i + 1
		}
	}
	if begin < len(command) {
		words = append(words, command[begin:])
	}
	return words
}
