package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// class is one row of the table of slots: a class of arguments, how its values
// are found, and what judges them. What a rule of it can say stands in
// [contract.Slots].
type class struct {
	name  string
	noun  string   // of one value, with its article: "a path"
	names []string // see [naming]
	not   []string // the same, of names that are none
	// named takes the place of names where a list of them does not do.
	named func(name string, moving bool) bool
	// tools are words of the names of tools whose bare name or id is one of the
	// class: install_skill {name}.
	tools   []string
	formats string // schema formats, each between blanks
	compile func(*contract.Arg) (matcher, error)

	// reads says whether a scalar under the class's name is a value of the class.
	// nil: every string, number and boolean is.
	reads func(v abi.Value, p *place) bool
	// whole says whether an array or object under the class's name is one value,
	// which the matcher gets as it is. nil: its items and members are.
	whole func(v abi.Value) bool
	// keyed says whether the name of a member, under the class's name, is a value
	// itself. nil: none is.
	keyed func(name string) bool
	// value says whether a string under such a name is one, too.
	value func(s string) bool
	// content says whether a member under the class's name is something else. nil:
	// every member is a value.
	content func(name string) bool
	// shaped says whether a text under any other name is a value of the class by
	// what it looks like. nil: none is.
	shaped func(s, name string) bool
	// files: a URI that names a file of this machine is a value, too.
	files bool
	// exact: an absent value is refused where the tool's slots: declare one.
	exact bool
}

// matcher judges values of a class by one rule.
type matcher interface {
	// judge returns what is wrong with one value; a code of "" is nothing.
	judge(v abi.Value, p *place) wrong
	// wants says whether one value must be found.
	wants() bool
}

// wholeReader is a matcher that reads some arrays and objects as they are, by the
// name that they stand under.
type wholeReader interface {
	whole(v abi.Value, name string) bool
}

// gatherer is a matcher that reads several members of one object as one value,
// as in {"command": …, "args": […]} or {"owner": …, "repo": …}.
type gatherer interface {
	// gather returns the value that members of an object make together, and the
	// names of those that are not judged by themselves beside it. An absent value:
	// there is nothing to gather.
	gather(object abi.Value, named func(name string) bool) (v abi.Value, taken []string)
}

// wrong is what is wrong with one value, in host words.
type wrong struct{ code, reason, mend string }

// place is where a value stands that a matcher judges.
type place struct {
	*abi.Place        // where relative paths of the server start
	name       string // of the argument, as the caller wrote it; "" for a key, or what was gathered
	node       schema // of the pinned schema, which may not exist
	call       *abi.Call
	all        schema // of all arguments
}

