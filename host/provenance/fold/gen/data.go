package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// character is what the data says about one code point.
type character struct {
	category  string // General_Category, "" if unassigned
	ignorable bool   // Default_Ignorable_Code_Point
	space     bool   // White_Space
	script    string // Script, short name
	lower     rune   // Simple_Lowercase_Mapping; the code point itself if it has none
	parts     []rune // NFKD, nil if it is the code point itself
}

// data is the content of the data files.
type data struct {
	version     string
	characters  map[rune]character
	confusables map[rune][]rune // UTS #39: code point to prototype
}

var unicodeVersion = regexp.MustCompile(`^# Unicode (\d+\.\d+\.\d+): `)

// read reads both files, which must be of one version of Unicode.
func read(characters, confusables string) (data, error) {
	d := data{characters: map[rune]character{}, confusables: map[rune][]rune{}}
	version, err := lines(characters, d.character)
	if err != nil {
		return d, err
	}
	if d.version, err = lines(confusables, d.confusable); err != nil {
		return d, err
	}
	if d.version != version {
		return d, fmt.Errorf("%s is of Unicode %s, %s of %s; want one version", characters, version, confusables, d.version)
	}
	return d, nil
}

// lines hands the fields of each line of a file on, and returns the version of
// Unicode that the first line names.
func lines(name string, take func(fields []string) error) (version string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	in := bufio.NewScanner(z)
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		if n == 1 {
			m := unicodeVersion.FindStringSubmatch(line)
			if m == nil {
				return "", fmt.Errorf("%s:1: %q names no version; want # Unicode 1.2.3: …", name, line)
			}
			version = m[1]
			continue
		}
		if err := take(strings.Split(line, ";")); err != nil {
			return "", fmt.Errorf("%s:%d: %q: %w", name, n, line, err)
		}
	}
	return version, in.Err()
}

// character takes a line FIRST[..LAST];category;flags;script;lower;NFKD.
func (d data) character(fields []string) error {
	if len(fields) != 6 {
		return fmt.Errorf("%d fields; want 6", len(fields))
	}
	first, last, ranged := strings.Cut(fields[0], "..")
	if !ranged {
		last = first
	}
	ends, err := runes(first + " " + last)
	if err != nil {
		return err
	}
	if len(ends) != 2 || ends[0] > ends[1] {
		return fmt.Errorf("%q is no range; want a code point, or FIRST..LAST", fields[0])
	}
	c := character{
		category: fields[1], ignorable: strings.Contains(fields[2], "D"), space: strings.Contains(fields[2], "W"), script: fields[3],
	}
	low, err := runes(fields[4])
	if err != nil {
		return err
	}
	if c.parts, err = runes(fields[5]); err != nil {
		return err
	}
	for r := ends[0]; r <= ends[1]; r++ {
		c.lower = r
		if len(low) == 1 {
			c.lower = low[0]
		}
		d.characters[r] = c
	}
	return nil
}

// confusable takes a line CODE;PROTOTYPE.
func (d data) confusable(fields []string) error {
	if len(fields) != 2 {
		return fmt.Errorf("%d fields; want 2", len(fields))
	}
	from, err := runes(fields[0])
	if err != nil {
		return err
	}
	to, err := runes(fields[1])
	if err != nil {
		return err
	}
	if len(from) != 1 || len(to) == 0 {
		return fmt.Errorf("want one code point and its prototype")
	}
	d.confusables[from[0]] = to
	return nil
}

// runes reads code points in hexadecimal, separated by blanks.
func runes(s string) ([]rune, error) {
	var out []rune
	for _, f := range strings.Fields(s) {
		n, err := strconv.ParseUint(f, 16, 21)
		if err != nil {
			return nil, err
		}
		out = append(out, rune(n))
	}
	return out, nil
}
