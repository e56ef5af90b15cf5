package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Severity says how much a finding of lint matters.
type Severity string

// The severities. An error is something that cannot be meant; a warning loosens
// or does nothing, and may be meant; a note is worth knowing.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityNote    Severity = "note"
)

// Finding is something that is legal in a policy and may be wrong.
type Finding struct {
	Severity Severity
	Code     string // one of [LintCodes]
	Rule     string // file:line: path
	Text     string // what, and the mend
	Ignored  string // the reason of the comment that says to ignore it, "" for none
}

// LintCode is a kind of finding.
type LintCode struct {
	Code     string // ^[A-Z][A-Z_]*$; stable
	Severity Severity
	Means    string
}

// LintCodes lists what lint finds, most serious first.
func LintCodes() []LintCode { return slices.Clone(lintCodes) }

var lintCodes = []LintCode{
	{codeNeverPasses, SeverityError, "a rule that no value meets: `min` above `max`, an `in` list that `match` excludes, a glob that matches nothing"},
	{codeSameIdentity, SeverityError, "two identities that the same caller matches"},
	{CodeDefaultAbsent, SeverityWarning, "no layer states `settings.default`"},
	{CodeLoosened, SeverityWarning, "a higher layer is looser than a lower one, an included one or the default, and counts"},
	{CodeIgnored, SeverityWarning, "a higher layer is looser than a lower one, and does not count"},
	{CodeReplaced, SeverityWarning, "what `replace` drops"},
	{CodeSuperseded, SeverityWarning, "a lower layer's allow or in list that no longer holds"},
	{CodePacksDropped, SeverityWarning, "a higher layer lets fewer packs bind, and does not count"},
	{CodeDenyRelative, SeverityWarning, "a deny pattern, or one of `where`, that holds in one directory only and does not say so: a relative one without `./` or `**/`, or a glob behind a directory"},
	{codeShadowed, SeverityWarning, "a rule that another one leaves nothing to do: rules of a denied tool, a deny pattern outside every allowed one, a budget that another one always ends first, text that another entry of `redact` finds as well"},
	{codeAllowsNothing, SeverityWarning, "an empty list, a limit of 0, or a list whose every pattern is denied beside it"},
	{codeEverything, SeverityWarning, "a list or pattern that lets everything pass"},
	{codeTrustWide, SeverityWarning, "a trusted destination that strangers can have: a public mail provider; or outputs that do not taint"},
	{codeGrantWide, SeverityWarning, "`verdict: allow` for the tools of every server"},
	{codeMatchHalf, SeverityWarning, "a `match` that reads like the beginning or end of a value: it is matched as a whole"},
	{codeDenyNarrow, SeverityWarning, "a deny_pattern, or a pattern of `redact`, that holds at one end of the text only"},
	{codeSinkNothing, SeverityWarning, "a sink without destinations: it adds to one that no file declares"},
	{codeFloorDefault, SeverityWarning, "a floor whose `default` holds for every tool, since the floor grants none"},
	{codeWhereNear, SeverityWarning, "a `where` about an argument whose name is nearly that of a class, such as `pth`"},
	{codeServerUnknown, SeverityWarning, "a rule for a server that `servers:` does not name, where it names others"},
	{codeObserve, SeverityWarning, "`mode: observe`: nothing is blocked"},
	{codePluginObserves, SeverityWarning, "a plugin in `mode: observe`: what it says is not enforced"},
	{codeLabelNever, SeverityWarning, "a rule that waits for a label of a plugin which gives none, or in `mode: observe`"},
	{codeNobodyAsked, SeverityWarning, "an ask that nobody can answer: `max_asks: 0`"},
	{codePlainWebhook, SeverityWarning, "a webhook over http"},
	{codeIgnoreComment, SeverityWarning, "a comment for lint that says nothing: no such code, or no reason"},
	{codeMatchAnchored, SeverityNote, "`^` and `$` in a `match`, which add nothing"},
	{codeSinkDropped, SeverityNote, "`sink: none`: destinations are not judged"},
	{codeSinkAll, SeverityNote, "`sink: {to: []}`: every argument is judged as a destination"},
	{codeLabelUnused, SeverityNote, "a label that nothing looks at"},
	{codePluginDigest, SeverityNote, "a plugin without `digest`: whatever its file holds counts"},
	{codeIgnoreUnused, SeverityNote, "a comment for lint that nothing is found for"},
	{CodeSlashInTool, SeverityNote, "a key that reads as if a server had a slash in its name"},
	{CodeTrustsHost, SeverityNote, "a bare domain that is trusted where mail is sent: it covers no mail address"},
	{CodeNobodySays, SeverityNote, "`origin: [client]` where `settings.user_context` is off, so that nobody can say the value"},
	{CodeRunRefuses, SeverityNote, "what `callgate run` without `--group` does not load"},
}

