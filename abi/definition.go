package abi

import "slices"

// pinned lists the members of a tool definition that its pin covers.
var pinned = []string{"annotations", "description", "inputSchema", "name", "outputSchema", "title"}

// PinnedPart returns the part of a tool definition that a pin covers: name,
// title, description, schemas and annotations. The order of members does not
// matter, since the form is canonical.
func PinnedPart(definition Value) Value {
	members := make([]Member, 0, len(pinned))
	for _, name := range pinned {
		if v := definition.Get(name); v.Exists() {
			members = append(members, Member{name, v})
		}
	}
	return ObjectValue(members...)
}

// PinDigest returns the pin of a tool definition.
func PinDigest(definition Value) string { return PinnedPart(definition).Digest() }

// ChangedMembers names the pinned members in which two definitions differ.
func ChangedMembers(was, is Value) []string {
	var changed []string
	for _, name := range pinned {
		if !was.Get(name).Equal(is.Get(name)) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}
