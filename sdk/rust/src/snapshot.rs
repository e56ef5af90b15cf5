//! What the plugin is asked about. Of it there is what the manifest reads;
//! everything else is absent.

use crate::value::{at, Value};

/// One of "call", "result" and "list".
pub fn phase() -> &'static str {
    at("/phase").text()
}

/// When it is decided, in RFC 3339; a replay has the same.
pub fn time() -> &'static str {
    at("/time").text()
}

/// The policy's settings, an object.
pub fn settings() -> Value {
    at("/settings")
}

/// What the server answered, in phase result.
pub fn result() -> Value {
    at("/result")
}

/// What is known of where arguments came from.
pub fn taint() -> impl Iterator<Item = Finding> {
    at("/taint").items().map(Finding)
}

/// A call. What it has depends on its kind; the rest is absent.
pub mod call {
    use crate::value::{at, Value};

    /// tool, resource, prompt, completion, sampling, elicitation, roots or method.
    pub fn kind() -> &'static str {
        at("/call/kind").text()
    }
    /// The policy's name of the server.
    pub fn server() -> &'static str {
        at("/call/server").text()
    }
    pub fn tool() -> &'static str {
        at("/call/tool").text()
    }
    /// What names the call in the ledger.
    pub fn id() -> &'static str {
        at("/call/id").text()
    }
    pub fn digest() -> &'static str {
        at("/call/digest").text()
    }
    /// What counts the calls of the session.
    pub fn seq() -> i64 {
        at("/call/seq").int().unwrap_or(0)
    }
    /// The arguments of a tool or a prompt, an object.
    pub fn arguments() -> Value {
        at("/call/arguments")
    }
    /// The one that a JSON Pointer from the arguments on leads to.
    pub fn argument(pointer: &str) -> Value {
        arguments().at(pointer)
    }
    /// A member of the call, such as uri, action, name, ref, method and params; "" is
    /// all of it. A client that subscribes to several resources at once has a list of
    /// them as uri.
    pub fn get(member: &str) -> Value {
        let call = at("/call");
        if member.is_empty() {
            return call;
        }
        call.get(member)
    }
    /// What the caller chose, whatever the kind: the arguments of a tool, the params
    /// of sampling, elicitation, roots and unknown methods, and the whole call of a
    /// resource, a prompt and a completion.
    pub fn values() -> Value {
        match kind() {
            "" | "tool" => arguments(),
            "resource" | "prompt" | "completion" => get(""),
            _ => get("params"),
        }
    }
}

/// What a tool says of itself.
pub mod definition {
    use crate::value::{at, Value};

    /// The digest of the definition that was accepted.
    pub fn pin() -> &'static str {
        at("/definition/pin").text()
    }
    /// Says whether the definition is the one that was accepted.
    pub fn pinned() -> bool {
        at("/definition/pinned").bool()
    }
    pub fn annotations() -> Value {
        at("/definition/annotations")
    }
    pub fn schema() -> Value {
        at("/definition/schema")
    }
}

/// What happened before.
pub mod session {
    use crate::value::{at, Value};

    pub fn id() -> &'static str {
        at("/session/id").text()
    }
    /// Those that a plugin gave start with the name that the policy gave it, and a
    /// colon. [ANY_LABEL](crate::ANY_LABEL) among them says that it may have any
    /// other, too.
    pub fn labels() -> impl Iterator<Item = &'static str> {
        at("/session/labels").items().map(Value::text)
    }
    /// Whether the session has a label, or may have it.
    pub fn has(label: &str) -> bool {
        labels().any(|l| l == label || l == crate::ANY_LABEL)
    }
    /// Whether a plugin gave the session a label, or may have: this one or another,
    /// since none knows the name that the policy gave it.
    pub fn marked(label: &str) -> bool {
        labels().any(|l| l == crate::ANY_LABEL || l.strip_suffix(label).map_or(false, |name| name.ends_with(':')))
    }
    /// One of calls, denied and this_tool.
    pub fn count(name: &str) -> i64 {
        at("/session/counts").get(name).int().unwrap_or(0)
    }
    /// Who uses the session: subject, issuer, identity, actors.
    pub fn principal() -> Value {
        at("/session/principal")
    }
    /// An array of the last calls, newest last: id, outcome, server, tool.
    pub fn recent() -> Value {
        at("/session/recent")
    }
    /// Says whether there were more calls than recent has.
    pub fn truncated() -> bool {
        at("/session/truncated").bool()
    }
}

/// What a server lists.
pub mod list {
    use crate::value::{at, Iter};

    /// tools, resources, resource_templates or prompts.
    pub fn kind() -> &'static str {
        at("/list/kind").text()
    }
    pub fn items() -> Iter {
        at("/list/items").items()
    }
}

/// What is known of where one value came from.
#[derive(Clone, Copy, Debug)]
pub struct Finding(pub Value);

impl Finding {
    /// Points at the value into the snapshot.
    pub fn at(self) -> &'static str {
        self.0.get("at").text()
    }
    /// Says whether it is about the name of the member that at points at.
    pub fn is_key(self) -> bool {
        self.0.get("key").bool()
    }
    /// tainted, unproven, client or trusted.
    pub fn origin(self) -> &'static str {
        self.0.get("origin").text()
    }
    pub fn labels(self) -> impl Iterator<Item = &'static str> {
        self.0.get("labels").items().map(Value::text)
    }
    /// An array of where it was seen: call, server, tool, pointer, offset, length,
    /// position.
    pub fn sources(self) -> Value {
        self.0.get("sources")
    }
}
