package approval

import (
	"time"

	"github.com/callgate/callgate/abi"
)

// Question is what a person is asked.
type Question struct {
	// ID names the question to those who may answer it: 130 bits of chance,
	// base32 in lower case, given by Desk.Open. It is never shown to a model.
	ID        string
	Group     string
	Policy    string       // name of the policy
	Ask       abi.AskEvent // Channels nil: every channel may answer
	Arguments abi.Value    // of the frozen call
	Asked     time.Time
	// Held says that a call waits for the answer right now. Otherwise a yes
	// serves the identical retry.
	Held    bool
	Waiting int // how many identical calls wait
}

// Answer is what a person said to a question. The zero value is a no that came
// from nowhere, which is not taken.
type Answer struct {
	Yes bool
	By  string // one of the Channel constants of package abi
}
