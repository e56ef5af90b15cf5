// Clients of both TypeScript SDKs over both transports, driven by one script, so that what they see of a server
// directly and through Callgate can be held against each other.
//
//   node matrix.mjs OPTIONS-JSON STEPS-JSON
//
// README.md describes both arguments and the lines printed.
import { Client as ClientV2, StreamableHTTPClientTransport as HTTPv2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTPv1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { argument, members, usage } from "./child.mjs";

const KINDS = ["call", "request", "until", "listen", "task"];
const MODERN = "2026-07-28";
const PATIENCE = 15000; // what takes longer hangs
const TERMINAL = ["completed", "failed", "cancelled"];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// What the SDKs do differently.
const sdks = {
  v1: {
    client: (capabilities) => new ClientV1({ name: "callgate-matrix", version: "1.0.0" }, { capabilities }),
    stdio: (parameters) => new StdioV1(parameters),
    http: (url) => new HTTPv1(url),
    handle: (client, method, answer) => client.setRequestHandler(schemas[method], async (request) => answer(request)),
    request: (client, request, options) => client.request(request, ResultSchema, options),
    // Through the SDK a call is checked against the schema that was listed.
    call: (client, call, options) => client.callTool(call, undefined, options),
  },
  v2: {
    client: (capabilities, era) =>
      new ClientV2(
        { name: "callgate-matrix", version: "1.0.0" },
        { capabilities, versionNegotiation: { mode: era === MODERN ? { pin: MODERN } : "legacy" } },
      ),
    stdio: (parameters) => new StdioV2(parameters),
    http: (url) => new HTTPv2(url),
    handle: (client, method, answer) => client.setRequestHandler(method, (request) => answer(request)),
    request: (client, request, options) => {
      const { method, params } = request;
      // These go through more than one round in the newest revision, which is the SDK's business.
      if (method === "resources/read") return client.readResource(params, options);
      if (method === "prompts/get") return client.getPrompt(params, options);
      return client.request(request, z.looseObject({}), options);
    },
    call: (client, call, options) => client.callTool(call, options),
  },
};

const schemas = {
  "roots/list": ListRootsRequestSchema,
  "sampling/createMessage": CreateMessageRequestSchema,
  "elicitation/create": ElicitRequestSchema,
};

class Session {
  constructor(options) {
    this.sdk = sdks[options.sdk];
    this.options = options;
    this.asked = [];
    this.received = {};
    this.errors = [];
    this.client = this.sdk.client({ roots: {}, sampling: {}, elicitation: {} }, options.era);
    this.client.onerror = (error) => this.errors.push(error.message);
    this.answer("roots/list", () => ({ roots: options.roots }));
    this.answer("sampling/createMessage", () => options.sampling);
    this.answer("elicitation/create", ({ params }) => {
      return options.elicitation.find(({ when }) => params.message.includes(when)).result;
    });
  }

  answer(method, result) {
    this.sdk.handle(this.client, method, (request) => {
      const { message, messages, maxTokens } = request.params ?? {};
      // When a server asks for roots is up to its timers.
      if (method !== "roots/list") this.asked.push({ method, message, messages, maxTokens });
      return result(request);
    });
  }

  async connect() {
    const { command, url, cwd } = this.options;
    const transport = url
      ? this.sdk.http(new URL(url))
      : this.sdk.stdio({ command: command[0], args: command.slice(1), cwd, env: process.env, stderr: "inherit" });
    // Both SDKs chain a handler that is there before they connect.
    transport.onmessage = (message) => {
      if (message.method !== undefined) (this.received[message.method] ??= []).push(message.params);
    };
    // The SDK v1 tells its transport alone which revision is in force.
    let protocolVersion;
    const tell = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      protocolVersion = version;
      tell?.(version);
    };
    await this.client.connect(transport);
    this.transport = transport;
    return {
      protocolVersion: this.client.getNegotiatedProtocolVersion?.() ?? protocolVersion,
      serverInfo: this.client.getServerVersion(),
      capabilities: this.client.getServerCapabilities(),
      instructions: this.client.getInstructions(),
    };
  }

  async until({ method, matching = "" }) {
    for (const late = Date.now() + PATIENCE; Date.now() < late; ) {
      const params = this.received[method]?.find((p) => JSON.stringify(p ?? {}).includes(matching));
      if (this.received[method] && (matching === "" || params)) return { method };
      await pause(10);
    }
    throw new Error(`the server sent no ${method}`);
  }

  async task(call, options) {
    const params = { ...call, task: { ttl: 60000 } };
    const { task } = await this.sdk.request(this.client, { method: "tools/call", params }, options);
    const { taskId } = task;
    let status = task.status;
    while (!TERMINAL.includes(status)) {
      await pause(20);
      ({ status } = await this.sdk.request(this.client, { method: "tasks/get", params: { taskId } }, options));
    }
    return { status, result: await this.sdk.request(this.client, { method: "tasks/result", params: { taskId } }, options) };
  }

  async perform(step, options) {
    if (step.call) return this.sdk.call(this.client, step.call, options);
    if (step.request) return this.sdk.request(this.client, step.request, options);
    if (step.until) return this.until(step.until);
    if (step.task) return this.task(step.task, options);
    const { honoredFilter } = await this.client.listen(step.listen, options);
    return { honoredFilter };
  }

  async run(step) {
    const outcome = { kind: step.kind };
    const options = { timeout: PATIENCE };
    let seen = 0;
    if (step.progress || step.abortAfter !== undefined) {
      const abort = new AbortController();
      options.signal = abort.signal;
      options.onprogress = () => {
        seen++;
        if (seen === step.abortAfter) abort.abort(`after ${seen} progress notifications`);
      };
    }
    this.asked = [];
    try {
      outcome.ok = await this.perform(step, options);
    } catch (error) {
      outcome.error = { name: error.name, code: error.code, message: error.message, data: error.data };
    }
    // The last notification and the result come at once, and the SDKs may be done with the call first.
    if (step.progress) outcome.progress = seen > 1;
    if (this.asked.length > 0) outcome.asked = this.asked;
    return outcome;
  }
}

