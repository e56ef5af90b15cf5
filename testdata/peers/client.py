"""A real MCP client: the Python SDK, driven by a JSON script.

    python client.py TARGET-JSON SCRIPT-JSON

README.md describes both arguments and the lines printed.
"""

import json
import os
import sys
import warnings

import anyio
import mcp.client.stdio
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from pydantic import BaseModel, TypeAdapter

warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

KINDS = ["info", "list", "call", "request", "notify", "received", "listen", "parallel"]
ANYTHING = TypeAdapter(dict)
# How long to wait for what a server was to send of its own accord, in seconds.
PATIENCE = 60


def usage(text):
    print(text, file=sys.stderr)
    sys.exit(2)


def show(line):
    print(json.dumps(line, ensure_ascii=False), flush=True)


def plain(value):
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


def check_steps(steps, where):
    """A misspelt step must fail before anything is sent, not halfway through a session."""
    if not isinstance(steps, list) or not steps:
        usage(f"{where} must be an array of at least one step")
    for i, step in enumerate(steps):
        at = f"{where}[{i}]"
        members(step, [*KINDS, "progress", "abortAfter", "timeout"], at)
        if len([kind for kind in KINDS if kind in step]) != 1:
            usage(f"{at} must have exactly one of {', '.join(KINDS)}")
        if "parallel" in step:
            check_steps(step["parallel"], f"{at}.parallel")
        if "received" in step and not all(isinstance(n, int) for n in dict(step["received"]).values()):
            usage(f"{at}.received must be an object of numbers")
        if "listen" in step:
            members(step["listen"], ["tools", "resources", "events", "during"], f"{at}.listen")
            check_steps(step["listen"]["during"], f"{at}.listen.during")


