package abi

import (
	"slices"
	"strings"
	"unicode"
)

// span is a passage of words.
type span struct{ from, to int }

// phrase is a pattern of words: one of each list after the other, with at most
// gap others between two of them.
type phrase struct {
	words []string // alternatives, by spaces
	gap   int
}

// phraseTable lists how text speaks to a model instead of describing a tool.
// It is only held against text that is new: an honest tool may well say
// "always", and is pinned with it.
func phraseTable() []phrase {
	return []phrase{
		{[]string{"always never must also first then immediately additionally secretly silently quietly", effects}, 1},
		{[]string{"before after when whenever prior", "using calling invoking running you"}, 2},
		{[]string{"do dont never not without avoid", "tell telling mention mentioning inform informing reveal revealing disclose notify notifying warn warning alert asking"}, 2},
		{[]string{"ignore disregard forget override bypass", "previous prior above earlier instruction instructions rule rules prompt guidelines safety policy policies warning warnings"}, 3},
		{[]string{"you", "must should shall are need"}, 0},
		{[]string{"you", "have", "to"}, 0},
		{[]string{"your", "task role goal instructions instruction system job purpose duty"}, 1},
		{[]string{"system developer assistant hidden secret", "prompt message instruction instructions note"}, 0},
		{[]string{"as", "model assistant ai llm agent"}, 1},
		{[]string{"read include send attach paste append copy forward upload leak pass provide", "password passwords credential credentials secret secrets cookie cookies conversation history"}, 4},
		{[]string{"important critical mandatory required attention urgent", "instruction instructions note notice read call use send include"}, 1},
		{[]string{"instead", "use call"}, 1},
	}
}

// effects are verbs of what a caller can be told to do.
const effects = "add include send copy bcc cc forward attach append pass call use read write upload fetch run execute invoke put post provide set insert " +
	"mention tell reveal inform give return download open save store share"

// phrases lists the passages that instruct.
func phrases(words []string) []span {
	var out []span
	at := map[string][]int{}
	for i, w := range words {
		at[w] = append(at[w], i)
	}
	for _, p := range phraseTable() {
		for _, first := range strings.Fields(p.words[0]) {
			for _, i := range at[first] {
				if to := p.follow(words, i); to > 0 {
					out = append(out, span{i, to})
				}
			}
		}
	}
	return out
}

// follow returns the end of the phrase that begins at a word, 0 if none does.
func (p phrase) follow(words []string, i int) int {
	for _, alternatives := range p.words[1:] {
		found := false
		for j := i + 1; j < len(words) && j <= i+1+p.gap && !found; j++ {
			if found = isOneOf(words[j], alternatives); found {
				i = j
			}
		}
		if !found {
			return 0
		}
	}
	return i + 1
}

func isOneOf(word, alternatives string) bool {
	for len(alternatives) > 0 {
		var one string
		if one, alternatives, _ = strings.Cut(alternatives, " "); one == word {
			return true
		}
	}
	return false
}

