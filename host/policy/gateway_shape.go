package policy

// gatewayFile is the configuration of a gateway. The struct tags are those of
// shape.go.
type gatewayFile struct {
	CallgateGateway int64                    `key:"callgate_gateway" is:"count" doc:"Format version. Required; this version is 1."`
	Listen          *string                  `key:"listen" is:"text" doc:"Address to listen on, host:port; port 0 is any that is free. --listen counts before it."`
	Policy          []string                 `key:"policy" is:"text" doc:"Policy files relative to this file, the last is the highest layer; starter is the built-in policy. Absent: starter. --policy counts instead."`
	Floor           *string                  `key:"floor" is:"file" doc:"Policy that is judged beside the others; the stricter outcome holds. --floor counts instead."`
	Group           *string                  `key:"group" is:"name" doc:"Group of the sessions. Those of a client that has a name are in the group GROUP-NAME. Absent: gateway."`
	Ledger          *string                  `key:"ledger" is:"dir" doc:"Directory that each group has the directory of its ledgers in. Absent: where callgate run keeps them. --ledger counts instead."`
	TLS             *gatewayTLS              `key:"tls" doc:"Certificates of the gateway. Absent: plain HTTP."`
	Clients         []gatewayClient          `key:"clients" doc:"Who may send requests. Absent: whoever reaches the address, or has a certificate of tls.client_ca."`
	AllowedHosts    []string                 `key:"allowed_hosts" is:"text" doc:"Host headers that are answered besides the address itself: a name or name:port, in lower case."`
	AllowedOrigins  []string                 `key:"allowed_origins" is:"text" doc:"Origins whose pages may send requests and read the answers: scheme://host[:port]."`
	Limits          *gatewayLimits           `key:"limits" doc:"What clients can hold."`
	Servers         map[string]gatewayServer `key:"servers" keys:"server" doc:"The servers by the name that policies know them by. Each is served at /mcp/NAME. Required."`
}

type gatewayTLS struct {
	Cert     *string `key:"cert" is:"file" doc:"Certificate chain, PEM. It is read anew when it changes."`
	Key      *string `key:"key" is:"file" doc:"Key of the certificate, PEM, that only its owner may read."`
	ClientCA *string `key:"client_ca" is:"file" doc:"CA certificates, PEM: a client has to have a certificate of one of them."`
}

type gatewayClient struct {
	Name        *string `key:"name" is:"name" doc:"Names the client in ledgers and questions. Required."`
	TokenFile   *string `key:"token_file" is:"file" doc:"File with the token that the client sends, as Authorization: Bearer TOKEN or as Callgate-Token: TOKEN."`
	Certificate *string `key:"certificate" is:"text" doc:"The name in the client's certificate: its URI, or the common name of one without."`
}

type gatewayLimits struct {
	Sessions *int64  `key:"sessions" is:"count" doc:"Sessions at once. Absent: 1000."`
	Idle     *string `key:"idle" is:"duration" doc:"A session that nobody uses for so long ends. Absent: 30m."`
	Children *int64  `key:"children" is:"count" doc:"Servers that run at once. Absent: 64."`
	Body     *int64  `key:"body" is:"size" doc:"Bytes of a request. Absent: 64MiB."`
}

type gatewayServer struct {
	Command []string `key:"command" is:"text" doc:"Command of a stdio server with its arguments. A command with a slash is relative to this file."`
	Env     []string `key:"env" is:"text" such:"NAME=value" doc:"Variables that the command gets besides those of the gateway, as NAME=value; servers.NAME.env of the policy decides about both."`
	Cwd     *string  `key:"cwd" is:"dir" doc:"Directory that the command runs in, relative to this file. Absent: that of the gateway."`

	URL           *string           `key:"url" is:"text" doc:"Endpoint of a server that speaks HTTP."`
	Transport     *string           `key:"transport" enum:"streamable|sse" doc:"What the endpoint speaks: Streamable HTTP, or HTTP+SSE of 2024-11-05. Absent: streamable."`
	HeadersFile   *string           `key:"headers_file" is:"file" doc:"File with headers for every request to the URL, one Name: value a line, that only its owner may read."`
	Authorization *string           `key:"authorization" enum:"none|pass" doc:"pass: the client's Authorization header goes to the URL, unless it is for the gateway. Absent: none."`
	TLS           *gatewayServerTLS `key:"tls" doc:"Certificates towards the URL."`
}

type gatewayServerTLS struct {
	CA   *string `key:"ca" is:"file" doc:"CA certificates, PEM, one of which signed the server's. Absent: those of the system."`
	Cert *string `key:"cert" is:"file" doc:"Certificate that the gateway shows to the server, PEM."`
	Key  *string `key:"key" is:"file" doc:"Key of the certificate, PEM, that only its owner may read."`
}
