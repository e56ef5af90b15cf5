package builtin

import (
	"path"
	"strings"

	"github.com/callgate/callgate/abi"
)

// canonicalWindows is the canonical form under Windows: "C:/dir/name". Network
// shares, devices, streams, short names and drive-relative names are refused;
// none of them can be compared with a pattern without asking the file system.
func canonicalWindows(value string, place *abi.Place) (string, string) {
	value = strings.ReplaceAll(value, `\`, "/")
	if strings.HasPrefix(value, "//") {
		return "", "it names a network share or a device"
	}
	if why := oddComponents(value, "/"); why != "" {
		return "", why
	}
	dir := strings.ReplaceAll(place.Dir, `\`, "/")
	known := drive(dir) && len(dir) > 2 && dir[2] == '/'
	switch {
	case drive(value):
		if len(value) == 2 || value[2] != '/' {
			return "", "it is relative to the working directory of a drive"
		}
	case strings.HasPrefix(value, "/"):
		if !known {
			return "", "it is relative to a drive that is not known"
		}
		value = dir[:2] + value
	case known:
		value = dir + "/" + value
	default:
		p, why := windowsNames(value)
		if why == "" && (p == ".." || strings.HasPrefix(p, "../")) {
			why = "it leaves the working directory of the server, which is not known"
		}
		if why != "" {
			return "", why
		}
		return p, ""
	}
	rest, why := windowsNames(value[2:])
	if why != "" {
		return "", why
	}
	return strings.ToUpper(value[:1]) + ":" + rest, ""
}

// windowsNames cleans the part after the drive. Windows ignores dots and blanks
// at the end of a name.
func windowsNames(p string) (string, string) {
	parts := strings.Split(p, "/")
	for i, c := range parts {
		if c == "" || c == "." || c == ".." {
			continue
		}
		name := strings.TrimRight(c, " .")
		switch {
		case name == "":
			return "", "it contains a name of dots and blanks only"
		case strings.IndexByte(c, ':') >= 0:
			return "", "it names a stream of a file"
		case shortName(name):
			return "", "it contains a short (8.3) name"
		case strings.ContainsAny(name, `<>"|?*`):
			return "", "it contains a character that no Windows name has"
		case reserved(name):
			return "", "it names a device"
		case wholeVariable(name): // it was not one before the blank behind it was cut
			return "", "it contains a variable"
		}
		parts[i] = name
	}
	return path.Clean(strings.Join(parts, "/")), ""
}

// shortName says whether a name has the shape of an 8.3 alias: a tilde and a
// digit near the end of the first part.
func shortName(name string) bool {
	i := strings.IndexByte(name, '~')
	return i >= 0 && i+1 < len(name) && name[i+1] >= '0' && name[i+1] <= '9'
}

// reserved says whether a name is one of the devices that exist in every
// directory, with or without an extension.
func reserved(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, prefix := range [...]string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, prefix); ok {
			switch n {
			case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
				return true
			}
		}
	}
	return false
}
