package policy

// attest is what may be launched under the name of a server.
type attest struct {
	SHA256    string  `key:"sha256" is:"sha256" doc:"Digest of the program, of all its arguments and of the files that entry_args names, as callgate attest prints it. Required."`
	EntryArgs []int64 `key:"entry_args" is:"count" doc:"Arguments that are files whose content counts: 0 is the first behind the program. Absent: none."`
}
