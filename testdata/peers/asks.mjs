// A real MCP client that a test holds in its hand: the TypeScript SDK v1 over stdio, which does what it is
// told line by line and says what happens.
//
//   node asks.mjs COMMAND-JSON
//
// README.md describes the orders, the lines printed and the end.
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { command, ended, members, usage } from "./child.mjs";

const ORDERS = {
  call: ["as", "name", "arguments"],
  list: ["as"],
  abort: ["as"],
  reply: ["id", "result"],
  raw: ["line"],
};

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

// What is not there must not be taken for something that had no effect.
function named(map, name) {
  return map.get(name) ?? usage(`there is no ${JSON.stringify(name)}; known: ${[...map.keys()].join(", ")}`);
}

class Session {
  constructor(options) {
    this.questions = new Map();
    this.aborts = new Map();
    this.client = new Client({ name: "callgate-asks", version: "1.0.0" }, { capabilities: { elicitation: {} } });
    this.client.setRequestHandler(ElicitRequestSchema, (request, extra) => this.asked(request.params, extra));
    this.client.onerror = (error) => print({ kind: "error", text: error.message });
    this.transport = new StdioClientTransport({
      command: options.command[0],
      args: options.command.slice(1),
      cwd: options.cwd,
      env: process.env,
      stderr: "inherit",
    });
    this.transport.setProtocolVersion = (version) => {
      this.protocolVersion = version;
    };
  }

  async connect() {
    const connecting = this.client.connect(this.transport);
    this.exit = ended(this.transport._process, "exit");
    await connecting;
    print({ kind: "ready", text: this.protocolVersion });
  }

  // A question stays open until it is replied to, or withdrawn: then the SDK drops the reply.
  asked(params, extra) {
    return new Promise((resolve) => {
      this.questions.set(extra.requestId, resolve);
      const withdrawn = () => print({ kind: "withdrawn", id: extra.requestId });
      print({ kind: "asked", id: extra.requestId, text: params.message });
      if (extra.signal.aborted) withdrawn(); // before anybody listened
      else extra.signal.addEventListener("abort", withdrawn);
    });
  }

  async outcome(as, request) {
    try {
      print({ kind: "result", id: as, result: await request });
    } catch (error) {
      print({ kind: "failed", id: as, text: error.message });
    }
  }

  perform(order) {
    switch (order.do) {
      case "call": {
        const abort = new AbortController();
        this.aborts.set(order.as, abort);
        const params = { name: order.name, arguments: order.arguments };
        return this.outcome(order.as, this.client.callTool(params, undefined, { signal: abort.signal }));
      }
      case "list":
        return this.outcome(order.as, this.client.listTools());
      case "abort":
        return named(this.aborts, order.as).abort("given up");
      case "reply":
        return named(this.questions, order.id)(order.result);
      default: // raw: beside the SDK, on the same pipe
        return this.transport._process.stdin.write(`${order.line}\n`);
    }
  }

  async close() {
    await this.client.close();
    return this.exit;
  }
}

if (process.argv.length !== 3) usage("usage: node asks.mjs COMMAND-JSON");
const session = new Session(command(process.argv[2], []));
await session.connect();
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  if (!Object.hasOwn(ORDERS, order.do)) usage(`unknown order ${JSON.stringify(order.do)}; known: ${Object.keys(ORDERS).join(", ")}`);
  members(order, ["do", ...ORDERS[order.do]], `the order ${order.do}`);
  session.perform(order);
}
const exit = await session.close();
process.stdout.write(`${JSON.stringify({ kind: "end", exit })}\n`, () => process.exit(exit?.code === 0 ? 0 : 1));
