// What conformance-server.mjs offers: the tools, resources and prompts that the
// conformance suite asks for by name, and a few that the peers matrix needs.
//
// A tool is {description, inputSchema, run(args, ctx, host)}. host.publish tells
// of a change in whichever way the era of the request has for it.
import {
  MissingRequiredClientCapabilityError,
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
} from "@modelcontextprotocol/server";
import { taskTools } from "./tasks.mjs";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

// The key is of this process: state that another instance sealed is refused.
export const codec = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

const nothing = { type: "object", properties: {} };
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const text = (said) => ({ content: [{ type: "text", text: said }] });
const field = (type) => ({ type });

function form(message, properties, required) {
  return { message, mode: "form", requestedSchema: object(properties, required) };
}

async function progress(ctx, done, total) {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: done, total } });
}

const plain = {
  test_simple_text: {
    description: "Answers with one block of text",
    inputSchema: nothing,
    run: () => text("This is a simple text response for testing."),
  },
  test_image_content: {
    description: "Answers with a picture of one pixel",
    inputSchema: nothing,
    run: () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] }),
  },
  test_audio_content: {
    description: "Answers with one sample of silence",
    inputSchema: nothing,
    run: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  },
  test_embedded_resource: {
    description: "Answers with a resource inside the result",
    inputSchema: nothing,
    run: () => ({ content: [{ type: "resource", resource: document("test://embedded-resource", "embedded") }] }),
  },
  test_multiple_content_types: {
    description: "Answers with text, a picture and a resource",
    inputSchema: nothing,
    run: () => ({
      content: [
        { type: "text", text: "three kinds" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
        { type: "resource", resource: document("test://mixed-content-resource", '{"test":"data"}', "application/json") },
      ],
    }),
  },
  test_error_handling: {
    description: "Answers with an error of the tool",
    inputSchema: nothing,
    run: () => ({ ...text("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_logging: {
    description: "Logs three lines",
    inputSchema: nothing,
    run: logging,
  },
  test_logging_tool: {
    description: "Logs three lines, for requests that ask for a level and for those that do not",
    inputSchema: nothing,
    run: logging,
  },
  test_tool_with_progress: {
    description: "Tells of progress three times, if asked to",
    inputSchema: nothing,
    run: async (_, ctx) => {
      for (const done of [0, 50, 100]) {
        await progress(ctx, done, 100);
        await pause(20);
      }
      return text("all of it");
    },
  },
  json_schema_2020_12_tool: {
    description: "Has a schema with words of 2020-12",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: field("string"), city: field("string") },
        },
      },
      properties: {
        name: field("string"),
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: field("string"),
        email: field("string"),
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => text(JSON.stringify(args)),
  },
  test_mirrored_header: {
    description: "Has a parameter that a header repeats",
    inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }),
    run: (args) => text(`region ${args.region}`),
  },
};

async function logging(_, ctx) {
  for (const line of ["started", "working", "done"]) {
    await ctx.mcpReq.log("info", `Tool execution ${line}`, "fixtures");
    await pause(20);
  }
  return text("logged");
}

// The older revisions, in which a server sends requests of its own.
const asking = {
  test_sampling: {
    description: "Has the client's model answer",
    inputSchema: object({ prompt: field("string") }),
    run: async (args, ctx) => {
      const messages = [{ role: "user", content: { type: "text", text: args.prompt } }];
      const { content } = await ctx.mcpReq.send({
        method: "sampling/createMessage",
        params: { messages, maxTokens: 100 },
      });
      return text(`LLM response: ${content.text}`);
    },
  },
  test_elicitation: {
    description: "Asks the user for a name and an address",
    inputSchema: object({ message: field("string") }),
    run: (args, ctx) => elicited(ctx, form(args.message, { username: field("string"), email: field("string") })),
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks with a default of every primitive type",
    inputSchema: nothing,
    run: (_, ctx) =>
      elicited(
        ctx,
        form(
          "who are you",
          {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
          [],
        ),
      ),
  },
  test_elicitation_sep1330_enums: {
    description: "Asks with every kind of choice",
    inputSchema: nothing,
    run: (_, ctx) => {
      const few = ["option1", "option2", "option3"];
      const titled = ["1", "2", "3"].map((n) => ({ const: `value${n}`, title: `Value ${n}` }));
      return elicited(
        ctx,
        form(
          "which",
          {
            untitledSingle: { type: "string", enum: few },
            titledSingle: { type: "string", oneOf: titled },
            legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["One", "Two", "Three"] },
            untitledMulti: { type: "array", items: { type: "string", enum: few } },
            titledMulti: { type: "array", items: { anyOf: titled } },
          },
          [],
        ),
      );
    },
  },
  test_roots: {
    description: "Lists the client's roots",
    inputSchema: nothing,
    run: async (_, ctx) => {
      const { roots } = await ctx.mcpReq.send({ method: "roots/list" });
      return text(`roots ${roots.map((root) => root.uri).join(" ")}`);
    },
  },
  test_reconnection: {
    description: "Ends its stream before it answers, so that the client has to come back for the answer",
    inputSchema: nothing,
    run: async (_, ctx) => {
      ctx.http?.closeSSE?.();
      await pause(100);
      return text("after the stream");
    },
  },
};

