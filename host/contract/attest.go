package contract

// Attest is `servers.NAME.attest`: what may be launched under a server's name.
type Attest struct {
	Rule      string // file:line: path
	SHA256    string // 64 hexadecimal digits
	EntryArgs []int  // arguments whose files count, sorted; 0 is the first behind the program
}
