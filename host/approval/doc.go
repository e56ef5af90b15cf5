// Package approval lets a person answer what the gate asks.
//
// A Desk keeps the open questions of one process. Three channels bring answers
// to it: the client's own elicitation, which the proxy speaks, the Socket of
// the process, which a terminal reaches with `callgate approve`, and a Webhook.
// Whoever answers, exactly one answer is taken, and only through a channel that
// the question allows; whatever is not a yes of that kind leaves the call
// denied.
//
// Answers live in memory only. Nothing that another process could have written
// into a file is ever read as one, and a process that descends from a wrapped
// server is not listened to.
package approval