// ctx.mcpReq.elicitInput and requestSampling send over the GET stream, where what is sent before the client has opened
// it is lost; what belongs to a request goes over the stream of that request.
async function elicited(ctx, params) {
  const { action, content } = await ctx.mcpReq.send({ method: "elicitation/create", params });
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}

// The newest revision, in which a result says what is needed first.
const ask = {
  name: () => inputRequired.elicit(form("What is your name?", { name: field("string") })),
  ok: () => inputRequired.elicit(form("Please confirm", { ok: field("boolean") })),
  color: () => inputRequired.elicit(form("What is your favourite colour?", { color: field("string") })),
  words: (question) =>
    inputRequired.createMessage({
      messages: [{ role: "user", content: { type: "text", text: question } }],
      maxTokens: 100,
    }),
  roots: () => inputRequired.listRoots(),
};

const answers = (ctx) => ctx.mcpReq.inputResponses ?? {};
const has = (ctx, ...keys) => keys.every((key) => answers(ctx)[key] !== undefined);

async function sealed(inputRequests, state, ctx) {
  return inputRequired({ inputRequests, requestState: await codec.mint(state, ctx) });
}

async function confirmed(_, ctx) {
  if (!ctx.mcpReq.requestState() || !has(ctx, "confirm")) {
    return sealed({ confirm: ask.ok() }, { asked: "confirm" }, ctx);
  }
  return text("state-ok");
}

const needing = {
  test_input_required_result_elicitation: {
    description: "Needs a name",
    inputSchema: nothing,
    run: (_, ctx) => {
      const name = acceptedContent(answers(ctx), "user_name")?.name;
      if (typeof name !== "string") return inputRequired({ inputRequests: { user_name: ask.name() } });
      return text(`Hello, ${name}!`);
    },
  },
  test_input_required_result_sampling: {
    description: "Needs words of the client's model",
    inputSchema: nothing,
    run: (_, ctx) => {
      const got = answers(ctx).capital_question;
      if (!got) return inputRequired({ inputRequests: { capital_question: ask.words("What is the capital of France?") } });
      return text(`it says ${JSON.stringify(got.content)}`);
    },
  },
  test_input_required_result_list_roots: {
    description: "Needs the client's roots",
    inputSchema: nothing,
    run: (_, ctx) => {
      const got = answers(ctx).client_roots;
      if (!got) return inputRequired({ inputRequests: { client_roots: ask.roots() } });
      return text(`roots ${got.roots.map((root) => root.uri).join(" ")}`);
    },
  },
  test_input_required_result_request_state: {
    description: "Needs a confirmation, and its state back",
    inputSchema: nothing,
    run: confirmed,
  },
  test_input_required_result_tampered_state: {
    description: "Needs a confirmation, and refuses state that is not its own",
    inputSchema: nothing,
    run: confirmed,
  },
  test_input_required_result_multiple_inputs: {
    description: "Needs three things at once",
    inputSchema: nothing,
    run: (_, ctx) => {
      if (has(ctx, "user_name", "greeting", "client_roots")) return text("all three");
      const needs = { user_name: ask.name(), greeting: ask.words("Say hello"), client_roots: ask.roots() };
      return sealed(needs, { asked: "three" }, ctx);
    },
  },
  test_input_required_result_multi_round: {
    description: "Needs one thing and then another",
    inputSchema: nothing,
    run: (_, ctx) => {
      const round = ctx.mcpReq.requestState()?.round ?? 0;
      if (round === 1 && has(ctx, "step1")) {
        const { name } = acceptedContent(answers(ctx), "step1") ?? {};
        return sealed({ step2: ask.color() }, { round: 2, name }, ctx);
      }
      if (round === 2 && has(ctx, "step2")) {
        const { color } = acceptedContent(answers(ctx), "step2") ?? {};
        return text(`${ctx.mcpReq.requestState().name} likes ${color}`);
      }
      return sealed({ step1: ask.name() }, { round: 1 }, ctx);
    },
  },
  test_input_required_result_capabilities: {
    description: "Needs whatever the client can give",
    inputSchema: nothing,
    run: (_, ctx) => {
      const can = capabilities(ctx);
      const inputRequests = {};
      if (can.elicitation) inputRequests.user_name = ask.name();
      if (can.sampling) inputRequests.greeting = ask.words("Say hello");
      if (can.roots) inputRequests.client_roots = ask.roots();
      if (Object.keys(inputRequests).length === 0 || has(ctx, ...Object.keys(inputRequests))) return text("enough");
      return inputRequired({ inputRequests });
    },
  },
  test_missing_capability: {
    description: "Refuses a client without sampling",
    inputSchema: nothing,
    run: (_, ctx) => {
      if (!capabilities(ctx).sampling) {
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      }
      return text("sampling declared");
    },
  },
  test_streaming_elicitation: {
    description: "Tells of progress and then needs a name",
    inputSchema: nothing,
    run: async (_, ctx) => {
      await progress(ctx, 1, 2);
      if (!has(ctx, "user_name")) return inputRequired({ inputRequests: { user_name: ask.name() } });
      return text("streamed");
    },
  },
};

