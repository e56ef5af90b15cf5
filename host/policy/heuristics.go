package policy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/callgate/callgate/abi"
)

// heuristics guess what a tool needs from its definition. They are the lowest
// level, and over-declare: a false destination costs an ask, a missed one a
// leak. Their rules quote nothing of the definition, which is a server's.
func heuristics(definition abi.Value) []hit {
	root := schemaOf(definition)
	g := guess{name: words(definition.Get("name").Str())}
	g.reads = g.named(readWords) && !g.named(sendWords)
	g.object(root, "", nil, true, maxSchemaDepth)
	g.unnamed(root)
	var hits []hit
	add := func(why string, t tool) {
		hits = append(hits, hit{why: why, tool: &t, spare: len(g.to) > 0 && !g.required, mild: len(g.to) > 0 && g.repos == len(g.to), rest: g.others})
	}
	switch {
	case root.spent():
		add("a schema too large to look through", tool{Sink: &orWord[sink]{Of: &sink{To: []string{}}}})
	case len(g.to) > 0:
		add("arguments shaped like destinations", tool{Sink: &orWord[sink]{Of: &sink{To: g.to, Content: g.content}}})
	}
	if g.named(deleteWords) {
		calls := int64(2)
		add("a tool that deletes", tool{MaxCalls: &calls})
	}
	if len(g.paths) > 0 && g.named(writeWords) {
		slots := map[string]string{}
		for _, p := range g.paths {
			slots[p] = "path"
		}
		add("a tool that writes, with arguments shaped like paths", tool{Args: []arg{{Slot: "path"}}, Slots: slots})
	}
	return hits
}

// Words of tool names.
const (
	readWords   = " get list read search find geocode query describe show count view check lookup browse history info summarize "
	talkWords   = " send post publish notify share forward email mail message reply respond dm invite upload push transfer pay "
	sendWords   = talkWords + " submit export sync broadcast tweet comment add create set update "
	deleteWords = " delete remove rm drop purge destroy trash deletes removes "
	writeWords  = " write edit create move rename delete save append upload download copy "
)

// Names of arguments, squeezed: lower case without separators. Those of the
// first list send bytes wherever they point, whatever the tool is for; those of
// the second are destinations of a tool that does more than read.
const (
	netNames  = " url urls uri uris href hrefs link endpoint endpoints webhook webhooks webhookurl callback callbacks callbackurl host hosts hostname hostnames ip ipaddress proxy remoteurl server connectionstring "
	netEnds   = " url urls uri uris href endpoint webhook hostname connectionstring "
	toNames   = " to cc bcc toaddress toaddresses sendto mailto forward forwardto forwardingaddress replyto recipient recipients email emails emailaddress emailaddresses mail address addresses phone phones phonenumber phonenumbers tel channel channels channelid channelids channelname destination destinations attendee attendees guest guests invitee invitees participant participants sharewith sharedwith notify notifyemail domain room roomid chat chatid conversationid iban bucket "
	toEnds    = " recipient recipients email emails phone iban "
	sendNames = " target targets user users userid userids username member members remote payee beneficiary handle "
	fromWords = " from sender author source reporter creator owner my own criteria filter where match "
	content   = " subject body text message messages content contents html title description caption comment comments markdown note notes summary htmlbody textbody plaintext blocks emailmessage "
	pathNames = " path paths file files filename filenames filepath filepaths dir dirs directory directories folder folders "
	pathEnds  = " path paths filepath filename dir directory folder "
	pathSorts = " file local save output input source src destination dest dst target new old previous absolute full root base project workspace directory folder dir "
)

// formats are the schema formats of destinations.
const formats = " email idn-email uri uri-reference iri iri-reference url hostname idn-hostname ipv4 ipv6 "

func in(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }

// guess looks through the input schema of one tool.
type guess struct {
	name     []string // words of the tool's name
	reads    bool     // the tool seems only to read
	to       []string
	required bool // a destination is required
	repos    int  // how many of them are repositories
	content  []string
	others   []string // every leaf that is no destination
	paths    []string
}

func (g *guess) named(list string) bool {
	return slices.ContainsFunc(g.name, func(w string) bool { return in(list, w) })
}

// object looks at the properties of a schema. above holds the words of the
// properties around it; must says that the schema itself has to be there.
func (g *guess) object(s schema, at string, above []string, must bool, depth int) {
	if depth == 0 || s.spent() {
		return
	}
	seen := map[string]bool{}
	for _, v := range s.variants(2) {
		beside, required := siblings(v.node.Get("properties")), map[string]bool{}
		for _, r := range v.node.Get("required").Items() {
			required[r.Str()] = true
		}
		for _, m := range v.node.Get("properties").Members() {
			if !seen[m.Name] {
				seen[m.Name] = true
				g.property(s.at(m.Value), m.Name, at, above, beside, must && required[m.Name], depth)
			}
		}
	}
}