class Session:
    def __init__(self, options):
        self.options = options
        self.received = {}
        self.errors = []
        self.asked = []
        self.process = None
        self.heard = anyio.Event()
        answers = options.get("elicitation")
        self.answers = list(answers) if isinstance(answers, list) else [answers]
        self.client = Client(
            self.target(),
            mode=options.get("mode", "auto"),
            message_handler=self.take,
            elicitation_callback=self.elicit if "elicitation" in options else None,
            sampling_callback=self.sample if "sampling" in options else None,
            list_roots_callback=self.roots if "roots" in options else None,
            # What is held against each other is what comes over the wire.
            cache=None,
        )

    def target(self):
        if "url" in self.options:
            return self.options["url"]
        spawn = mcp.client.stdio._create_platform_compatible_process

        # How the child ended is not in the SDK's interface.
        async def keep(*args, **kwargs):
            self.process = await spawn(*args, **kwargs)
            return self.process

        mcp.client.stdio._create_platform_compatible_process = keep
        command, *args = self.options["command"]
        # The SDK passes six variables on; the tests set more than those.
        return StdioServerParameters(command=command, args=args, cwd=self.options.get("cwd"), env=dict(os.environ))

    async def take(self, message):
        if isinstance(message, Exception):
            self.errors.append(str(message))
        else:
            self.received[message.method] = self.received.get(message.method, 0) + 1
        self.heard.set()
        self.heard = anyio.Event()

    async def elicit(self, _, params):
        self.asked.append(f"elicitation/create: {params.message}")
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        return types.ElicitResult.model_validate(answer)

    async def sample(self, _, params):
        self.asked.append(f"sampling/createMessage: {json.dumps(plain(params)['messages'])}")
        return types.CreateMessageResult.model_validate(self.options["sampling"])

    async def roots(self, _):
        self.asked.append("roots/list")
        return types.ListRootsResult.model_validate({"roots": self.options["roots"]})

    def info(self):
        return {
            "protocolVersion": self.client.protocol_version,
            "serverInfo": plain(self.client.server_info),
            "capabilities": plain(self.client.server_capabilities),
            "instructions": self.client.instructions,
        }

    async def request(self, method, params, progress, timeout):
        # These can be answered with a question, which the client above the session puts.
        if method == "tools/call":
            name, arguments = params["name"], params.get("arguments")
            return await self.client.call_tool(name, arguments, timeout, progress, meta=params.get("_meta"))
        if method == "prompts/get":
            return await self.client.get_prompt(params["name"], params.get("arguments"))
        if method == "resources/read":
            return await self.client.read_resource(params["uri"])
        request = types.Request[dict | None, str](method=method, params=params)
        return await self.client.session.send_request(request, ANYTHING, timeout, progress_callback=progress)

    async def listen(self, what):
        """Perform steps while subscribed, and return what came of both."""
        events, during = [], []
        subscribed = self.client.listen(
            tools_list_changed=what.get("tools", False), resource_subscriptions=what.get("resources", [])
        )
        async with subscribed as events_of:
            for step in what["during"]:
                during.append(await self.run(step))
            with anyio.fail_after(PATIENCE):
                while len(events) < what["events"]:
                    events.append(str(await anext(events_of)))
        return {"events": events, "during": during, "honored": plain(events_of.honored)}

    async def perform(self, step, progress):
        timeout = step["timeout"] / 1000 if "timeout" in step else PATIENCE
        if "info" in step:
            return self.info()
        if "received" in step:
            with anyio.fail_after(PATIENCE):
                while any(self.received.get(m, 0) < n for m, n in step["received"].items()):
                    await self.heard.wait()
            return {m: self.received[m] for m in step["received"]}
        if "list" in step:
                cursor = step["list"]["cursor"] if isinstance(step["list"], dict) else None
            return await self.client.list_tools(cursor=cursor)
        if "call" in step:
            return await self.request("tools/call", step["call"], progress, timeout)
        if "listen" in step:
            return await self.listen(step["listen"])
        if "request" in step:
            members(step["request"], ["method", "params"], "request")
            return await self.request(step["request"]["method"], step["request"].get("params"), progress, timeout)
        notify = types.Notification[dict | None, str](method=step["notify"]["method"], params=step["notify"].get("params"))
        await self.client.session.send_notification(notify)
        return {}

    async def parallel(self, steps):
        outcomes = [None] * len(steps)

        async def one(i, step):
            outcomes[i] = await self.run(step)

        async with anyio.create_task_group() as tasks:
            for i, step in enumerate(steps):
                tasks.start_soon(one, i, step)
        return {"ok": outcomes}

    async def run(self, step):
        if "parallel" in step:
            return await self.parallel(step["parallel"])
        outcome, seen = {}, 0
        scope = anyio.CancelScope()

        # Counting notifications cancels at a known point without looking at a clock.
        async def progress(*_):
            nonlocal seen
            seen += 1
            if seen == step.get("abortAfter"):
                scope.cancel()

        counts = step.get("progress") or "abortAfter" in step
        try:
            with scope:
                outcome["ok"] = plain(await self.perform(step, progress if counts else None))
            if scope.cancelled_caught:
                outcome["error"] = {"name": "Cancelled", "message": f"after {seen} progress notifications"}
        except Exception as error:
            outcome["error"] = failure(error)
        if counts:
            outcome["progress"] = seen
        return outcome

    def end(self):
        code, signal = None, None
        if self.process is not None:
            code = self.process.returncode
            if code is not None and code < 0:
                code, signal = None, -code
        return {"exit": {"code": code, "signal": signal}, "received": self.received, "errors": self.errors, "asked": self.asked}


async def main():
    if len(sys.argv) != 3:
        usage("usage: python client.py TARGET-JSON SCRIPT-JSON")
    options, script = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    members(options, ["command", "url", "cwd", "mode", "roots", "sampling", "elicitation"], "TARGET-JSON")
    if ("command" in options) == ("url" in options):
        usage("TARGET-JSON must have either command or url")
    check_steps(script, "SCRIPT-JSON")
    session = Session(options)
    connected = False
    try:
        async with session.client:
            connected = True
            for i, step in enumerate(script):
                show({"step": i, **await session.run(step)})
    except Exception as error:
        if connected:
            session.errors.append(str(failure(error)))
        else:
            show({"connect": {"error": failure(error)}})
    show({"end": session.end()})
    return 0 if connected else 1


sys.exit(anyio.run(main))
