package clients

import "io/fs"

// checkOwner accepts everything: a new file inherits the access list of its
// directory.
func checkOwner(string, fs.FileInfo) error { return nil }

// syncDir does nothing: a directory cannot be flushed here, and NTFS journals names.
func syncDir(string) error { return nil }
