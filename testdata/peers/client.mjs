// A real MCP client: the TypeScript SDK v1 over stdio, driven by a JSON script.
//
//   node client.mjs COMMAND-JSON SCRIPT-JSON
//
// README.md describes both arguments and the lines printed.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { argument, command, ended, members, usage } from "./child.mjs";

const KINDS = ["info", "list", "call", "request", "notify", "received", "parallel"];

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function failure(error) {
  return { name: error.name, code: error.code, message: error.message, data: error.data };
}

// A misspelt step must fail before anything is sent, not halfway through a session.
function checkSteps(steps, where) {
  if (!Array.isArray(steps) || steps.length === 0) usage(`${where} must be an array of at least one step`);
  steps.forEach((step, i) => {
    const at = `${where}[${i}]`;
    members(step, [...KINDS, "progress", "abortAfter", "timeout"], at);
    if (KINDS.filter((kind) => kind in step).length !== 1) usage(`${at} must have exactly one of ${KINDS.join(", ")}`);
    if ("parallel" in step) checkSteps(step.parallel, `${at}.parallel`);
  });
}

class Session {
  constructor(options) {
    this.received = {};
    this.errors = [];
    const capabilities = {};
    if (options.roots) capabilities.roots = { listChanged: true };
    if (options.sampling) capabilities.sampling = {};
    if (options.elicitation) capabilities.elicitation = {};
    this.client = new Client({ name: "callgate-peers", version: "1.0.0" }, { capabilities });
    if (options.roots) this.answer(ListRootsRequestSchema, { roots: options.roots });
    if (options.sampling) this.answer(CreateMessageRequestSchema, options.sampling);
    if (options.elicitation) this.answer(ElicitRequestSchema, options.elicitation);
    this.client.onerror = (error) => this.errors.push(error.message);
    this.transport = new StdioClientTransport({
      command: options.command[0],
      args: options.command.slice(1),
      cwd: options.cwd,
      // The SDK passes six variables on; the tests set more than those.
      env: process.env,
      stderr: "inherit",
    });
    this.transport.setProtocolVersion = (version) => {
      this.protocolVersion = version;
    };
  }

  answer(schema, result) {
    this.client.setRequestHandler(schema, async () => result);
  }

  async connect() {
    // The SDK chains a handler that is there before it connects, so no message goes uncounted.
    this.transport.onmessage = (message) => {
      if (message.method !== undefined) this.received[message.method] = (this.received[message.method] ?? 0) + 1;
    };
    const connecting = this.client.connect(this.transport);
    // How the child ended is not in the SDK's interface; its process is there as soon as connect is called.
    this.exit = ended(this.transport._process, "exit");
    await connecting;
  }

  info() {
    return {
      pid: this.transport.pid,
      protocolVersion: this.protocolVersion,
      serverInfo: this.client.getServerVersion(),
      capabilities: this.client.getServerCapabilities(),
      instructions: this.client.getInstructions(),
    };
  }

  async perform(step, options) {
    if ("info" in step) return this.info();
    if ("received" in step) return { ...this.received };
    if ("list" in step) return this.client.listTools(step.list === true ? undefined : step.list, options);
    if ("call" in step) return this.client.callTool(step.call, undefined, options);
    if ("request" in step) return this.client.request(step.request, ResultSchema, options);
    await this.client.notification(step.notify);
    return {};
  }

  async parallel(steps) {
    const order = [];
    const ok = await Promise.all(
      steps.map(async (step, i) => {
        const outcome = await this.run(step);
        order.push(i);
        return outcome;
      }),
    );
    return { ok, order };
  }

  async run(step) {
    if ("parallel" in step) return this.parallel(step.parallel);
    const options = {};
    let seen = 0;
    if (step.timeout !== undefined) options.timeout = step.timeout;
    if (step.progress || step.abortAfter !== undefined) {
      const abort = new AbortController();
      options.signal = abort.signal;
      // Counting notifications cancels at a known point without looking at a clock.
      options.onprogress = () => {
        seen++;
        if (seen === step.abortAfter) abort.abort(`after ${seen} progress notifications`);
      };
    }
    const outcome = {};
    try {
      outcome.ok = await this.perform(step, options);
    } catch (error) {
      outcome.error = failure(error);
    }
    if (options.onprogress) outcome.progress = seen;
    return outcome;
  }

  async close() {
    await this.client.close();
    return { exit: await this.exit, received: this.received, errors: this.errors };
  }
}

if (process.argv.length !== 4) usage("usage: node client.mjs COMMAND-JSON SCRIPT-JSON");
const options = command(process.argv[2], ["roots", "sampling", "elicitation"]);
const script = argument(process.argv[3], "SCRIPT-JSON");
checkSteps(script, "SCRIPT-JSON");
const session = new Session(options);
try {
  await session.connect();
} catch (error) {
  print({ connect: { error: failure(error) } });
  process.exitCode = 1;
}
if (!process.exitCode) {
  for (const [step, what] of script.entries()) print({ step, ...(await session.run(what)) });
}
const end = await session.close();
// A grandchild that keeps the server's output open must not keep this process alive.
process.stdout.write(`${JSON.stringify({ end })}\n`, () => process.exit());