// unnamed guesses for a tool that sends and whose schema names no arguments,
// and so lets any in: every usual name of a destination is one, should the call
// have it.
func (g *guess) unnamed(s schema) {
	closed := s.node.Get("additionalProperties")
	if !s.node.Exists() || !g.named(talkWords) || s.spent() || closed.Kind() == abi.Bool && !closed.True() {
		return
	}
	for _, v := range s.variants(2) {
		if v.node.Get("properties").Len() > 0 {
			return
		}
	}
	g.to, g.content = strings.Fields(netNames+toNames), strings.Fields(content)
}

// siblings squeezes the names of properties.
func siblings(properties abi.Value) map[string]bool {
	names := map[string]bool{}
	for _, m := range properties.Members() {
		names[strings.Join(words(m.Name), "")] = true
	}
	return names
}

func (g *guess) property(s schema, name, at string, above []string, beside map[string]bool, must bool, depth int) {
	own := words(name)
	here := abi.Join(at, name)
	shown := here
	if at == "" && !strings.HasPrefix(name, "/") {
		shown = name
	}
	squeezed := strings.Join(own, "")
	all := append(slices.Clip(above), own...)
	before := len(g.to)
	switch {
	case len(own) == 0 || !s.holdsText(maxSchemaDepth):
	case linkInText(squeezed, above):
		g.content = append(g.content, shown)
		return
	case g.destination(s, squeezed, all, beside) || loaded(own):
		g.to = append(g.to, shown)
		g.required = g.required || must
		return
	case g.repository(own, squeezed, at, beside):
		g.to = append(g.to, shown)
		g.repos++
		g.required = g.required || must
		return
	case in(content, squeezed) || len(own) > 1 && in(content, own[len(own)-1]):
		g.content = append(g.content, shown)
	case pathShaped(own, squeezed) || fileMove(squeezed, beside):
		g.paths = append(g.paths, name) // a slot's names hold at any depth
	}
	for _, v := range s.variants(2) {
		if v.node.Get("properties").Exists() {
			g.object(v, here, all, must, depth-1)
		}
		if items := v.node.Get("items"); items.Kind() == abi.Object {
			g.object(s.at(items), abi.Join(here, "*"), all, must, depth-1)
		}
	}
	if len(g.to) == before {
		g.others = append(g.others, shown)
	}
}

// pathShaped says whether an argument is named like a file or directory. Many
// other things are paths of their own kind: areaPath, yamlPath, pagePath.
func pathShaped(own []string, squeezed string) bool {
	n := len(own)
	return in(pathNames, squeezed) || n > 1 && in(pathEnds, own[n-1]) && in(pathSorts, own[n-2])
}

// destination says whether an argument looks as if it named where data goes.
func (g *guess) destination(s schema, name string, all []string, beside map[string]bool) bool {
	last := all[len(all)-1]
	from := slices.ContainsFunc(all, func(w string) bool { return in(fromWords, w) })
	format := formatOf(s)
	switch {
	case in(netNames, name) || in(netEnds, last) || strings.HasSuffix(name, "connectionstring"):
		return true
	case in(formats, format):
		return !from || !strings.HasSuffix(format, "email")
	case from || g.reads || fileMove(name, beside):
		return false
	case in(toNames, name) || in(toEnds, last):
		return !(beside["from"] && name == "to" && !talks(beside))
	}
	return in(sendNames, name) && g.named(talkWords)
}

// formatOf returns the format of a schema or of its items.
func formatOf(s schema) string {
	for _, v := range s.variants(2) {
		if f := v.node.Get("format"); f.IsString() {
			return f.Str()
		}
		if f := s.at(v.node.Get("items")).resolve().node.Get("format"); f.IsString() {
			return f.Str()
		}
	}
	return ""
}

// talks says whether the properties around an argument make up a message. A
// range or a relation has from and to as well.
func talks(beside map[string]bool) bool {
	for _, name := range []string{"subject", "body", "text", "message", "content", "cc", "html"} {
		if beside[name] {
			return true
		}
	}
	return false
}

// fileMove says whether an argument is an end of a move or a journey: a
// destination beside a source is a place, not a recipient.
func fileMove(name string, beside map[string]bool) bool {
	if !in(" source destination src dst dest target sources destinations ", name) {
		return false
	}
	for _, other := range []string{"source", "src", "sources", "origin", "origins", "sourcepath", "path"} {
		if other != name && beside[other] {
			return true
		}
	}
	return name == "source" && (beside["destination"] || beside["dest"] || beside["target"]) || name == "src" && beside["dst"]
}

// words splits a name at separators and capitals, in lower case: filePath,
// file_path and FILE-PATH give the same words.
func words(name string) []string {
	var list []string
	var cur []rune
	flush := func() {
		if len(cur) > 0 {
			list = append(list, strings.ToLower(string(cur)))
			cur = nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		cur = append(cur, r)
	}
	flush()
	return list
}
