// A host allow-list for the argument url. ../../testdata/README.md has its rules.
import { INFO, Kind, Value, Verdict, Wrong, abstain, call, deny, log, register, wrong } from "../assembly/index";

export { callgate_abi_1_0, callgate_configure, callgate_evaluate } from "../assembly/index";

const MAX_URL = 4096;
const MAX_HOST = 253;
const MAX_HOSTS = 64;

const hosts = new Set<string>();

function isHost(s: string): bool {
  for (let i = 0; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c == 0x2e || c == 0x2d)) return false;
  }
  return s.length > 0 && s.length <= MAX_HOST;
}

function configure(settings: Value): Wrong | null {
  const list = settings.get("hosts");
  let n = 0;
  for (const it = list.items(); it.next(); n++) {
    if (n == MAX_HOSTS) return wrong(list, "want 64 host names at most");
    const host = it.value.text();
    if (!isHost(host)) return wrong(it.value, "want a host name in lower case, such as corp.example");
    hosts.add(host);
  }
  return n == 0 ? wrong(list, "want a list of host names, such as corp.example") : null;
}

function isPort(s: string): bool {
  for (let i = 0; i < s.length; i++) if (s.charCodeAt(i) < 0x30 || s.charCodeAt(i) > 0x39) return false;
  return s.length >= 1 && s.length <= 5;
}

function passes(url: string): bool {
  if (url.length > MAX_URL) return false;
  for (let i = 0; i < url.length; i++) {
    const c = url.charCodeAt(i);
    if (c <= 0x20 || c > 0x7e || c == 0x5c) return false;
  }
  url = url.toLowerCase();
  const from = url.startsWith("https://") ? 8 : url.startsWith("http://") ? 7 : 0;
  if (from == 0) return false;
  let end = from;
  while (end < url.length && url.charAt(end) != "/" && url.charAt(end) != "?" && url.charAt(end) != "#") end++;
  const authority = url.substring(from, end);
  const colon = authority.indexOf(":");
  return colon < 0 ? hosts.has(authority) : hosts.has(authority.substring(0, colon)) && isPort(authority.substring(colon + 1));
}

function judge(): Verdict | null {
  const url = call.argument("/url").fetch();
  const kind = url.kind();
  const text = url.text();
  if (kind == Kind.ABSENT || (kind == Kind.STRING && passes(text))) return abstain();
  if (kind == Kind.STRING && String.UTF8.byteLength(text) <= MAX_URL) log(INFO, text);
  return deny("HOST").because("url names no host that is listed").at(url.pointer());
}

register(judge, configure);
