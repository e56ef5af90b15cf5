package builtin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/provenance"
)

// urlMatcher is a compiled rule about URLs, or about hosts. It never asks a name
// server: a public name that leads to a private address is not seen.
type urlMatcher struct {
	hosts    bool // the values are hosts
	hasAllow bool
	allow    []urlPattern
	deny     []urlPattern
	except   []urlPattern
	schemes  []string
	ports    []int
	private  bool
}

func newURLMatcher(rule *contract.Arg) (matcher, error) {
	m := &urlMatcher{hasAllow: rule.HasAllow || len(rule.Allow) > 0, private: rule.Private}
	return m, m.compile(rule)
}

func newHostMatcher(rule *contract.Arg) (matcher, error) {
	m := &urlMatcher{hosts: true, hasAllow: rule.HasAllow || len(rule.Allow) > 0, private: rule.Private}
	if err := m.compile(rule); err != nil || !m.withPorts() {
		return m, err
	}
	return hostMatcher{m}, nil
}

func (m *urlMatcher) compile(rule *contract.Arg) error {
	lists := []struct {
		from []string
		to   *[]urlPattern
	}{{rule.Allow, &m.allow}, {rule.Deny, &m.deny}, {rule.Except, &m.except}}
	for _, l := range lists {
		for _, text := range l.from {
			p, err := newURLPattern(text)
			if err != nil {
				return err
			}
			if m.hosts && (p.scheme != "" || p.port == portDefault) {
				return fmt.Errorf("pattern %q is a URL; a host is a name, an IP or a network, with a port or without", text)
			}
			*l.to = append(*l.to, p)
		}
	}
	// An empty list accepts nothing.
	if rule.Schemes != nil {
		m.schemes = make([]string, 0, len(rule.Schemes))
	}
	if rule.Ports != nil {
		m.ports = make([]int, 0, len(rule.Ports))
	}
	for _, s := range rule.Schemes {
		if !schemeWord(s) {
			return fmt.Errorf("%q is not a scheme; write the word alone, as in https", s)
		}
		m.schemes = append(m.schemes, strings.ToLower(s))
	}
	for _, n := range rule.Ports {
		if n < 1 || n > 65535 {
			return fmt.Errorf("%d is not a port; want 1 to 65535", n)
		}
		m.ports = append(m.ports, int(n))
	}
	return nil
}

func (m *urlMatcher) wants() bool { return m.hasAllow }

// readsAddress says whether a scalar is a host or a recipient. A flag is none, and
// neither is what is blank.
func readsAddress(v abi.Value, _ *place) bool {
	return v.Kind() == abi.Number || v.IsString() && strings.TrimSpace(v.Str()) != ""
}

// readsURL says whether a scalar is a URL. A number where the schema wants one
// counts something.
func readsURL(v abi.Value, p *place) bool {
	return readsAddress(v, p) && (v.IsString() || readsPath(v, p))
}

func (m *urlMatcher) wrong(what, reason, mend string) wrong {
	class := "URL"
	if m.hosts {
		class = "HOST"
	}
	return wrong{"ARGS_" + class + "_" + what, m.noun() + " " + reason, mend}
}

func (m *urlMatcher) noun() string {
	if m.hosts {
		return "a host"
	}
	return "a URL"
}

// judge judges one value, and everything that it lists.
func (m *urlMatcher) judge(v abi.Value, _ *place) wrong {
	text := v.Str()
	if v.Kind() == abi.Number {
		text = v.Lexeme()
	}
	for _, part := range addressesIn(text, m.hosts) {
		if w := m.one(part); w.code != "" {
			return w
		}
	}
	return wrong{}
}

func (m *urlMatcher) one(text string) wrong {
	read := readURL
	if m.hosts {
		read = readHostValue
	}
	a, doubt := read(text)
	if noun := a.private(); doubt != "" && m.private && noun != "" {
		return m.leadsTo(noun)
	}
	if doubt != "" {
		return m.undecidable(doubt)
	}
	for _, r := range addressReadings(&a) {
		if w := m.forbids(&r, m.hosts || a.scheme != ""); w.code != "" {
			return w
		}
	}
	return m.accepts(&a)
}

func (m *urlMatcher) undecidable(doubt string) wrong {
	return m.wrong("UNDECIDABLE", "can be read in more than one way: "+doubt, "send one plain "+m.noun()[2:]+", in the usual spelling, without user information")
}

func (m *urlMatcher) leadsTo(noun string) wrong {
	return m.wrong("PRIVATE", "leads to "+noun, "use a public one, or add it to except at the rule")
}

