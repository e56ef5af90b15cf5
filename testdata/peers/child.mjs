// What both drivers share: reading their arguments and waiting for an end.
import { readFileSync } from "node:fs";

/** Ends the driver with exit code 2: it was called wrongly, no peer is at fault. */
export function usage(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/** Parses a JSON argument; "-" reads standard input, for scripts longer than an argument may be. */
export function argument(text, name) {
  if (text === undefined) usage(`argument ${name} is missing`);
  try {
    return JSON.parse(text === "-" ? readFileSync(0, "utf8") : text);
  } catch (error) {
    return usage(`argument ${name} is not JSON: ${error.message}`);
  }
}

/** Reads COMMAND-JSON: ["node", "x.js"], or {"command": ["node", "x.js"], ...} with the driver's own members. */
export function command(text, known) {
  const value = argument(text, "COMMAND-JSON");
  const options = Array.isArray(value) ? { command: value } : value;
  const words = options?.command;
  if (!Array.isArray(words) || words.length === 0 || words.some((word) => typeof word !== "string")) {
    usage('COMMAND-JSON must be an array of strings, or an object with such an array as "command"');
  }
  members(options, ["command", "cwd", ...known], "COMMAND-JSON");
  return options;
}

/** Refuses members that the driver would ignore: a misspelt one would make a test pass for the wrong reason. */
export function members(object, known, where) {
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) usage(`${where} has the unknown member ${JSON.stringify(name)}; known: ${known.join(", ")}`);
  }
}

/**
 * Resolves to {code, signal} of a child, or null when it did not start: on "exit" when the process is
 * gone, on "close" when its output is read to the end too.
 */
export function ended(child, event) {
  return new Promise((resolve) => {
    child.once(event, (code, signal) => resolve({ code, signal }));
    child.once("error", () => resolve(null));
  });
}
