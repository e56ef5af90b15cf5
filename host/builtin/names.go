package builtin

import "strings"

// squashed is a name without case and separators, so that filePath, file_path
// and FILE-PATH are one. Of a longer name the end is kept, which is what says
// the kind of an argument.
type squashed struct {
	buf [64]byte
	n   int
}

func squash(name string) squashed {
	if len(name) > 64 {
		name = name[len(name)-64:]
	}
	var s squashed
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c >= 0x80:
		default:
			continue
		}
		s.buf[s.n] = c
		s.n++
	}
	return s
}

// unnumbered is a name without the number at its end: path1, file_2 and to[0] are
// a path, a file and a to.
func unnumbered(name string) string {
	end := len(name)
	for end > 0 && (name[end-1] == ']' || name[end-1] == ')' || name[end-1] == ' ') {
		end--
	}
	bare := end
	for bare > 0 && '0' <= name[bare-1] && name[bare-1] <= '9' {
		bare--
	}
	if bare == end || bare == 0 {
		return name
	}
	return name[:bare]
}

func (s *squashed) text() []byte { return s.buf[:s.n] }

func (s *squashed) endsIn(suffix string) bool {
	return s.n >= len(suffix) && string(s.buf[s.n-len(suffix):s.n]) == suffix
}

// pathName says whether an argument of this name holds a file-system path.
// Working directories are a slot of their own. moving is set for tools that move
// or copy, whose from and to are paths.
func pathName(name string, moving bool) bool {
	s := squash(unnumbered(name))
	return s.path(moving)
}

func (s squashed) path(moving bool) bool {
	switch string(s.text()) {
	case "source", "sources", "destination", "destinations", "src", "dest", "dst", "target", "targets", "root", "roots":
		return true
	case "from", "to", "old", "new":
		return moving
	case "cwd", "workdir", "workingdir", "workingdirectory", "currentworkingdirectory", "sortdir", "xpath", "jsonpath":
		return false
	}
	if s.endsIn("profile") || s.endsIn("profiles") {
		return false
	}
	last := s.n - 1
	if last >= 0 && s.buf[last] == 's' {
		s.n--
	}
	return s.endsIn("path") || s.endsIn("file") || s.endsIn("dir") || s.endsIn("folder") || s.endsIn("directory") ||
		s.endsIn("directorie") || s.endsIn("filename") || s.endsIn("pathname")
}

// uriName says whether an argument of this name can hold a file URI.
func uriName(name string) bool {
	s := squash(unnumbered(name))
	return s.uri()
}

func (s *squashed) uri() bool {
	return s.endsIn("uri") || s.endsIn("url") || s.endsIn("uris") || s.endsIn("urls") || s.endsIn("href") ||
		s.endsIn("link") || s.endsIn("resource")
}

// contentName says whether an argument of this name holds text for people, or
// something that describes a file instead of naming it.
func contentName(name string) bool {
	s := squash(name)
	return s.content()
}

func (s *squashed) content() bool {
	switch string(s.text()) {
	case "content", "contents", "text", "data", "body", "description", "encoding", "mode", "type", "mimetype", "message",
		"subject", "title", "comment", "note", "notes", "prompt", "summary", "query", "q", "reason", "thought", "language",
		"oldtext", "newtext", "oldstring", "newstring", "checksum", "sha", "sha256", "size":
		return true
	}
	return s.endsIn("content") || s.endsIn("text") || s.endsIn("body") || s.endsIn("message") || s.endsIn("description")
}

// commandName says whether an argument of this name holds a command line, an
// argument vector or a program.
func commandName(name string) bool {
	s := squash(unnumbered(name))
	return s.command()
}

func (s *squashed) command() bool {
	switch string(s.text()) {
	case "args", "argv", "arguments", "program", "execute", "cmdline", "executable", "exe", "binary", "entrypoint", "expression", "bash", "sh",
		"exec", "run", "cli", "oneliner", "powershell":
		return true
	}
	return s.endsIn("command") || s.endsIn("commands") || s.endsIn("cmd") || s.endsIn("cmds") || s.endsIn("commandline") ||
		s.endsIn("script") || s.endsIn("scripts") || s.endsIn("shell") || s.endsIn("code") && !s.endsIn("countrycode")
}

// label says whether an argument of this name says which repository, container or
// record a call is about. A tool that executes takes such a name beside what it
// executes.
func (s *squashed) label() bool {
	return s.endsIn("id") || s.endsIn("repo") || s.endsIn("repository") || s.endsIn("project") || s.endsIn("owner") ||
		s.endsIn("namespace") || s.endsIn("branch") || s.endsIn("container") || s.endsIn("pod") || s.endsIn("database") ||
		s.endsIn("schema") || s.endsIn("table") || s.endsIn("workspace") || s.endsIn("service")
}

// manyCommands says whether each element of an array of this name is a command
// line, and not a word of one.
func manyCommands(name string) bool {
	s := squash(unnumbered(name))
	return s.commands()
}

func (s *squashed) commands() bool {
	return s.endsIn("commands") || s.endsIn("cmds") || s.endsIn("scripts")
}

// hasWord says whether one of the words of a name (snake_case, kebab-case,
// camelCase) is in the list.
func hasWord(name string, list ...string) bool {
	for _, w := range wordsOf(name) {
		for _, x := range list {
			if w == x {
				return true
			}
		}
	}
	return false
}

// wordsOf splits a name at separators and at upper-case letters after
// lower-case ones, and lower-cases the words.
func wordsOf(name string) []string {
	var words []string
	start := 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		if !letter && (c < '0' || c > '9') {
			cut(i)
			start = i + 1
			continue
		}
		if c >= 'A' && c <= 'Z' && i > start && (name[i-1] < 'A' || name[i-1] > 'Z') {
			cut(i)
			start = i
		}
	}
	cut(len(name))
	return words
}
