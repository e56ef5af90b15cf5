package ledger

import "os"

// Running says whether a process holds a ledger file of a server in a group
// directory: then it keeps the pins, and writes its own over what others write.
func Running(groupDir, server string) (bool, error) {
	running := false
	err := ofProcesses(groupDir, server, func(_ File, held bool) bool {
		running = held
		return !held
	})
	return running, err
}

// Ended returns the ids of the ledger files of a server in a group directory that
// no process holds, oldest first: first 12 hex digits each.
func Ended(groupDir, server string) ([]string, error) {
	var ids []string
	err := ofProcesses(groupDir, server, func(f File, held bool) bool {
		// A process that has just made its file has not locked it yet, and writes its
		// first line after that.
		if !held && f.Size > 0 {
			ids = append(ids, f.ID)
		}
		return true
	})
	return ids, err
}

// ofProcesses tells of the files of a server whether a process holds them, oldest
// first, until it has told enough.
func ofProcesses(groupDir, server string, tell func(f File, held bool) (more bool)) error {
	files, err := Group(groupDir)
	if err != nil {
		return err
	}
	for _, file := range ofServer(files, server) {
		f, err := openRegular(file.Path, os.O_RDONLY)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return err
		}
		busy, err := held(f)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
		if !tell(file, busy) {
			return nil
		}
	}
	return nil
}