// addressReadings returns everything that a reader could take for the host of an
// address: itself, its user information, the host of host:port that looks like a
// scheme, and a URL inside one without a host.
func addressReadings(a *address) []address {
	all := []address{*a}
	if a.userAt {
		user := address{port: noPort, scheme: a.scheme}
		if user.readHostPort(a.user); user.ip.IsValid() || strings.Contains(user.host, ".") || user.host == "localhost" {
			user.path = a.path
			all = append(all, user)
		}
	}
	if a.scheme == "" || a.host != "" {
		return all
	}
	if bare, ok := looksLikePort(a); ok {
		return append(all, bare)
	}
	rest := provenance.Unescape(a.rest)
	for i := 0; ; {
		n := strings.Index(rest[i:], "://")
		if n < 0 || len(all) > 8 {
			return all
		}
		from := i + n
		for from > 0 && (kept(rest[from-1]) && rest[from-1] < 0x80 || strings.IndexByte("+.-", rest[from-1]) >= 0) {
			from--
		}
		text := rest[from:]
		if end := strings.IndexAny(text, `"'<>! `); end >= 0 {
			text = text[:end]
		}
		inner, _ := readURL(text)
		all = append(all, inner)
		i += n + len("://")
	}
}

// looksLikePort reads host:port, which has the form of a scheme and what it is
// about.
func looksLikePort(a *address) (address, bool) {
	bare := address{port: noPort}
	end := strings.IndexAny(a.rest, "/?#")
	if end < 0 {
		end = len(a.rest)
	}
	if end == 0 || strings.Trim(a.rest[:end], "0123456789") != "" {
		return bare, false
	}
	return bare, bare.readAuthority(a.scheme+":"+a.rest) == "" && !slices.Contains(hostless, a.scheme)
}

// forbids says what deny and private have against one reading.
func (m *urlMatcher) forbids(a *address, written bool) wrong {
	for i := range m.deny {
		if m.deny[i].denies(a) {
			return m.wrong("DENIED", "is one that the rule denies", "use another, or narrow deny at the rule")
		}
	}
	if !m.private {
		return wrong{}
	}
	noun := a.private()
	switch {
	case noun == "", a.scheme == "" && !written && plainWordOf(a):
		return wrong{}
	case slices.ContainsFunc(m.except, func(p urlPattern) bool { return p.allows(a) }):
		return wrong{}
	}
	return m.leadsTo(noun)
}

// plainWordOf says whether what has no scheme is a word like any other.
func plainWordOf(a *address) bool {
	return !a.ip.IsValid() && !strings.Contains(a.host, ".") && a.host != "localhost" && a.host != "metadata" && a.port == noPort
}

// accepts says what the rule has against an address that nothing forbids.
func (m *urlMatcher) accepts(a *address) wrong {
	narrows := m.hasAllow || m.schemes != nil || m.ports != nil
	opaque := a.host == "" && a.scheme != ""
	switch {
	case !m.hosts && a.scheme == "" && narrows:
		return m.undecidable(doubtNoScheme)
	case m.schemes != nil && a.scheme != "" && !slices.Contains(m.schemes, a.scheme):
		return m.wrong("SCHEME", "has a scheme that the rule does not list", "use one of its schemes, or add to schemes at the rule")
	case a.userAt && m.hasAllow:
		return m.undecidable("it has user information, which some take for the host")
	case opaque && !m.hasAllow && m.schemes == nil && (m.ports != nil || slices.Contains(scripts, a.scheme)):
		return m.undecidable(doubtNoHost)
	case m.ports != nil && !opaque && !slices.Contains(m.ports, a.port):
		return m.wrong("PORT", "has a port that the rule does not list, or none", "use one of its ports, or add to ports at the rule")
	case !m.hasAllow:
		return wrong{}
	}
	doubt := ""
	for i := range m.allow {
		p := &m.allow[i]
		if p.allows(a) {
			return wrong{}
		}
		if doubt == "" && p.opaque == "" && p.covers(a, false) {
			doubt = pathDoubt(a.path, false)
		}
	}
	if doubt != "" {
		return m.undecidable(doubt)
	}
	return m.wrong("OUTSIDE", "is outside everything that the rule allows", "use one inside, or add to allow at the rule")
}

// hostMatcher is a rule about hosts and their ports: one that stands beside a
// host belongs to it.
type hostMatcher struct{ *urlMatcher }

// withPorts says whether the rule is about ports, too.
func (m *urlMatcher) withPorts() bool {
	of := func(p urlPattern) bool { return p.port != portAny }
	return m.ports != nil || slices.ContainsFunc(m.allow, of) || slices.ContainsFunc(m.deny, of) || slices.ContainsFunc(m.except, of)
}

// gather joins the one host of an object with the port beside it.
func (m hostMatcher) gather(object abi.Value, named func(string) bool) (abi.Value, []string) {
	name, host, port, hosts := "", "", "", 0
	for _, member := range object.Members() {
		s := squash(member.Name)
		switch v := member.Value; {
		case string(s.text()) == "port" && (v.Kind() == abi.Number || v.IsString()):
			port = v.Str()
			if v.Kind() == abi.Number {
				port = v.Lexeme()
			}
		case named(member.Name):
			name, host, hosts = member.Name, v.Str(), hosts+1
		}
	}
	if hosts != 1 || host == "" || port == "" || strings.ContainsAny(host, "/ ,;|@]") {
		return abi.Value{}, nil
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return abi.Value{}, nil
	}
	if strings.Count(host, ":") > 1 {
		host = "[" + host + "]"
	}
	return abi.StringValue(host + ":" + port), []string{name}
}