// tokensOf lists the pieces of a text between spaces, quotes and brackets, in
// lower case and without the punctuation around them.
func tokensOf(s string) []string {
	out := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`“”‘’()[]{},;|<>", r)
	})
	for i := range out {
		out[i] = strings.TrimRight(out[i], ".:!?")
	}
	return append(out, tagsOf(s)...)
}

// isAddress says whether a token is a URL, a mail address, an IPv4 address, or a
// domain with a path.
func isAddress(t string) bool {
	if i := strings.Index(t, "://"); i > 0 {
		return true
	}
	for _, scheme := range []string{"mailto:", "data:", "javascript:", "file:", "tel:", "www."} {
		if strings.HasPrefix(t, scheme) {
			return true
		}
	}
	if user, host, ok := strings.Cut(t, "@"); ok && user != "" && isDomain(host) {
		return true
	}
	host, _, path := strings.Cut(t, "/")
	host, _, _ = strings.Cut(host, ":")
	return path && isDomain(host) || isIPv4(host)
}

func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || strings.ContainsFunc(l, func(r rune) bool { return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return false
		}
	}
	last := labels[len(labels)-1]
	return len(labels) > 1 && len(last) > 1 && !strings.ContainsFunc(last, unicode.IsDigit)
}

func isIPv4(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 3 || strings.Trim(l, "0123456789") != "" {
			return false
		}
	}
	return len(labels) == 4
}

// isSecretPlace says whether a token names a file that holds secrets, or
// anything below the home directory.
func isSecretPlace(t string) bool {
	for _, part := range []string{
		"~/", "$home", "%userprofile%", ".ssh", "id_rsa", "id_ed25519", "/.env", ".aws/", ".netrc", ".npmrc", ".pypirc", ".gnupg", ".kube/", ".git-credentials",
		"/etc/passwd", "/etc/shadow", "mcp.json", "credentials.json", ".bash_history", ".cursor/",
	} {
		if strings.Contains(t, part) {
			return true
		}
	}
	return t == ".env"
}

// promptTags are the names of tags that mark up prompts.
const promptTags = "important system instruction instructions secret hidden critical admin prompt assistant user tool warning attention note context override rules inst sys"

// tagsOf lists what looks like the tags of a prompt: <IMPORTANT>, </x>,
// <|im_start|>, [INST], <!--. They are returned in lower case.
func tagsOf(s string) []string {
	var out []string
	for i := 0; i < len(s); i++ {
		if end := tagAt(s[i:]); end > 0 {
			out = append(out, strings.ToLower(s[i:i+end]))
		}
	}
	return out
}

// longestTag is how long a tag may be, in bytes.
const longestTag = 80

// tagAt returns the length of the tag at the start of a text, 0 if there is none.
func tagAt(s string) int {
	if strings.HasPrefix(s, "<!--") {
		return len("<!--")
	}
	open, end := s[0], byte('>')
	if open == '[' {
		end = ']'
	} else if open != '<' {
		return 0
	}
	n := strings.IndexByte(s[:min(len(s), longestTag)], end)
	if n < 0 {
		return 0
	}
	inner, closing := strings.CutPrefix(s[1:n], "/")
	name := inner
	if i := strings.IndexFunc(inner, func(r rune) bool { return !isASCIILetter(r) && r != '_' && r != '-' }); i >= 0 {
		name = inner[:i]
	}
	loud := len(name) > 2 && name == strings.ToUpper(name)
	isPrompt := isOneOf(strings.ToLower(name), promptTags)
	switch {
	case open == '<' && (strings.HasPrefix(inner, "|") || closing && name != "" || isPrompt || loud && name == inner):
		return n + 1
	case open == '[' && isPrompt && loud:
		return n + 1
	}
	return 0
}

func isASCIILetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// mixesScripts says whether a token has letters that look like those of
// another script beside them. Units such as μs are short.
func mixesScripts(t string) bool {
	latin, other, letters := false, false, 0
	for _, r := range t {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu)
	}
	return latin && other && letters > 3
}

// imperatives are verbs and adverbs that make the name of a tool a command.
const imperatives = "call use run invoke execute first before after instead always never must then send read pass forward replace prefer"

// namesOthers says whether a text names other tools or servers, and tells what
// to do. A name that is an ordinary word counts where it is quoted.
func (c *corpus) namesOthers(s string) bool {
	lower := strings.ToLower(s)
	named := slices.ContainsFunc(tokensOf(s), func(t string) bool {
		if !c.names[t] || t == "" {
			return false
		}
		if strings.ContainsFunc(t, func(r rune) bool { return !isASCIILetter(r) }) {
			return true
		}
		return slices.ContainsFunc([]string{"`", "\"", "'"}, func(q string) bool { return strings.Contains(lower, q+t+q) })
	})
	if !named {
		return false
	}
	words, _ := wordsOf(s)
	return slices.ContainsFunc(words, func(w string) bool { return isOneOf(w, imperatives) })
}