function capabilities(ctx) {
  return ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
}

let cancelled = 0;

const changing = {
  test_trigger_tool_change: {
    description: "Tells that the list of tools has changed",
    inputSchema: nothing,
    run: async (_, ctx, host) => {
      await host.publish(ctx, "tools");
      return text("told");
    },
  },
  test_trigger_prompt_change: {
    description: "Tells that the list of prompts has changed",
    inputSchema: nothing,
    run: async (_, ctx, host) => {
      await host.publish(ctx, "prompts");
      return text("told");
    },
  },
  test_trigger_resource_update: {
    description: "Tells that the resource to subscribe to has changed",
    inputSchema: nothing,
    run: async (_, ctx, host) => {
      await host.publish(ctx, "resource", "test://watched-resource");
      return text("told");
    },
  },
  test_until_cancelled: {
    description: "Tells of progress until it is cancelled",
    inputSchema: nothing,
    run: async (_, ctx) => {
      for (let done = 1; !ctx.mcpReq.signal.aborted; done++) {
        await progress(ctx, done);
        await pause(20);
      }
      cancelled++;
      return text("cancelled");
    },
  },
  test_cancelled: {
    description: "Tells whether a call was cancelled; waits a while for it",
    inputSchema: nothing,
    run: async () => {
      for (let i = 0; i < 250 && cancelled === 0; i++) await pause(20);
      return text(cancelled > 0 ? "some" : "none");
    },
  },
};

export const tools = { ...plain, ...asking, ...needing, ...changing, ...taskTools };

function document(uri, said, mimeType = "text/plain") {
  return { uri, mimeType, text: said };
}

export const resources = {
  "test://static-text": {
    name: "static-text",
    description: "Text that never changes",
    mimeType: "text/plain",
    read: (uri) => document(uri, "This is the content of the static text resource."),
  },
  "test://static-binary": {
    name: "static-binary",
    description: "A picture of one pixel",
    mimeType: "image/png",
    read: (uri) => ({ uri, mimeType: "image/png", blob: PIXEL }),
  },
  "test://watched-resource": {
    name: "watched-resource",
    description: "Text to subscribe to",
    mimeType: "text/plain",
    read: (uri) => document(uri, "watched"),
  },
};

export const templates = {
  "test://template/{id}/data": {
    name: "template",
    description: "Text with a parameter of its address in it",
    mimeType: "application/json",
    match: /^test:\/\/template\/([^/]+)\/data$/,
    read: (uri, id) => document(uri, JSON.stringify({ id, templateTest: true }), "application/json"),
  },
};

const said = (content) => ({ role: "user", content });
const line = (words) => said({ type: "text", text: words });

export const prompts = {
  test_simple_prompt: {
    description: "One message",
    run: () => [line("This is a simple prompt for testing.")],
  },
  test_prompt_with_arguments: {
    description: "One message with two arguments in it",
    arguments: ["arg1", "arg2"],
    run: (args) => [line(`arg1='${args.arg1}', arg2='${args.arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: "A message with a resource inside",
    arguments: ["resourceUri"],
    run: (args) => [said({ type: "resource", resource: document(args.resourceUri, "embedded") }), line("read it")],
  },
  test_prompt_with_image: {
    description: "A message with a picture",
    run: () => [said({ type: "image", data: PIXEL, mimeType: "image/png" }), line("look at it")],
  },
  test_input_required_result_prompt: {
    description: "Needs to know what it is about",
    run: (_, ctx) => {
      const context = acceptedContent(answers(ctx), "user_context")?.context;
      if (context !== undefined) return [line(`about ${context}`)];
      const user_context = inputRequired.elicit(form("What is it about?", { context: field("string") }));
      return inputRequired({ inputRequests: { user_context } });
    },
  },
};

// What completion offers: names of towns that begin with what is there.
export function completions(value) {
  return ["paris", "parma", "perth", "porto"].filter((town) => town.startsWith(value));
}
