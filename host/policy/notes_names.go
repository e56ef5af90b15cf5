package policy

import (
	"fmt"
	"strings"
)

// keyNotes reports a key that reads as if a server had a slash in its name.
func (y *layer) keyNotes(k *keyed, n *notes) {
	if y.pack != "" || isGlob(k.key.server) || !strings.Contains(k.key.tool, "/") {
		return
	}
	n.add(CodeSlashInTool, y.rule(k.at), fmt.Sprintf(
		"is about the tool %q of server %q, since a server has no slash in its name; if it means another server, rename that one", k.key.tool, k.key.server))
}
