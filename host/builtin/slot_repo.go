package builtin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// repoNames and ownerNames are the names of arguments that hold repositories, and
// whom they and other things belong to.
var (
	repoNames = []string{"repo", "repos", "repository", "repositories", "repo name", "repository name", "repo full name", "repository full name",
		"=full name", "=name with owner", "repo slug", "repo url", "repository url", "=clone url", "=git url", "=ssh url", "=remote url", "project path", "path with namespace"}
	ownerNames = []string{"owner", "owners", "owner id", "owner name", "owner login", "org", "orgs", "org name", "organization", "organisation", "organization name",
		"organization id", "namespace", "tenant", "tenant id", "account", "account id", "account name", "customer", "customer id", "resource owner", "user", "user id",
		"username", "user name", "on behalf of"}
)

// repository is a repository as a value names it: host is "" where the value does
// not say, owner where it is the name alone.
type repository struct{ host, owner, name string }

// readRepository reads owner/name, a name alone, and the URLs that the usual
// forges give: of https, ssh and git, and the short form of ssh. A path of more
// than two parts below a host that has groups in groups has them in owner. All is
// in lower case, as forges compare owners and names.
func readRepository(s string) (repository, string) {
	if why := ambiguous(s); why != "" {
		return repository{}, why
	}
	host, rest, why := splitForge(s)
	if why != "" {
		return repository{}, why
	}
	rest = strings.TrimSuffix(strings.Trim(rest, "/"), ".git")
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." || strings.Trim(part, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-~") != "" {
			return repository{}, "has a part that names no repository"
		}
		parts[i] = lowerASCII(part)
	}
	if host == "" && len(parts) > 2 && strings.Contains(parts[0], ".") {
		host, parts = parts[0], parts[1:]
	}
	n := len(parts) - 1
	switch {
	case host == "api.github.com" && n == 2 && parts[0] == "repos":
		host, parts, n = "github.com", parts[1:], 1
	case host == "www.github.com":
		host = "github.com"
	}
	if host != "" && n == 0 || n > 1 && (host == "github.com" || host == "bitbucket.org") {
		return repository{}, "is a link to something else than a repository"
	}
	return repository{host, strings.Join(parts[:n], "/"), parts[n]}, ""
}

// splitForge takes the host off the spellings of a URL.
func splitForge(s string) (host, rest, why string) {
	const odd = "is a URL that not everybody reads alike"
	if strings.ContainsAny(s, "\\%?# \"'<>") {
		return "", "", odd
	}
	if user, after, ok := strings.Cut(s, "@"); ok && user == "git" && !strings.Contains(after, "//") {
		h, path, ok := strings.Cut(after, ":")
		if !ok || !plainLabels(h) || strings.Contains(path, "@") {
			return "", "", odd
		}
		return lowerASCII(h), path, ""
	}
	if !strings.Contains(s, ":") && !strings.Contains(s, "@") {
		return "", s, ""
	}
	u, err := url.Parse(strings.TrimPrefix(s, "git+"))
	if err != nil || u.Opaque != "" || !plainLabels(u.Host) || u.Port() != "" || u.User != nil && (u.Scheme != "ssh" || u.User.String() != "git") {
		return "", "", odd
	}
	switch u.Scheme {
	case "https", "http", "ssh", "git":
		return lowerASCII(u.Host), u.Path, ""
	}
	return "", "", odd
}

// plainLabels says whether a host is written in letters, digits and dashes between
// dots.
func plainLabels(host string) bool {
	for label := range strings.SplitSeq(lowerASCII(host), ".") {
		if label == "" || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return false
		}
	}
	return true
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// repoMatcher is a compiled rule about repositories.
type repoMatcher struct {
	hasAllow    bool
	allow, deny []repository
}

func newRepoMatcher(rule *contract.Arg) (matcher, error) {
	m := &repoMatcher{hasAllow: rule.HasAllow || len(rule.Allow) > 0}
	read := func(entries []string) ([]repository, error) {
		var list []repository
		for _, entry := range entries {
			if strings.HasSuffix(entry, "/*") || strings.ContainsRune(entry, '*') {
				return nil, fmt.Errorf("slot repo: %q is a pattern, and repositories are compared as a whole; for all of an owner write slot: owner", entry)
			}
			r, why := readRepository(entry)
			if why != "" {
				return nil, fmt.Errorf("slot repo: %q %s; write owner/name, or host/owner/name", entry, why)
			}
			list = append(list, r)
		}
		return list, nil
	}
	var err error
	if m.allow, err = read(rule.Allow); err != nil {
		return nil, err
	}
	m.deny, err = read(rule.Deny)
	return m, err
}

func (m *repoMatcher) wants() bool { return m.hasAllow }

// gather reads {"owner": …, "repo": …} as owner/repo; beside an owner, and where
// nothing else names a repository, name does.
func (m *repoMatcher) gather(object abi.Value, named func(string) bool) (abi.Value, []string) {
	owners := ownersIn(object, named)
	if len(owners) == 0 {
		return abi.Value{}, nil
	}
	is := named
	if !slices.ContainsFunc(object.Members(), func(m abi.Member) bool { return named(m.Name) }) {
		is = func(name string) bool { return name == "name" || name == "slug" }
	}
	var all []abi.Value
	var taken []string
	for _, member := range object.Members() {
		if !is(member.Name) {
			continue
		}
		repo := member.Value
		if repo.Kind() == abi.Object && !repo.Get("owner").Exists() {
			repo = repo.Get("name")
		}
		if !repo.IsString() || strings.TrimSpace(repo.Str()) == "" {
			continue
		}
		for _, owner := range owners {
			all = append(all, together(owner, repo.Str()))
		}
		taken = append(taken, member.Name)
	}
	if all == nil {
		return abi.Value{}, nil
	}
	return abi.ArrayValue(all...), taken
}

