// A server with everything in fixtures.mjs: the TypeScript SDK v2, both eras.
//
//   node conformance-server.mjs PORT     Streamable HTTP on 127.0.0.1, at /mcp; 0 takes a free port
//   node conformance-server.mjs stdio
//
// Over HTTP it prints one line when it listens, {"url":"http://127.0.0.1:PORT/mcp"}, and ends with its standard input.
import { createServer } from "node:http";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import {
  ResourceNotFoundError,
  Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isInputRequiredResult,
  isLegacyRequest,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { usage } from "./child.mjs";
import { unknown } from "./errors.mjs";
import { codec, completions, prompts, resources, templates, tools } from "./fixtures.mjs";
import { offerTasks, taskCapabilities } from "./tasks.mjs";

const HINT = { ttlMs: 60000, cacheScope: "public" };
const CACHED = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];

const listed = (table, key, ...members) =>
  Object.entries(table).map(([id, entry]) => ({
    [key]: id,
    ...Object.fromEntries(members.map((member) => [member, entry[member]])),
  }));

// answer makes a server for one session, or, in the newest revision, for one request; publish tells every
// subscriber of the newest revision of a change, and is absent where the server itself can.
function answer(publish) {
  const server = new Server(
    { name: "callgate-fixtures", version: "1.0.0" },
    {
      capabilities: {
        ...taskCapabilities,
        completions: {},
        logging: {},
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        tools: { listChanged: true },
      },
      instructions: "Fixtures for tests.",
      cacheHints: Object.fromEntries(CACHED.map((method) => [method, HINT])),
      requestState: { verify: codec.verify },
    },
  );
  const subscribed = new Set();
  const host = {
    async publish(ctx, kind, uri) {
      if (publish) return publish(kind, uri);
      if (kind === "tools") return server.sendToolListChanged();
      if (kind === "prompts") return server.sendPromptListChanged();
      if (ctx.mcpReq.envelope || subscribed.has(uri)) await server.sendResourceUpdated({ uri });
    },
  };
  offerTools(server, host);
  offerResources(server, subscribed);
  offerPrompts(server);
  offerTasks(server);
  return server;
}

function offerTools(server, host) {
  server.setRequestHandler("tools/list", () => ({ tools: listed(tools, "name", "description", "inputSchema") }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    if (!tool) throw unknown("tool", params.name);
    return tool.run(params.arguments ?? {}, ctx, host);
  });
}

function offerResources(server, subscribed) {
  server.setRequestHandler("resources/list", () => ({
    resources: listed(resources, "uri", "name", "description", "mimeType"),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: listed(templates, "uriTemplate", "name", "description", "mimeType"),
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => {
    if (Object.hasOwn(resources, uri)) return { contents: [resources[uri].read(uri)] };
    for (const template of Object.values(templates)) {
      const match = template.match.exec(uri);
      if (match) return { contents: [template.read(uri, match[1])] };
    }
    throw new ResourceNotFoundError(uri);
  });
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

function offerPrompts(server) {
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: prompt.description,
      arguments: (prompt.arguments ?? []).map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const prompt = Object.hasOwn(prompts, params.name) ? prompts[params.name] : undefined;
    if (!prompt) throw unknown("prompt", params.name);
    const messages = await prompt.run(params.arguments ?? {}, ctx);
    return isInputRequiredResult(messages) ? messages : { messages };
  });
  server.setRequestHandler("completion/complete", ({ params }) => {
    const values = completions(params.argument.value);
    return { completion: { values, total: values.length, hasMore: false } };
  });
}

// Events of one session, so that a client can come back for what it missed.
class Events {
  constructor() {
    this.kept = [];
  }

  async storeEvent(stream, message) {
    this.kept.push({ stream, message });
    return `${stream}_${this.kept.length}`;
  }

  async getStreamIdForEventId(id) {
    return this.kept[Number(id.split("_").at(-1)) - 1]?.stream;
  }

  async replayEventsAfter(id, { send }) {
    const last = Number(id.split("_").at(-1));
    const stream = this.kept[last - 1]?.stream;
    for (const [i, event] of this.kept.entries()) {
      // A priming event holds a place in the stream and no message.
      const message = Object.keys(event.message ?? {}).length > 0;
      if (i >= last && event.stream === stream && message) await send(`${stream}_${i + 1}`, event.message);
    }
    return stream;
  }
}

// legacy keeps one server for each session of the older revisions.
function legacy() {
  const sessions = new Map();
  const refusal = (status, message) =>
    Response.json({ jsonrpc: "2.0", error: { code: -32000, message }, id: null }, { status });
  return async (request) => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const known = sessions.get(id);
      return known ? known.handleRequest(request) : refusal(404, "session not found");
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      eventStore: new Events(),
      retryInterval: 100,
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
    });
    await answer().connect(transport);
    return transport.handleRequest(request);
  };
}

function listen(port) {
  const older = legacy();
  const modern = createMcpHandler(() => answer(publish), { legacy: "reject" });
  function publish(kind, uri) {
    if (kind === "tools") modern.notify.toolsChanged();
    else if (kind === "prompts") modern.notify.promptsChanged();
    else modern.notify.resourceUpdated(uri);
  }
  const handle = toNodeHandler({
    fetch: async (request, options) => ((await isLegacyRequest(request)) ? older(request) : modern.fetch(request, options)),
  });
  const host = localhostHostValidation();
  const origin = localhostOriginValidation();
  const http = createServer((req, res) => {
    if (!host(req, res) || !origin(req, res)) return;
    if (new URL(req.url, "http://localhost").pathname === "/mcp") void handle(req, res);
    else res.writeHead(404).end();
  });
  http.listen(port, "127.0.0.1", () => {
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${http.address().port}/mcp` })}\n`);
  });
  // Whoever started it and died must not leave a port behind.
  process.stdin.on("end", () => process.exit()).resume();
}

const [where, ...rest] = process.argv.slice(2);
if (where === "stdio" && rest.length === 0) serveStdio(() => answer());
else if (/^\d+$/.test(where ?? "") && rest.length === 0) listen(Number(where));
else usage("usage: node conformance-server.mjs PORT|stdio");
