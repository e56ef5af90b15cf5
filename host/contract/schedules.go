package contract

import "github.com/callgate/callgate/abi"

// Schedule is an entry of `schedules:` that names a tool: when it may be called.
type Schedule struct {
	Rule, Name string
	Allow      []Window
	Otherwise  abi.Outcome // outside every window: Deny, or Ask
}

// Window is a stretch of time that comes back every week, by the clock on the
// wall in a zone. Where To is not after From, it ends on the next day.
type Window struct {
	Days     [7]bool // on which it starts; Sunday is 0, as in package time
	From, To int     // minutes since midnight; To at most 1440, and not part of it
	Zone     string  // a name of the IANA database
}

// Identity is an entry of `identities:`: who may call what.
type Identity struct {
	Rule, Name      string
	Subject, Issuer string // what the principal must have; both empty: only who is started under Name
	All             bool   // it may call every tool that the rest of the policy lets through
	Listed          bool   // it names this tool
}