// together is the repository that an owner and a name make. A name with an owner
// of its own has to say the same one.
func together(owner, repo string) abi.Value {
	r, why := readRepository(repo)
	if why != "" || r.owner == "" {
		return abi.StringValue(owner + "/" + repo)
	}
	if lowerASCII(owner) == r.owner {
		return abi.StringValue(repo)
	}
	return abi.StringValue(owner + "/" + repo + "?")
}

// ownersIn lists the owners that an object names beside a repository. Who only
// may be one counts where nobody surely is.
func ownersIn(object abi.Value, named func(string) bool) []string {
	var sure, maybe []string
	for _, m := range object.Members() {
		v := m.Value
		if v.Kind() == abi.Object {
			if v = v.Get("login"); !v.IsString() {
				v = m.Value.Get("name")
			}
		}
		if named(m.Name) || !v.IsString() || strings.TrimSpace(v.Str()) == "" {
			continue
		}
		s := squash(m.Name)
		switch string(s.text()) {
		case "owner", "org", "organization", "organisation", "repoowner", "repositoryowner", "namespace", "ownername", "ownerlogin", "orgname":
			sure = append(sure, v.Str())
		case "user", "username", "account", "group", "workspace", "project", "projectkey":
			maybe = append(maybe, v.Str())
		}
	}
	if len(sure) == 0 {
		return maybe
	}
	return sure
}

// judge judges one repository, or all that members of an object make together.
func (m *repoMatcher) judge(v abi.Value, p *place) wrong {
	if v.Kind() == abi.Array {
		for _, item := range v.Items() {
			if w := m.judge(item, p); w.code != "" {
				return w
			}
		}
		return wrong{}
	}
	s, why := nameOf(v)
	var r repository
	if why == "" {
		r, why = readRepository(s)
	}
	if why != "" {
		return wrong{"ARGS_REPO_UNDECIDABLE", "a repository can be read in more than one way: it " + why, "send it as owner/name"}
	}
	for _, d := range m.deny {
		if d.name == r.name && (d.owner == r.owner || d.owner == "" || r.owner == "") && (d.host == r.host || d.host == "" || r.host == "") {
			return wrong{"ARGS_REPO_DENIED", "a repository is one that the rule denies", "use another one, or narrow deny at the rule"}
		}
	}
	if !m.hasAllow || slices.ContainsFunc(m.allow, r.is) {
		return wrong{}
	}
	return wrong{"ARGS_REPO_OUTSIDE", "a repository is none of those that the rule allows", "use an allowed one, or add to allow at the rule"}
}

// is says whether a value names the repository of an entry. An entry without a
// host is about whatever forge the server works with; a URL says which, and is
// taken for it on github.com, where owner/name comes from.
func (r repository) is(entry repository) bool {
	if r.owner != entry.owner || r.name != entry.name {
		return false
	}
	return r.host == entry.host || entry.host == "" && r.host == "github.com"
}

// ownerMatcher is a compiled rule about owners; of owner/name and of a URL of a
// repository it judges the owner.
type ownerMatcher struct {
	exactMatcher
	repos wordList
}

func newOwnerMatcher(rule *contract.Arg) (matcher, error) {
	m, err := exactRule(rule)
	if err != nil {
		return nil, err
	}
	return &ownerMatcher{*m, naming(repoNames)}, nil
}

// gather finds the owners that repositories beside an owner name.
func (m *ownerMatcher) gather(object abi.Value, _ func(string) bool) (abi.Value, []string) {
	var all []abi.Value
	for _, member := range object.Members() {
		if !member.Value.IsString() || !strings.Contains(member.Value.Str(), "/") || !m.repos.match(member.Name) {
			continue
		}
		r, why := readRepository(member.Value.Str())
		switch {
		case why != "":
			all = append(all, member.Value)
		case r.host != "" && r.host != "github.com":
			all = append(all, abi.StringValue(r.host+"/"+r.owner))
		default:
			all = append(all, abi.StringValue(r.owner))
		}
	}
	if all == nil {
		return abi.Value{}, nil
	}
	return abi.ArrayValue(all...), nil
}

func (m *ownerMatcher) judge(v abi.Value, p *place) wrong {
	if v.Kind() != abi.Array {
		return m.exactMatcher.judge(v, p)
	}
	for _, item := range v.Items() {
		// Forges do not care about case, and what was gathered is in lower case.
		if w := m.exactMatcher.judge(item, p); w.code != "" && !(item.IsString() && m.folded(item.Str())) {
			return w
		}
	}
	return wrong{}
}

// folded says whether an owner of a repository is an allowed one but for case.
func (m *ownerMatcher) folded(s string) bool {
	return m.hasAllow && !m.denies(s) && slices.ContainsFunc(m.allow, func(a string) bool { return lowerASCII(a) == s })
}
