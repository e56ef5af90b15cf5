"""A real MCP server: the Python SDK, over stdio or HTTP, in both eras.

    python server.py stdio|http [RUNS-FILE]

README.md describes what it offers and what is printed.
"""

import os
import signal
import socket
import sys
import warnings
from pathlib import Path
from typing import Annotated

import anyio
import mcp_types as types
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, ListRoots, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPDeprecationWarning
from pydantic import BaseModel

# Logging, sampling and roots are what old and new peers are held against.
warnings.filterwarnings("ignore", category=MCPDeprecationWarning)

COUNTER = "note://counter"
PEOPLE = ["alice", "albert", "bob"]

server = MCPServer("callgate-python", version="1.0.0", instructions="Call what you like.", log_level="ERROR")
runs: Path | None = None
counter = 0


def ran(what: str) -> None:
    """Keep what was called, for whoever asks whether it was."""
    if runs is not None:
        with runs.open("a", encoding="utf-8") as file:
            file.write(what + "\n")


class Name(BaseModel):
    name: str


class Sum(BaseModel):
    total: int


def who() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


def model(topic: str) -> Sample:
    text = types.TextContent(type="text", text=f"Say something of {topic}")
    return Sample([types.SamplingMessage(role="user", content=text)], max_tokens=20)


def places() -> ListRoots:
    return ListRoots()


@server.tool()
def echo(message: str) -> str:
    """Answer with the message"""
    ran(f"echo {message}")
    return message


@server.tool()
def add(a: int, b: int) -> Sum:
    """Add two numbers, in a result with a schema"""
    ran(f"add {a} {b}")
    return Sum(total=a + b)


@server.tool()
def fail() -> str:
    """Fail as a tool fails"""
    ran("fail")
    raise ToolError("this tool fails")


@server.tool()
async def steps(count: int, ctx: Context) -> str:
    """Report progress, step by step"""
    for done in range(1, count + 1):
        await ctx.report_progress(done, count, f"step {done}")
        # An SDK that gets the last of them together with the result may be done with the call first.
        await anyio.sleep(0.1)
    ran(f"steps {count}")
    return f"{count} steps"


@server.tool()
async def wait(ctx: Context) -> str:
    """Report progress once, and end when cancelled"""
    ran("wait")
    try:
        await ctx.report_progress(1)
        await anyio.sleep_forever()
    finally:
        ran("wait cancelled")
    return "never"


@server.tool()
async def log(ctx: Context) -> str:
    """Log three lines while working"""
    for line in ("one", "two", "three"):
        await ctx.info(line)
    ran("log")
    return "logged"


@server.tool()
def hello(answer: Annotated[ElicitationResult[Name], Resolve(who)]) -> str:
    """Ask for a name, and greet"""
    ran(f"hello {answer.action}")
    return f"hello {answer.data.name}" if answer.action == "accept" else f"no name: {answer.action}"


@server.tool()
def forbidden(text: str) -> str:
    """Do what a policy denies"""
    ran(f"forbidden {text}")
    return f"done: {text}"


@server.tool()
def publish(text: str) -> str:
    """Do what a policy asks about"""
    ran(f"publish {text}")
    return f"published {text}"


@server.tool()
def welcome(answer: Annotated[ElicitationResult[Name], Resolve(who)]) -> str:
    """Do what a policy asks about, and ask as well"""
    ran(f"welcome {answer.action}")
    return f"welcome {answer.data.name}" if answer.action == "accept" else f"no name: {answer.action}"


@server.tool()
def sample(topic: str, said: Annotated[types.CreateMessageResult, Resolve(model)]) -> str:
    """Have the client's model speak"""
    ran(f"sample {topic}")
    return f"the model said: {said.content.text}"


@server.tool()
def roots(found: Annotated[types.ListRootsResult, Resolve(places)]) -> str:
    """List the client's roots"""
    ran("roots")
    return ", ".join(str(root.uri) for root in found.roots)


@server.tool()
async def count(ctx: Context) -> str:
    """Change the counter, and tell whoever subscribed to it"""
    global counter
    counter += 1
    ran(f"count {counter}")
    await ctx.notify_resource_updated(COUNTER)
    if COUNTER in subscribed:
        await ctx.session.send_resource_updated(COUNTER)
    return str(counter)


@server.tool()
async def grow(ctx: Context) -> str:
    """Offer one tool more, and say so"""
    ran("grow")
    if "grown" not in [tool.name for tool in await server.list_tools()]:
        server.add_tool(lambda: "grown", name="grown", description="Was not there at first")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return "grown"


@server.resource("note://static", mime_type="text/plain")
def static() -> str:
    """A note that stays as it is"""
    ran("read static")
    return "the static note"


@server.resource(COUNTER, mime_type="text/plain")
def read_counter() -> str:
    """How often the counter was changed"""
    ran("read counter")
    return str(counter)


@server.resource("note://byname/{name}", mime_type="text/plain")
def note(name: str) -> str:
    """A note of somebody"""
    ran(f"read {name}")
    return f"the note of {name}"


@server.prompt()
def greet(name: str) -> str:
    """Greet somebody"""
    ran(f"greet {name}")
    return f"Greet {name}."


@server.completion()
async def complete(ref, argument, context) -> types.Completion:
    ran(f"complete {argument.name} {argument.value}")
    return types.Completion(values=[p for p in PEOPLE if p.startswith(argument.value)], has_more=False)


# Revisions before 2026-07-28 subscribe and set the level of the log by requests
# of their own, which the high-level server has no decorators for.
subscribed: set[str] = set()


async def subscribe(_, params: types.SubscribeRequestParams) -> types.EmptyResult:
    ran(f"subscribe {params.uri}")
    subscribed.add(str(params.uri))
    return types.EmptyResult()


async def unsubscribe(_, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    ran(f"unsubscribe {params.uri}")
    subscribed.discard(str(params.uri))
    return types.EmptyResult()


async def set_level(_, params: types.SetLevelRequestParams) -> types.EmptyResult:
    ran(f"level {params.level}")
    return types.EmptyResult()


low = server._lowlevel_server
low.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
low.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
low.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)


async def serve_http() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = server.streamable_http_app(host="127.0.0.1")
    # A stream that a client holds open must not hold up the end.
    http = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(http.serve, [listener])
        while not http.started:
            await anyio.sleep(0.01)
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)


def main() -> None:
    global runs
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("stdio", "http"):
        sys.exit("usage: python server.py stdio|http [RUNS-FILE]")
    if len(sys.argv) == 3:
        runs = Path(sys.argv[2])
    if sys.argv[1] == "stdio":
        server.run("stdio")
        # Clients and gates wait for the end, and taking modules apart is slow.
        sys.stdout.flush()
        os._exit(0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        anyio.run(serve_http)
    except KeyboardInterrupt:
        pass


main()
