// Command hosts is a plugin: a host allow-list for the argument url.
// sdk/testdata/README.md has its rules.
package main

import (
	"strings"

	callgate "github.com/callgate/callgate/sdk/go"
)

var _ = callgate.Register(callgate.Plugin{Configure: configure, Evaluate: judge})

const (
	maxURL   = 4096
	maxHost  = 253
	maxHosts = 64
)

var hosts map[string]bool

func configure(settings callgate.Value) error {
	list := settings.Get("hosts")
	hosts = map[string]bool{}
	n := 0
	for item := range list.Items() {
		if n++; n > maxHosts {
			return callgate.Wrong(list, "want 64 host names at most")
		}
		host := item.Text()
		if host == "" || len(host) > maxHost || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			return callgate.Wrong(item, "want a host name in lower case, such as corp.example")
		}
		hosts[host] = true
	}
	if n == 0 {
		return callgate.Wrong(list, "want a list of host names, such as corp.example")
	}
	return nil
}

func judge(s callgate.Snapshot) *callgate.Verdict {
	url := s.Call().Argument("/url").Fetch()
	kind := url.Kind()
	if kind == callgate.Absent || kind == callgate.String && passes(url.Text()) {
		return callgate.Abstain()
	}
	if text := url.Text(); kind == callgate.String && len(text) <= maxURL {
		callgate.Log(callgate.LogInfo, text)
	}
	return callgate.Deny("HOST").Because("url names no host that is listed").At(url.Pointer())
}

func passes(url string) bool {
	if len(url) > maxURL {
		return false
	}
	for i := range len(url) {
		if url[i] <= ' ' || url[i] > '~' || url[i] == '\\' {
			return false
		}
	}
	scheme, rest, ok := strings.Cut(strings.ToLower(url), "://")
	if !ok || scheme != "https" && scheme != "http" {
		return false
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	host, port, colon := strings.Cut(rest, ":")
	return hosts[host] && (!colon || isPort(port))
}

func isPort(s string) bool { return len(s) >= 1 && len(s) <= 5 && strings.Trim(s, "0123456789") == "" }

func main() {}
