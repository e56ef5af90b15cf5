// A byte driver: writes lines to a command as they stand and keeps every byte it answers.
//
//   node record.mjs COMMAND-JSON LINES-JSON OUT-FILE
//
// README.md describes the arguments, the waiting rule and the report printed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { argument, command, ended, members, usage } from "./child.mjs";

// A line's own id tells when it is answered. Notifications and answers to the server have no answer.
function answerOf(text) {
  try {
    const frame = JSON.parse(text);
    if (frame?.method !== undefined && frame.id !== undefined) return [frame.id];
  } catch {
    // A line that is not JSON has no id to wait for; the script says "await" when it wants to.
  }
  return [];
}

function readLine(entry, i) {
  const line = typeof entry === "string" ? { line: entry } : entry;
  members(line, ["line", "base64", "eol", "await", "after"], `LINES-JSON[${i}]`);
  if ((typeof line.line === "string") === (typeof line.base64 === "string")) {
    usage(`LINES-JSON[${i}] must be a string, or an object with one of line, base64`);
  }
  const body = line.line === undefined ? Buffer.from(line.base64, "base64") : Buffer.from(line.line);
  const ids = line.await === undefined ? answerOf(body.toString()) : line.await;
  if (!Array.isArray(ids)) usage(`LINES-JSON[${i}].await must be an array of ids`);
  return { bytes: Buffer.concat([body, Buffer.from(line.eol ?? "\n")]), ids, after: line.after ?? [] };
}

class Recorder {
  constructor(child) {
    this.chunks = [];
    this.partial = Buffer.alloc(0);
    this.frames = 0;
    this.ids = new Map();
    this.methods = new Map();
    this.over = false;
    this.wake = () => {};
    child.stdout.on("data", (chunk) => this.take(chunk));
    const finish = () => {
      this.over = true;
      this.wake();
    };
    child.stdout.on("end", finish);
    child.on("error", (error) => {
      this.problem = `the command does not start: ${error.message}`;
      finish();
    });
    // A child that is gone shows up as the end of its output, which is reported with its place.
    child.stdin.on("error", () => {});
  }

  take(chunk) {
    this.chunks.push(chunk);
    this.partial = Buffer.concat([this.partial, chunk]);
    for (let end = this.partial.indexOf(10); end >= 0; end = this.partial.indexOf(10)) {
      this.note(this.partial.subarray(0, end).toString());
      this.partial = this.partial.subarray(end + 1);
    }
    this.wake();
  }

  note(text) {
    this.frames++;
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      return;
    }
    for (const one of Array.isArray(frame) ? frame : [frame]) {
      const [seen, key] = one?.method === undefined ? [this.ids, JSON.stringify(one?.id)] : [this.methods, one.method];
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
  }

  // Each arrival is used once, so a repeated id or method waits for its own.
  async until(seen, keys, what, deadline) {
    for (const key of keys) {
      while (!seen.get(key)) {
        if (this.over) return this.problem ?? `output ended while ${what} ${key}`;
        if (!(await this.next(deadline))) return `nothing came for ${deadline} ms while ${what} ${key}`;
      }
      seen.set(key, seen.get(key) - 1);
    }
    return null;
  }

  next(deadline) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), deadline);
      this.wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}

async function play(recorder, child, lines, deadline) {
  for (const [i, line] of lines.entries()) {
    const before = await recorder.until(recorder.methods, line.after, `line ${i} was waiting for the method`, deadline);
    if (before) return before;
    child.stdin.write(line.bytes);
    const ids = line.ids.map((id) => JSON.stringify(id));
    const answered = await recorder.until(recorder.ids, ids, `line ${i} was waiting for the answer to id`, deadline);
    if (answered) return answered;
  }
  return null;
}

// A server that ignores the end of its input is told so, and that it had to be is part of the report.
async function finish(child, exit, grace) {
  child.stdin.end();
  let forced = "";
  const stop = (signal) => () => {
    forced = signal;
    child.kill(signal);
  };
  const timers = [
    setTimeout(stop("SIGTERM"), grace),
    setTimeout(stop("SIGKILL"), grace + 2000),
    // A grandchild that inherited the pipe keeps it open after the child is dead.
    setTimeout(() => child.stdout.destroy(), grace + 3000),
  ];
  const how = await exit;
  timers.forEach(clearTimeout);
  return { exit: how, forced };
}

if (process.argv.length !== 5) usage("usage: node record.mjs COMMAND-JSON LINES-JSON OUT-FILE");
const options = command(process.argv[2], ["timeout", "grace"]);
const script = argument(process.argv[3], "LINES-JSON");
if (!Array.isArray(script) || script.length === 0) usage("LINES-JSON must be an array of at least one line");
const lines = script.map(readLine);
const child = spawn(options.command[0], options.command.slice(1), { cwd: options.cwd, stdio: ["pipe", "pipe", "inherit"] });
const exit = ended(child, "close");
const recorder = new Recorder(child);
const stopped = await play(recorder, child, lines, options.timeout ?? 30000);
const end = await finish(child, exit, options.grace ?? 3000);
const bytes = Buffer.concat(recorder.chunks);
writeFileSync(process.argv[4], bytes);
const sha256 = createHash("sha256").update(bytes).digest("hex");
process.stdout.write(`${JSON.stringify({ bytes: bytes.length, sha256, frames: recorder.frames, stopped: stopped ?? "", ...end })}\n`);
process.exitCode = stopped ? 1 : 0;
