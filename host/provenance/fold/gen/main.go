// Command gen writes the fold table of package fold from the Unicode data in
// ../data. It reads nothing else, so that it gives the same file everywhere.
package main

import (
	"fmt"
	"os"
)

// Where go generate, run in the folder of package fold, finds and leaves things.
const (
	charactersFile  = "data/characters.txt.gz"
	confusablesFile = "data/confusables.txt.gz"
	tableFile       = "table.go"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate() error {
	d, err := read(charactersFile, confusablesFile)
	if err != nil {
		return err
	}
	text, err := write(d.version, newImages(d))
	if err != nil {
		return err
	}
	return os.WriteFile(tableFile, text, 0o644)
}