// classes is the table of slots.
func classes() []class {
	return []class{
		{name: "path", noun: "a path", named: pathName, formats: " path file-path filepath file directory directory-path dir-path ",
			compile: newPathMatcher, reads: readsPath, keyed: pathShaped, value: startsLikePath, content: contentName, files: true},
		{name: "cwd", noun: "a working directory", compile: newPathMatcher, reads: readsPath, keyed: pathShaped, value: startsLikePath,
			names: cwdNames},
		{name: "command", noun: "a command", named: plainly(commandName), compile: newCommandMatcher,
			reads: readsCommand, whole: wholeCommand},
		{name: "sql", noun: "a statement", compile: newSQLMatcher, content: sqlParameter,
			names: []string{"sql", "query", "queries", "=q", "statement", "statements", "stmt", "stmts", "sql text", "sql string", "sql script", "sql command", "sql code", "query text", "query string", "ddl", "soql", "hql", "cypher"}},
		{name: "url", noun: "a URL", named: plainly(urlName), formats: " uri uri-reference uri-template iri iri-reference url ", compile: newURLMatcher, reads: readsURL, shaped: urlShaped,
			keyed: func(name string) bool { return strings.Contains(name, "://") }},
		{name: "host", noun: "a host", formats: " hostname idn-hostname ipv4 ipv6 ", compile: newHostMatcher, reads: readsAddress,
			shaped: func(s, name string) bool { return urlName(name) && urlShaped(s, name) },
			names:  []string{"host", "hosts", "hostname", "hostnames", "domain", "domains", "domain name", "fqdn", "ip", "ipv", "ips", "ip address", "ip addresses", "server address"},
			keyed:  func(name string) bool { return strings.ContainsAny(name, ".:") }},
		{name: "recipient", noun: "a recipient", named: plainly(recipientName), formats: " email idn-email ", compile: newRecipientMatcher,
			reads: readsAddress, whole: addressObject, keyed: func(name string) bool { return strings.ContainsAny(name, "@#+") }},
		{name: "repo", noun: "a repository", compile: newRepoMatcher, reads: readsName, keyed: anyName, exact: true,
			names: repoNames, tools: []string{"repo", "repos", "repository", "repositories"}},
		{name: "owner", noun: "an owner", compile: newOwnerMatcher, reads: readsName, keyed: anyName, exact: true, names: ownerNames},
		{name: "principal", noun: "a principal", compile: newExactMatcher, reads: readsName, keyed: anyName, exact: true,
			names: []string{"principal", "principal id", "principal name", "user", "user id", "username", "user name", "actor", "actor id", "act as",
				"run as", "sudo user", "impersonate", "impersonated user", "on behalf of", "subject id", "identity", "service account", "role arn", "assume role"}},
		{name: "application", noun: "an application", compile: newExactMatcher, reads: readsName, keyed: anyName, exact: true,
			names: []string{"application", "applications", "application name", "application id", "app", "apps", "app name", "app id", "app slug", "bundle id"},
			tools: []string{"app", "apps", "application", "applications", "argocd"}},
		{name: "skill", noun: "a skill", compile: newExactMatcher, reads: readsName, keyed: anyName, exact: true,
			names: []string{"skill", "skills", "skill name", "skill id", "skill slug", "skill source", "skill url", "skill path", "skill package"},
			tools: []string{"skill", "skills"}},
		{name: "activation", noun: "what a call would install or register", compile: newActivationMatcher, reads: readsName, keyed: anyName, exact: true,
			names: []string{"command", "commands", "cmd", "executable", "exe", "binary", "program", "entrypoint", "interpreter", "host", "hosts", "hostname",
				"address", "endpoint", "url", "urls", "uri", "server", "=image", "=package"}},
		{name: "secret", noun: "a secret", named: plainly(holdsSecret), compile: newSecretMatcher, reads: readsSecret},
		{name: "bypass", noun: "a switch", named: plainly(holdsSwitch), compile: newBypassMatcher},
		{name: "size", noun: "a size", compile: newNumberMatcher, names: []string{"size", "sizes", "bytes", "filesize", "length", "byte count"}, not: rowNames},
		{name: "rows", noun: "a number of rows", compile: newNumberMatcher, names: rowNames},
	}
}

// plainly is a function of names alone.
func plainly(f func(string) bool) func(string, bool) bool {
	return func(name string, _ bool) bool { return f(name) }
}

// classNamed returns the row of this name.
func classNamed(name string) (*class, bool) {
	all := classes()
	for i := range all {
		if all[i].name == name {
			return &all[i], true
		}
	}
	return nil, false
}

// code is the code of a violation, with the class's name in it.
func (c *class) code(what string) string { return codeOf(c.name, what) }

func codeOf(class, what string) string { return "ARGS_" + strings.ToUpper(class) + "_" + what }

// format says whether a schema's format names the class.
func (c *class) format(node schema) bool {
	if c.formats == "" {
		return false
	}
	f := textOf(get(node.node, "format"))
	return f != "" && strings.Contains(c.formats, " "+f+" ")
}

// readsName reads what can be a name. An empty text names nothing.
func readsName(v abi.Value, _ *place) bool {
	return !v.IsString() || strings.TrimSpace(v.Str()) != ""
}

// anyName takes every name of a member for a value: an object where a name is
// wanted leaves open which of its parts counts.
func anyName(string) bool { return true }
