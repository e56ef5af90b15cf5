// Package transport is what the HTTP transports of MCP demand of a server and of a client: Streamable HTTP in all its revisions, and HTTP+SSE of 2024-11-05.
// It moves frames. It knows no policy and no gate, and changes no byte of a frame.
//
// The client side has one rule that nothing may loosen: what is configured for a server goes to that server's URL and nowhere else. So it follows no redirect,
// keeps no cookie, and dials no address that a server names.
//
// Sources: MCP 2024-11-05 to 2026-07-28, "Transports"; WHATWG HTML section 9.2 (server-sent events); RFC 9110 (HTTP semantics).
package transport
