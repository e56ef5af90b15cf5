package proxy

// exchange is one HTTP request of a client, and the stream of its answer.
type exchange struct{}
