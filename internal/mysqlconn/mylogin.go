package mysqlconn

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
)

// A login file is what mysql_config_editor writes: an option file, each group of
// which is called a login path, obfuscated with a key that lies in it. After 4
// bytes without a meaning come 20 that make the key of AES-128: those beyond 16
// are XORed over the first. Then come the lines, each encrypted block by block
// (ECB) and padded with as many bytes as were missing, of that value (PKCS #7);
// before each its length in the file, in 4 bytes, the lowest first.
const (
	loginUnused = 4
	loginKey    = 20
	loginLength = 4
)

// loginFile is where the mysql client looks for it.
func loginFile(getenv func(string) string) string {
	if path := getenv("MYSQL_TEST_LOGIN_FILE"); path != "" {
		return path // not for tests only, in spite of its name
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".mylogin.cnf")
	}
	return ""
}

// readLogin reads the login file, if there is one.
func (o *OptionFiles) readLogin(path string) {
	if path == "" {
		return
	}
	data, err := readOwn(path, 0o177)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var text []byte
	if err == nil {
		text, err = decodeLogin(data)
	}
	if err != nil {
		o.Notes = append(o.Notes, path+": "+reason(err))
		return
	}
	o.login, o.loginPath = text, path
	o.Read = append(o.Read, path)
	parseOptions(&o.Client, text, path, clientGroups, noInclude)
}

// LoginPath is what is said about logging in with a group of the login file,
// which goes before all other groups and files. ok is false without the group.
func (o *OptionFiles) LoginPath(name string) (c ClientOptions, ok bool) {
	c = o.Client
	ok = parseOptions(&c, o.login, o.loginPath, []string{name}, noInclude)
	c.followPort(o.Client)
	return c, ok
}

var errNoLogin = errors.New("it is no file of mysql_config_editor, or it is damaged")

// decodeLogin is the text of a login file.
func decodeLogin(data []byte) ([]byte, error) {
	if len(data) < loginUnused+loginKey {
		return nil, errNoLogin
	}
	var key [aes.BlockSize]byte
	for i, b := range data[loginUnused : loginUnused+loginKey] {
		key[i%len(key)] ^= b
	}
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	var text []byte
	for rest := data[loginUnused+loginKey:]; len(rest) >= loginLength; {
		n := int64(binary.LittleEndian.Uint32(rest))
		rest = rest[loginLength:]
		if n == 0 || n%aes.BlockSize != 0 || n > int64(len(rest)) {
			return nil, errNoLogin
		}
		line := make([]byte, n)
		for i := 0; i < len(line); i += aes.BlockSize {
			block.Decrypt(line[i:], rest[i:])
		}
		rest = rest[n:]
		padding := line[n-1]
		if padding == 0 || padding > aes.BlockSize || !bytes.HasSuffix(line, bytes.Repeat([]byte{padding}, int(padding))) {
			return nil, errNoLogin
		}
		text = append(text, line[:n-int64(padding)]...)
	}
	return text, nil
}
