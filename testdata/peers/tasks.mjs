// The tasks extension of 2026-07-28 (SEP-2663), which the SDK has the frames of and no more: calls that are answered
// with a task, and the three methods about tasks.
import { MissingRequiredClientCapabilityError, acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { z } from "zod";
import { unknown } from "./errors.mjs";

const EXTENSION = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

const nothing = { type: "object", properties: {} };
const text = (said) => ({ content: [{ type: "text", text: said }] });
const form = (message, properties) => ({ mode: "form", message, requestedSchema: { type: "object", properties } });
const confirm = (message) => inputRequired.elicit(form(message, { confirm: { type: "boolean" } }));

// All tasks of this process: each request may be served by another instance of the server.
const tasks = new Map();

function declared(ctx) {
  return ctx.mcpReq.envelope?.[CAPABILITIES]?.extensions?.[EXTENSION] !== undefined;
}

function demand(ctx) {
  if (!declared(ctx)) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [EXTENSION]: {} } } });
}

function create(work) {
  const now = new Date().toISOString();
  const task = {
    taskId: crypto.randomUUID(),
    status: "working",
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: 600000,
    pollIntervalMs: 50,
  };
  const state = { task, waiting: {}, answers: {} };
  tasks.set(task.taskId, state);
  work(state);
  return { resultType: "task", ...task };
}

// A task that has ended stays as it is: what comes later was cancelled meanwhile.
function become(state, status, members = {}) {
  if (["completed", "failed", "cancelled"].includes(state.task.status)) return;
  state.task = { ...state.task, ...members, status, lastUpdatedAt: new Date().toISOString() };
}

const complete = (result) => ({ resultType: "complete", ...result });
const finish = (state, result) => become(state, "completed", { result: complete(result) });

function wait(state, requests, result) {
  state.waiting = requests;
  state.then = result;
  become(state, "input_required");
}

export const taskTools = {
  greet: {
    description: "Greets, at once",
    inputSchema: { type: "object", properties: { name: { type: "string" } } },
    run: (args) => text(`Hello, ${args.name}!`),
  },
  slow_compute: {
    description: "Takes a while: as a task, where the client knows those",
    inputSchema: { type: "object", properties: { seconds: { type: "number" } } },
    run: async (args, ctx) => {
      const ms = (args.seconds ?? 0) * 1000;
      if (declared(ctx)) return create((state) => setTimeout(() => finish(state, text("computed")), ms));
      await new Promise((done) => setTimeout(done, ms));
      return text("computed");
    },
  },
  failing_job: {
    description: "Fails, as a task only",
    inputSchema: nothing,
    run: (_, ctx) => {
      demand(ctx);
      return create((state) => setTimeout(() => finish(state, { ...text("it failed"), isError: true }), 500));
    },
  },
  protocol_error_job: {
    description: "Breaks the protocol, as a task only",
    inputSchema: nothing,
    run: (_, ctx) => {
      demand(ctx);
      const error = { code: -32603, message: "it broke" };
      return create((state) => setTimeout(() => become(state, "failed", { error }), 100));
    },
  },
  confirm_delete: {
    description: "Asks first, as a task only",
    inputSchema: { type: "object", properties: { filename: { type: "string" } } },
    run: (args, ctx) => {
      demand(ctx);
      const ask = { confirm: confirm(`Delete ${args.filename}?`) };
      return create((state) => wait(state, ask, () => text(`deleted ${args.filename}`)));
    },
  },
  multi_input: {
    description: "Asks twice at once, as a task only",
    inputSchema: nothing,
    run: (_, ctx) => {
      demand(ctx);
      return create((state) => wait(state, { first: confirm("The first?"), second: confirm("The second?") }, () => text("both")));
    },
  },
  test_tool_with_task: {
    description: "Needs a name, and is a task then",
    inputSchema: nothing,
    run: (_, ctx) => {
      demand(ctx);
      const name = acceptedContent(ctx.mcpReq.inputResponses ?? {}, "user_name")?.name;
      if (name !== undefined) return create((state) => setTimeout(() => finish(state, text(`for ${name}`)), 50));
      return inputRequired({ inputRequests: { user_name: inputRequired.elicit(form("Who?", { name: { type: "string" } })) } });
    },
  },
};

export const taskCapabilities = { extensions: { [EXTENSION]: {} } };

/** offerTasks adds the methods about tasks to a server. */
export function offerTasks(server) {
  const about = (method, members, answer) =>
    server.setRequestHandler(method, { params: z.looseObject({ taskId: z.string(), ...members }) }, (params, ctx) => {
      demand(ctx);
      const state = tasks.get(params.taskId);
      if (!state) throw unknown("task", params.taskId);
      return complete(answer(state, params, ctx) ?? {});
    });
  about("tasks/get", {}, ({ task, waiting }) => (task.status === "input_required" ? { ...task, inputRequests: waiting } : task));
  about("tasks/cancel", {}, (state) => become(state, "cancelled"));
  about("tasks/update", { inputResponses: z.record(z.string(), z.unknown()).optional() }, (state, params, ctx) => {
    for (const key of Object.keys(params.inputResponses ?? ctx.mcpReq.inputResponses ?? {})) delete state.waiting[key];
    if (state.task.status === "input_required" && Object.keys(state.waiting).length === 0) {
      become(state, "working");
      finish(state, state.then());
    }
  });
}
