package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
)

// settings compares joined settings. A reload never comes here with another mode
// or default: see [Fixed].
func (l *loosens) settings(old, new *Settings) {
	looser := func(is bool, rule, text string) {
		if is {
			l.add(rule, text)
		}
	}
	moved := func(a, b any) string { return fmt.Sprintf("%v → %v", a, b) }
	more := func(a, b int64) bool { return b != a && (b == 0 || a != 0 && b > a) } // 0: no limit
	limits := func(a, b int64) string { return moved(limitText(a), limitText(b)) }
	looser(new.Mode > old.Mode, new.ModeAt, "enforce → observe")
	looser(new.Default > old.Default, new.DefaultAt, moved(old.Default, new.Default))
	looser(new.Unlisted > old.Unlisted, new.UnlistedAt, moved(old.Unlisted, new.Unlisted))
	looser(new.UnknownServer > old.UnknownServer, new.UnknownServerAt, moved(old.UnknownServer, new.UnknownServer))
	looser(new.UserContext && !old.UserContext, new.UserContextAt, "what the user says vouches")
	looser(new.Digests != old.Digests, new.DigestsAt, "the ledger keeps something else")
	looser(old.Strict && !new.Strict, new.StrictAt, "strict → graded")
	looser(new.AskFrom != old.AskFrom && (new.AskFrom == 0 || old.AskFrom != 0 && new.AskFrom > old.AskFrom), new.AskFromAt,
		moved(old.AskFrom, cmp.Or(new.AskFrom.String(), "none"))+": fewer tools ask")
	looser(more(old.MaxArgumentBytes, new.MaxArgumentBytes), new.MaxArgumentBytesAt, limits(old.MaxArgumentBytes, new.MaxArgumentBytes))
	looser(more(old.MaxResultBytes, new.MaxResultBytes), new.MaxResultBytesAt, limits(old.MaxResultBytes, new.MaxResultBytes))
	looser(new.MaxText != old.MaxText, new.MaxTextAt, limits(old.MaxText, new.MaxText))
	looser(new.SessionIdle != old.SessionIdle, new.SessionIdleAt, moved(old.SessionIdle, new.SessionIdle))
	looser(new.MaxAsks > old.MaxAsks, new.MaxAsksAt, moved(old.MaxAsks, new.MaxAsks))
	looser(new.ApprovalTimeout > old.ApprovalTimeout, new.ApprovalTimeoutAt, moved(old.ApprovalTimeout, new.ApprovalTimeout))
	looser(new.Webhook != old.Webhook || new.WebhookKey != old.WebhookKey, new.WebhookAt, "another webhook than before")
	for _, c := range new.Channels {
		looser(!slices.Contains(old.Channels, c), new.ChannelsAt, c+" may answer")
	}
}

func limitText(n int64) string {
	if n == 0 {
		return "no limit"
	}
	return strconv.FormatInt(n, 10)
}

// fromTo says what a member was and is, where that is one word or number.
func fromTo(was, is abi.Value) string {
	a, ok := leafText(was)
	b, also := leafText(is)
	if !ok || !also {
		return "not shown to be as strict as before"
	}
	return a + " → " + b
}

// maxLeafText is how much of a text is shown, in bytes of its quoted form.
const maxLeafText = 120

func leafText(v abi.Value) (text string, ok bool) {
	switch {
	case !v.Exists():
		return "unset", true
	case v.Kind() == abi.Object || v.Kind() == abi.Array:
		return "", false
	case !v.IsString():
		return v.Lexeme(), true
	}
	text = v.Str()
	if !plainText(text) {
		text = strconv.QuoteToASCII(text)
	}
	if len(text) > maxLeafText {
		text = text[:maxLeafText] + "…" // a name, or quoted: it has no byte above 0x7f
	}
	return text, true
}
