"""A client of the Python SDK over both transports and in both eras, driven by one script as matrix.mjs is.

    python client.py OPTIONS-JSON STEPS-JSON

README.md describes both arguments and the lines printed.
"""

import json
import os
import sys
import warnings
from contextlib import AsyncExitStack

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from pydantic import BaseModel, TypeAdapter

# Logging, sampling and roots are what old and new peers are held against.
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

KINDS = ["call", "request", "until", "listen"]
ANYTHING = TypeAdapter(dict)
PATIENCE = 60  # seconds


def usage(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def show(line):
    print(json.dumps(line, ensure_ascii=False), flush=True)


def plain(value):
    """What came over the wire, without the defaults that the SDK's types have."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return value


def failure(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    out = {"name": type(error).__name__, "message": str(error)}
    if isinstance(error, MCPError):
        out.update(code=error.error.code, message=error.error.message)
        if error.error.data is not None:
            out["data"] = error.error.data
    return out


def members(value, known, where):
    if not isinstance(value, dict):
        usage(f"{where} must be an object")
    for name in value:
        if name not in known:
            usage(f"{where} has the unknown member {name!r}")


def checked(options, steps):
    """A misspelt step must fail before anything is sent, not halfway through a session."""
    members(options, ["era", "command", "url", "cwd", "roots", "sampling", "elicitation"], "OPTIONS-JSON")
    if ("command" in options) == ("url" in options):
        usage("OPTIONS-JSON must have command or url")
    if not isinstance(steps, list) or not steps:
        usage("STEPS-JSON must be an array of at least one step")
    for i, step in enumerate(steps):
        members(step, [*KINDS, "kind", "progress", "abortAfter"], f"STEPS-JSON[{i}]")
        if len([kind for kind in KINDS if kind in step]) != 1:
            usage(f"STEPS-JSON[{i}] must have exactly one of {', '.join(KINDS)}")


class Session:
    def __init__(self, options):
        self.options = options
        self.asked = []
        self.received = {}
        self.errors = []
        self.listening = AsyncExitStack()
        self.client = Client(
            self.target(),
            mode="auto" if "era" in options else "legacy",
            message_handler=self.take,
            elicitation_callback=self.elicit,
            sampling_callback=self.sample,
            list_roots_callback=self.roots,
            # What is held against each other is what comes over the wire.
            cache=None,
        )

    def target(self):
        if "url" in self.options:
            return self.options["url"]
        command, *args = self.options["command"]
        # The SDK passes six variables on; the tests set more than those.
        return StdioServerParameters(command=command, args=args, cwd=self.options.get("cwd"), env=dict(os.environ))

    async def take(self, message):
        if isinstance(message, Exception):
            self.errors.append(str(message))
        else:
            self.received.setdefault(message.method, []).append(json.dumps(plain(message.params)))

    async def elicit(self, _, params):
        self.asked.append({"method": "elicitation/create", "message": params.message})
        answer = next(a["result"] for a in self.options["elicitation"] if a["when"] in params.message)
        return types.ElicitResult.model_validate(answer)

    async def sample(self, _, params):
        self.asked.append({"method": "sampling/createMessage", "messages": plain(params)["messages"], "maxTokens": params.max_tokens})
        return types.CreateMessageResult.model_validate(self.options["sampling"])

    async def roots(self, _):
        # When a server asks for roots is up to its timers, so it is not part of what a step saw.
        self.received.setdefault("roots/list", []).append("{}")
        return types.ListRootsResult.model_validate({"roots": self.options["roots"]})

    def info(self):
        return {
            "protocolVersion": self.client.protocol_version,
            "serverInfo": plain(self.client.server_info),
            "capabilities": plain(self.client.server_capabilities),
            "instructions": self.client.instructions,
        }

    async def request(self, method, params, progress):
        # These can be answered with a question, which the client above the session puts.
        if method == "prompts/get":
            return await self.client.get_prompt(params["name"], params.get("arguments"))
        if method == "resources/read":
            return await self.client.read_resource(params["uri"])
        # And this one keeps the schemas that results and headers are made by.
        if method == "tools/list":
            return await self.client.list_tools(cursor=params.get("cursor"))
        request = types.Request[dict | None, str](method=method, params=params)
        return await self.client.session.send_request(request, ANYTHING, PATIENCE, progress_callback=progress)

    async def until(self, method, matching=""):
        with anyio.fail_after(PATIENCE):
            while not any(matching in params for params in self.received.get(method, [])):
                await anyio.sleep(0.01)
        return {"method": method}

    async def listen(self, toolsListChanged=False, resourceSubscriptions=()):
        subscribed = self.client.listen(tools_list_changed=toolsListChanged, resource_subscriptions=resourceSubscriptions)
        return {"honoredFilter": plain((await self.listening.enter_async_context(subscribed)).honored)}

    async def perform(self, step, progress):
        if "call" in step:
            call = step["call"]
            return await self.client.call_tool(call["name"], call.get("arguments"), PATIENCE, progress)
        if "until" in step:
            return await self.until(**step["until"])
        if "listen" in step:
            return await self.listen(**step["listen"])
        return await self.request(step["request"]["method"], step["request"].get("params") or {}, progress)

    async def run(self, step):
        outcome, seen = {"kind": step.get("kind")}, 0
        scope = anyio.CancelScope()

        # Counting notifications cancels at a known point without looking at a clock.
        async def progress(*_):
            nonlocal seen
            seen += 1
            if seen == step.get("abortAfter"):
                scope.cancel()

        counts = step.get("progress") or "abortAfter" in step
        self.asked = []
        try:
            with scope:
                outcome["ok"] = plain(await self.perform(step, progress if counts else None))
            if scope.cancelled_caught:
                outcome["error"] = {"name": "Cancelled", "message": f"after {step['abortAfter']} progress notifications"}
        except Exception as error:
            outcome["error"] = failure(error)
        if step.get("progress"):
            outcome["progress"] = seen > 1
        if self.asked:
            outcome["asked"] = self.asked
        return outcome


async def main():
    if len(sys.argv) != 3:
        usage("usage: python client.py OPTIONS-JSON STEPS-JSON")
    options, steps = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    checked(options, steps)
    session = Session(options)
    code = 0
    try:
        async with session.client:
            if session.client.protocol_version != options.get("era", session.client.protocol_version):
                raise ValueError(f"the server speaks {session.client.protocol_version}")
            show({"kind": "connect", "ok": session.info()})
            async with session.listening:
                for step in steps:
                    show(await session.run(step))
    except Exception as error:
        show({"kind": "connect", "error": failure(error)})
        code = 1
    show({"kind": "end", "errors": session.errors})
    # Taking the modules apart takes longer than many a session.
    os._exit(code)


anyio.run(main)
