import { ProtocolError } from "@modelcontextprotocol/server";

const INVALID_PARAMS = -32602;

/** The error for a name that a server does not know. */
export function unknown(what, name) {
  return new ProtocolError(INVALID_PARAMS, `no ${what} ${JSON.stringify(name)}`);
}
