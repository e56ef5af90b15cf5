package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// secretName says whether an argument of this name holds a credential, and not
// something about one, as max_tokens, page_token and secret_name do.
func secretName(name string) bool {
	s := squash(unnumbered(name))
	for _, mark := range [...]string{"pagetoken", "nexttoken", "continuationtoken", "synctoken", "cursortoken", "resumetoken", "paginationtoken", "stoptoken", "publickey"} {
		if s.endsIn(mark) {
			return false
		}
	}
	switch string(s.text()) {
	case "auth", "authorization", "bearer", "cookie", "cookies", "setcookie", "pat", "otp", "totp", "passcode", "jwt", "xapikey", "credential", "credentials", "creds", "pass", "pw", "kubeconfig":
		return true
	}
	if last := s.n - 1; last > 0 && s.buf[last] == 's' && !s.endsIn("tokens") && !s.endsIn("pass") {
		s.n--
	}
	for _, end := range [...]string{"apikey", "apitoken", "accesstoken", "accesstokens", "apitokens", "authtoken", "bearertoken", "sessiontoken", "refreshtoken", "idtoken", "token",
		"secret", "password", "passwd", "passphrase", "userpass", "privatekey", "secretkey", "accesskey", "accesskeyid", "signingkey", "encryptionkey", "sshkey", "deploykey", "masterkey", "subscriptionkey", "accountkey", "storagekey", "sharedkey",
		"licensekey", "credential", "proxyauthorization", "connectionstring", "keyfile", "pem", "mfacode", "onetimecode", "recoverycode"} {
		if s.endsIn(end) {
			return true
		}
	}
	return false
}

// environmentName says whether an argument of this name holds variables or
// headers, each with its name.
func environmentName(name string) bool {
	s := squash(unnumbered(name))
	return s.endsIn("env") || s.endsIn("environ") || s.endsIn("environment") || s.endsIn("envvars") || s.endsIn("variables") || s.endsIn("headers") || s.endsIn("header")
}

// holdsSecret says whether an argument of this name is a credential or can hold
// one under its own name: variables, headers and the words of a command.
func holdsSecret(name string) bool {
	return secretName(name) || environmentName(name) || commandName(name)
}

// secretMatcher refuses credentials, whatever they are.
type secretMatcher struct{ declaredNames }

func newSecretMatcher(rule *contract.Arg) (matcher, error) {
	return secretMatcher{namesDeclared(rule)}, nil
}

// whole takes an object or a list under a credential's own name for one.
func (m secretMatcher) whole(v abi.Value, name string) bool {
	return v.Len() > 0 && (secretName(name) || m.has(name))
}

func (secretMatcher) wants() bool { return false }

// readsSecret leaves out what says of a credential only that there is one.
func readsSecret(v abi.Value, p *place) bool {
	if v.Kind() != abi.Bool {
		return true
	}
	switch words := wordsOf(p.name); {
	case len(words) < 2:
		return true
	default:
		return !strings.Contains(" is has use uses with without include includes need needs require requires show hide ", " "+words[0]+" ")
	}
}

func (m secretMatcher) judge(v abi.Value, p *place) wrong {
	if !secretName(p.name) && !m.has(p.name) && !(v.IsString() && carriesSecret(v.Str(), p.name)) {
		return wrong{}
	}
	return wrong{"ARGS_SECRET_PRESENT", "the call hands a credential over", "leave it out: credentials are the operator's to set, not the model's"}
}

// carriesSecret says whether a word of a command, a variable or a header hands a
// credential over: --token=x, TOKEN=x, Authorization: x.
func carriesSecret(s, name string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`"';&|()`, r) })
	for i, word := range words {
		flag := strings.TrimLeft(word, "-")
		at := strings.IndexAny(flag, "=:")
		switch {
		case at > 0 && secretName(flag[:at]) && !strings.HasPrefix(flag[at:], "://"):
			return true
		case at < 0 && len(flag) < len(word) && secretName(flag) && (i+1 < len(words) || !environmentName(name)):
			return true
		}
	}
	return false
}
