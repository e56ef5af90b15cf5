package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
)

// keyNotes reports a key that reads as if a server had a slash in its name.
func (y *layer) keyNotes(k *keyed, n *notes) {
	if y.pack != "" || isGlob(k.key.server) || !strings.Contains(k.key.tool, "/") {
		return
	}
	n.add(CodeSlashInTool, y.rule(k.at), fmt.Sprintf(
		"is about the tool %q of server %q, since a server has no slash in its name; if it means another server, rename that one", k.key.tool, k.key.server))
}

// originNotes reports an argument that only the user may say, where no user can
// say anything.
func (p *Policy) originNotes(y *layer, k *keyed, n *notes) {
	if p.settings.UserContext {
		return
	}
	for i, a := range k.tool().Args {
		if slices.Equal(a.Origin, []string{"client"}) {
			n.add(CodeNobodySays, y.rule(abi.JoinIndex(k.at+"/args", i)+"/origin"), "nobody can say the value, since settings.user_context is off; "+
				"write user_context: true, or name what else vouches for it: origin: [client, trusted]")
		}
	}
}