function checked(options, steps) {
  members(options, ["sdk", "era", "command", "url", "cwd", "roots", "sampling", "elicitation"], "OPTIONS-JSON");
  if (!Object.hasOwn(sdks, options.sdk)) usage(`OPTIONS-JSON has sdk ${options.sdk}; known: ${Object.keys(sdks).join(", ")}`);
  if ((options.command === undefined) === (options.url === undefined)) usage("OPTIONS-JSON must have command or url");
  if (!Array.isArray(steps) || steps.length === 0) usage("STEPS-JSON must be an array of at least one step");
  steps.forEach((step, i) => {
    members(step, [...KINDS, "kind", "progress", "abortAfter"], `STEPS-JSON[${i}]`);
    if (KINDS.filter((kind) => kind in step).length !== 1) usage(`STEPS-JSON[${i}] must have exactly one of ${KINDS.join(", ")}`);
  });
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

if (process.argv.length !== 4) usage("usage: node matrix.mjs OPTIONS-JSON STEPS-JSON");
const options = argument(process.argv[2], "OPTIONS-JSON");
const steps = argument(process.argv[3], "STEPS-JSON");
checked(options, steps);
const session = new Session(options);
try {
  print({ kind: "connect", ok: await session.connect() });
  for (const step of steps) print(await session.run(step));
  if (options.url && session.transport.sessionId) await session.transport.terminateSession();
  await session.client.close();
} catch (error) {
  print({ kind: "connect", error: { name: error.name, code: error.code, message: error.message } });
  process.exitCode = 1;
}
process.stdout.write(`${JSON.stringify({ kind: "end", errors: session.errors })}\n`, () => process.exit());