const (
	codeNeverPasses   = "NEVER_PASSES"
	codeSameIdentity  = "SAME_IDENTITY"
	codeShadowed      = "SHADOWED"
	codeAllowsNothing = "ALLOWS_NOTHING"
	codeEverything    = "ALLOWS_EVERYTHING"
	codeTrustWide     = "TRUST_WIDE"
	codeGrantWide     = "GRANT_WIDE"
	codeMatchHalf     = "MATCH_HALF_ANCHORED"
	codeMatchAnchored = "MATCH_ANCHORED"
	codeDenyNarrow    = "DENY_NARROW"
	codeSinkNothing   = "SINK_WITHOUT_DESTINATIONS"
	codeSinkDropped   = "SINK_DROPPED"
	codeSinkAll       = "SINK_EVERY_ARGUMENT"
	codeFloorDefault  = "FLOOR_DEFAULT"
	codeWhereNear     = "WHERE_NEAR_CLASS"
	codeServerUnknown = "SERVER_NOT_NAMED"
	codeObserve       = "OBSERVE"
	codeNobodyAsked   = "NOBODY_ASKED"

	codePluginObserves = "PLUGIN_OBSERVES"
	codePluginDigest   = "PLUGIN_DIGEST"

	codePlainWebhook  = "WEBHOOK_PLAIN"
	codeLabelUnused   = "LABEL_UNUSED"
	codeLabelNever    = "LABEL_NEVER_GIVEN"
	codeIgnoreComment = "IGNORE_COMMENT"
	codeIgnoreUnused  = "IGNORE_UNUSED"
)

// linter collects findings, each once.
type linter struct {
	p     *Policy
	found []Finding
	seen  map[[3]string]bool
}

// Lint finds what is legal in the policy and may be wrong: what [Policy.Notes]
// has, and what the files of the policy show. Findings stand in the order of
// files, highest layer first, and lines.
func (p *Policy) Lint() []Finding {
	l := &linter{p: p, seen: map[[3]string]bool{}}
	for _, n := range p.Notes() {
		l.add(n.Code, n.Rule, "%s", n.Text)
	}
	l.labels()
	l.pluginLabels()
	l.wheres()
	l.floorDefault()
	l.policy(p)
	if p.floor != nil {
		l.p = p.floor
		l.policy(p.floor)
		l.p = p
	}
	for _, y := range l.files() {
		l.ignore(y)
	}
	order := map[string]int{}
	for i, y := range l.files() {
		order[y.label] = i
	}
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		fileA, lineA := l.where(a.Rule)
		fileB, lineB := l.where(b.Rule)
		return cmp.Or(cmp.Compare(order[fileA], order[fileB]), cmp.Compare(lineA, lineB))
	})
	return l.found
}

func (l *linter) policy(p *Policy) {
	for _, y := range p.layers {
		if !y.builtin {
			l.settings(y)
			l.servers(y)
			l.tools(y)
			l.budgets(y)
			l.state(y)
			l.plugins(y)
		}
	}
}

// files lists the files of policy and floor.
func (l *linter) files() []*layer {
	list := slices.Clone(l.p.layers)
	if l.p.floor != nil {
		list = append(list, l.p.floor.layers...)
	}
	return list
}

