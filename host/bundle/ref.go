package bundle

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RefKind is what a reference leads to.
type RefKind uint8

// The kinds of references. The zero value leads nowhere.
const (
	NoRef       RefKind = iota
	ModuleRef           // the file of a module: any path that is none of a bundle
	BundleRef           // the file of a bundle: a path that ends in .cgp
	RegistryRef         // oci://…: a bundle in a registry
)

// Ref names a plugin: what `use:` of a policy says, or a command line.
type Ref struct {
	Kind RefKind
	Text string // as it was written, which is what a lock finds it by

	Path string // of a file

	Registry   string // HOST or HOST:PORT
	Repository string
	Tag        string // "" if only a digest is named
	Digest     string // of the OCI manifest: sha256:…; "" if only a tag is named
}

const (
	// BundleSuffix is what the name of a bundle's file ends in.
	BundleSuffix = ".cgp"
	// registryPrefix is what a reference to a registry begins with.
	registryPrefix = "oci://"
	// maxRepository is how many bytes a registry and a repository have in clients
	// that hold to the limit that the OCI distribution specification recommends.
	maxRepository = 255
)

// Grammar of the OCI distribution specification 1.1, and of names of hosts, in
// lower case so that one place has one name.
var (
	repositoryText = regexp.MustCompile(`^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$`)
	tagText        = regexp.MustCompile(`^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$`)
	hostText       = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$`)
	schemeText     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
)

// ParseRef reads what names a plugin: a path, or
// oci://REGISTRY/REPOSITORY[:TAG][@sha256:…]. No registry and no tag are assumed:
// what is not written is not meant.
func ParseRef(text string) (Ref, error) {
	r, err := parseRef(text)
	if err != nil {
		return Ref{}, fmt.Errorf("plugin %q: %w", withoutLogin(text), err)
	}
	return r, nil
}

// withoutLogin is a reference as it may be shown: a password that somebody typed into
// it is not printed again.
func withoutLogin(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); ok && at >= 0 {
		return scheme + "://[login]" + strings.TrimSuffix(authority[at:]+"/"+path, "/")
	}
	return text
}

func parseRef(text string) (Ref, error) {
	switch {
	case text == "":
		return Ref{}, fmt.Errorf("empty; name a module, a bundle, or oci://REGISTRY/REPOSITORY:TAG")
	case len(text) > maxRef:
		return Ref{}, fmt.Errorf("%d bytes; at most %d", len(text), maxRef)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Ref{}, fmt.Errorf("has bytes that are no text; take them out")
	case strings.HasPrefix(text, registryPrefix):
		return parseRegistryRef(text)
	case schemeText.MatchString(text) || len(text) >= 4 && strings.EqualFold(text[:4], "oci:"):
		return Ref{}, fmt.Errorf("neither a path nor a reference that begins with %s; only registries are read over a network", registryPrefix)
	}
	r := Ref{Kind: ModuleRef, Text: text, Path: text}
	if strings.HasSuffix(text, BundleSuffix) {
		r.Kind = BundleRef
	}
	return r, nil
}

func parseRegistryRef(text string) (Ref, error) {
	r := Ref{Kind: RegistryRef, Text: text}
	rest, digest, pinned := strings.Cut(strings.TrimPrefix(text, registryPrefix), "@")
	registry, path, ok := strings.Cut(rest, "/")
	switch {
	case pinned && !strings.Contains(rest, "/"):
		return Ref{}, fmt.Errorf("a login in a reference; leave it out, and run docker login")
	case pinned && !digestText.MatchString(digest):
		return Ref{}, fmt.Errorf("%q is no digest; want sha256: and 64 hexadecimal digits in lower case", digest)
	case !ok || path == "":
		return Ref{}, fmt.Errorf("no repository; want oci://REGISTRY/REPOSITORY:TAG")
	}
	if err := checkRegistry(registry); err != nil {
		return Ref{}, err
	}
	repository, tag, tagged := strings.Cut(path, ":")
	switch {
	case !repositoryText.MatchString(repository):
		return Ref{}, fmt.Errorf("%q is no repository; want names of lower-case letters and digits, parted by '/', with single '.', '_', or '-' inside", repository)
	case len(registry)+1+len(repository) > maxRepository:
		return Ref{}, fmt.Errorf("%d bytes of registry and repository; at most %d", len(registry)+1+len(repository), maxRepository)
	case tagged && !tagText.MatchString(tag):
		return Ref{}, fmt.Errorf("%q is no tag; want letters, digits, '_', '.' and '-', at most 128", tag)
	case !tagged && !pinned:
		return Ref{}, fmt.Errorf("neither a tag nor a digest; add one, such as :1.2.0: no tag is assumed")
	}
	r.Registry, r.Repository, r.Tag, r.Digest = registry, repository, tag, digest
	return r, nil
}

// checkRegistry admits HOST and HOST:PORT. A word alone is no host: whoever writes
// oci://acme/no-exfil:1 has left out the registry.
func checkRegistry(registry string) error {
	if at := strings.IndexByte(registry, '['); at >= 0 {
		end := strings.IndexByte(registry, ']')
		if at > 0 || end < 0 {
			return fmt.Errorf("%q is no registry; want [ADDRESS]:PORT", registry)
		}
		a, err := netip.ParseAddr(registry[1:end])
		if err != nil || !a.Is6() || a.Zone() != "" || a.Is4In6() || a.String() != registry[1:end] {
			return fmt.Errorf("%q is no registry; want an IPv6 address in its shortest form between the brackets", registry)
		}
		port, ok := strings.CutPrefix(registry[end+1:], ":")
		if registry[end+1:] != "" && (!ok || !isPort(port)) {
			return fmt.Errorf("%q is no registry; want [ADDRESS]:PORT", registry)
		}
		return nil
	}
	host, port, ported := strings.Cut(registry, ":")
	switch {
	case !hostText.MatchString(host) || len(host) > 253:
		return fmt.Errorf("%q is no registry; want the name of a host in lower case, such as ghcr.io, and perhaps :PORT", registry)
	case ported && !isPort(port):
		return fmt.Errorf("%q is no registry; want a port from 1 to 65535 after the colon", registry)
	case !ported && host != "localhost" && !strings.Contains(host, "."):
		return fmt.Errorf("%q is no registry; write it in full, such as oci://ghcr.io/%s/…: none is assumed", registry, registry)
	}
	// 127.1 and 0x7f.1 are addresses to some resolvers and names to others.
	if last := host[strings.LastIndexByte(host, '.')+1:]; last[0] >= '0' && last[0] <= '9' {
		if a, err := netip.ParseAddr(host); err != nil || !a.Is4() {
			return fmt.Errorf("%q is no registry; want a name, or an IPv4 address of four numbers", registry)
		}
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == text
}

// Place is the repository that a reference leads to: REGISTRY/REPOSITORY.
func (r Ref) Place() string { return r.Registry + "/" + r.Repository }
