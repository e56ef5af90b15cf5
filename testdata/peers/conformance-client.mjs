// The client that the conformance suite drives: the TypeScript SDK v2. The suite puts the address of its server
// behind the command, and the scenario and the revision into the environment.
//
//   node conformance-client.mjs URL                         straight to the server
//   node conformance-client.mjs stdio PREFIX-JSON URL       over stdio: PREFIX is a command that takes the address last
//   node conformance-client.mjs gateway CALLGATE DIR URL    through a gateway, whose policy is DIR/policy.yaml
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { argument, usage } from "./child.mjs";

const MODERN = "2026-07-28";

// What each scenario wants its client to do, once connected.
const scenarios = {
  initialize: (client) => client.listTools(),
  "request-metadata": (client) => client.listTools(),
  "json-schema-ref-no-deref": (client) => client.listTools(),
  tools_call: async (client) => {
    await client.listTools();
    await client.callTool({ name: "add_numbers", arguments: { a: 5, b: 3 } });
  },
  "elicitation-sep1034-client-defaults": (client) => callAll(client),
  "sep-2322-client-request-state": (client) => callAll(client),
  "sse-retry": (client) => callAll(client),
  "json-schema-2020-12-preservation": async (client) => {
    const { tools } = await client.listTools();
    const { inputSchema } = tools.find((tool) => tool.name === "json_schema_2020_12_tool");
    await client.callTool({ name: "json_schema_echo", arguments: { schema: inputSchema } });
  },
  "http-standard-headers": async (client) => {
    await callAll(client);
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    for (const call of context().toolCalls) await client.callTool(call);
  },
  "http-invalid-tool-headers": (client) => callAll(client),
};

function context() {
  return argument(process.env.MCP_CONFORMANCE_CONTEXT, "MCP_CONFORMANCE_CONTEXT");
}

async function callAll(client) {
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: {} });
}

// A gateway for one address, on a port that is free.
async function gateway(callgate, dir, url) {
  const own = mkdtempSync(join(dir, "gateway-"));
  const config = join(own, "gateway.yaml");
  const lines = [
    "callgate_gateway: 1",
    `policy: [${JSON.stringify(join(dir, "policy.yaml"))}]`,
    `ledger: ${JSON.stringify(join(own, "ledger"))}`,
    "servers:",
    `  upstream: {url: ${JSON.stringify(url)}}`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`, { mode: 0o600 });
  const child = spawn(callgate, ["gateway", "--listen", "127.0.0.1:0", "--config", config], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const address = await new Promise((found, lost) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      process.stderr.write(`${line}\n`);
      const match = /https?:\/\/127\.0\.0\.1:\d+/.exec(line);
      if (match) found(match[0]);
    });
    child.once("exit", (code) => lost(new Error(`the gateway ended with ${code} before it listened`)));
  });
  return { child, url: new URL(`${address}/mcp/upstream`) };
}

async function way(words) {
  const url = words.at(-1);
  if (words.length === 1) return { transport: new StreamableHTTPClientTransport(new URL(url)) };
  if (words.length === 3 && words[0] === "stdio") {
    const [command, ...args] = argument(words[1], "PREFIX-JSON");
    return { transport: new StdioClientTransport({ command, args: [...args, url], env: process.env }) };
  }
  if (words.length === 4 && words[0] === "gateway") {
    const { child, url: front } = await gateway(words[1], words[2], url);
    return { transport: new StreamableHTTPClientTransport(front), child };
  }
  return usage("usage: node conformance-client.mjs [stdio PREFIX-JSON | gateway CALLGATE DIR] URL");
}

const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
if (!Object.hasOwn(scenarios, scenario ?? "")) usage(`MCP_CONFORMANCE_SCENARIO is ${scenario}; known: ${Object.keys(scenarios).join(", ")}`);
const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN;
const { transport, child } = await way(process.argv.slice(2));
const client = new Client(
  { name: "callgate-conformance", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} },
    versionNegotiation: { mode: modern ? { pin: MODERN } : "legacy" },
  },
);
client.setRequestHandler("elicitation/create", ({ params }) => ({
  action: "accept",
  content: params.requestedSchema?.properties?.confirmed ? { confirmed: true } : {},
}));
client.setRequestHandler("sampling/createMessage", () => ({
  role: "assistant",
  model: "none",
  content: { type: "text", text: "said" },
}));
client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///srv", name: "srv" }] }));
try {
  await client.connect(transport);
  await scenarios[scenario](client);
} catch (error) {
  // Some scenarios answer with errors on purpose; the suite judges what it saw, and not this.
  process.stderr.write(`${error.stack}\n`);
} finally {
  await client.close();
  child?.kill();
}