func (l *linter) add(code, rule, format string, args ...any) {
	f := Finding{Code: code, Rule: rule, Text: fmt.Sprintf(format, args...), Severity: SeverityError}
	if i := slices.IndexFunc(lintCodes, func(c LintCode) bool { return c.Code == code }); i >= 0 {
		f.Severity = lintCodes[i].Severity
	}
	if id := [3]string{code, rule, f.Text}; !l.seen[id] {
		l.seen[id] = true
		l.found = append(l.found, f)
	}
}

// where takes the rule of a finding apart: the label of its file and the line.
func (l *linter) where(rule string) (label string, line int) {
	for _, y := range l.files() {
		if rest, ok := strings.CutPrefix(rule, y.label+":"); ok {
			number, _, _ := strings.Cut(rest, ":")
			line, _ = strconv.Atoi(number)
			return y.label, line
		}
	}
	return "", 0
}

// ignored is a comment that says to leave out findings of a line.
type ignored struct {
	at     int // line of the comment
	line   int // that it is about
	codes  []string
	reason string
	wrong  string // what is wrong with it, "" for nothing
}

const ignoreMark = "callgate-lint:"

// ignoresOf reads the comments for lint in a file: at the end of a line about
// that line, alone in a line about the next one with anything else in it.
func ignoresOf(data []byte) []ignored {
	lines := strings.Split(string(data), "\n")
	var list []ignored
	for i, line := range lines {
		before, comment, ok := cutComment(line)
		rest, mark := strings.CutPrefix(strings.TrimSpace(comment), ignoreMark)
		if !ok || !mark {
			continue
		}
		one := readIgnore(rest)
		one.at, one.line = i+1, i+1
		if strings.TrimSpace(before) == "" {
			for one.line < len(lines) {
				one.line++
				if before, _, _ := cutComment(lines[one.line-1]); strings.TrimSpace(before) != "" {
					break
				}
			}
		}
		list = append(list, one)
	}
	return list
}

func readIgnore(text string) ignored {
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "ignore" {
		return ignored{wrong: "want " + ignoreMark + " ignore CODE REASON"}
	}
	one := ignored{codes: strings.Split(words[1], ","), reason: strings.Join(words[2:], " ")}
	for _, code := range one.codes {
		if !slices.ContainsFunc(lintCodes, func(c LintCode) bool { return c.Code == code }) {
			var names []string
			for _, c := range lintCodes {
				names = append(names, c.Code)
			}
			one.wrong = fmt.Sprintf("unknown code %q", code)
			if best := Closest(code, names); best != "" {
				one.wrong += fmt.Sprintf("; did you mean %q?", best)
			}
		}
	}
	if one.reason == "" && one.wrong == "" {
		one.wrong = "no reason; say behind the code why it is meant"
	}
	return one
}

// cutComment parts a line at its comment: a # at its start or behind a blank,
// outside of quotes.
func cutComment(line string) (before, comment string, ok bool) {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || strings.IndexByte(" \t[{,:(", line[i-1]) >= 0):
			quote = c
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return line[:i], line[i+1:], true
		}
	}
	return line, "", false
}

// ignore marks the findings that comments of a file are about.
func (l *linter) ignore(y *layer) {
	for _, one := range y.ignores {
		rule := ruleText(y.label, one.at, "")
		if one.wrong != "" {
			l.add(codeIgnoreComment, strings.TrimSuffix(rule, ": "), "%s", one.wrong)
			continue
		}
		for _, code := range one.codes {
			used := false
			for i := range l.found {
				label, line := l.where(l.found[i].Rule)
				if label == y.label && line == one.line && l.found[i].Code == code {
					l.found[i].Ignored, used = one.reason, true
				}
			}
			if !used {
				l.add(codeIgnoreUnused, strings.TrimSuffix(rule, ": "), "nothing of code %s is found in line %d; remove it", code, one.line)
			}
		}
	}
}
