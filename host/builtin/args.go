package builtin

import (
	"fmt"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Args judges the values of a call's arguments, or of what another kind of call
// has in their place: nothing else of the session can change what it says.
//
// Policy:
//
//	settings: {max_argument_bytes: 1MiB}
//	tools:
//	  fs/write_file:
//	    undeclared: deny
//	    args:
//	      - {slot: path, allow: ["/srv/work/**"], deny: ["**/.git/**"], literal: true, fold: true}
//	      - {arg: limit, max: 1000}    # or a JSON Pointer; match, in, max, min, max_bytes, forbid, require
//	      - {arg: out, slot: path, allow: ["/srv/out/**"]}    # one argument, judged as a path
//	servers:
//	  notes:
//	    resources: {args: [{slot: path, allow: ["/srv/notes/**"]}]}
//	    requests: {sampling: {args: [{arg: maxTokens, max: 200}]}}
//
// A slot finds its values at any depth by argument name, by the pinned schema's
// format, and by `slots:`; the table in slots.go has one row for each. Under allow
// every value must match and one must be found; under deny none may match; a value
// that a server could read in two ways is refused. `symlinks: resolve` wants to
// see where links lead, see [linkedArgs]. An `arg:` constraint passes for an
// absent argument, unless the pinned schema requires it or the rule says `require`;
// the elements of an array are judged one by one. A resource has a `uri`, which is
// a path if it is a file URI or has no scheme; a prompt has a `name` and
// `arguments`, a completion `ref`, `argument` and `context`, any other kind its
// params.
//
// It abstains when nothing is violated. A violation yields the rule's verdict,
// deny or ask. Codes: ARGS_SLOT_OUTSIDE, ARGS_SLOT_DENIED, ARGS_SLOT_UNDECIDABLE,
// ARGS_SLOT_MISSING and others with the name of a slot, such as ARGS_PATH_LITERAL,
// ARGS_PATH_UNRESOLVED, ARGS_URL_SCHEME, ARGS_URL_PORT, ARGS_HOST_PRIVATE,
// ARGS_SECRET_PRESENT, ARGS_BYPASS_ON, ARGS_ROWS_MAX, ARGS_ROWS_UNBOUNDED and
// ARGS_SQL_TYPE; ARGS_MATCH, ARGS_IN, ARGS_MAX, ARGS_MIN, ARGS_BYTES,
// ARGS_FORBIDDEN, ARGS_REQUIRED, ARGS_TYPE (another type than the pinned schema
// states), ARGS_UNDECLARED, ARGS_UNKNOWN (the rule names an
// argument that the tool does not have), ARGS_CASE (a name that a
// case-insensitive server would take for another), ARGS_SIZE.
type Args struct {
	maxBytes     int64
	maxBytesAt   string
	undeclared   bool
	undeclaredAt string
	args         []argRule
	slots        []slotRule
	base         string // pointer that the values stand at
}

// NewArgs compiles the patterns of the rules. It returns nil if the tool has no
// rule about arguments.
func NewArgs(r *contract.Rules) (contract.Contract, error) {
	a := &Args{
		maxBytes: r.MaxArgumentBytes, maxBytesAt: r.MaxArgumentBytesAt, undeclared: r.Undeclared == contract.UndeclaredDeny, undeclaredAt: r.UndeclaredAt,
		base: r.Kind.Base(),
	}
	for i := range r.Args {
		rule := &r.Args[i]
		if rule.Slot == "" {
			compiled, err := newArgRule(rule, a.base)
			if err != nil {
				return nil, err
			}
			a.args = append(a.args, compiled)
			continue
		}
		compiled, err := newSlotRule(rule, r)
		if err != nil {
			return nil, err
		}
		a.slots = append(a.slots, compiled)
	}
	if a.maxBytes <= 0 && !a.undeclared && len(a.args) == 0 && len(a.slots) == 0 {
		return nil, nil
	}
	for i := range r.Args {
		if r.Args[i].Resolve {
			return &linkedArgs{*a}, nil
		}
	}
	return a, nil
}

// Judge holds every rule against the arguments and reports all that is wrong.
func (a *Args) Judge(s *abi.Snapshot) abi.Verdict {
	j := judging{call: &s.Call, place: &s.Session.Place, schema: schemaOf(&s.Definition.Schema), base: a.base}
	j.arguments, _ = s.Call.Values()
	if !j.arguments.Exists() {
		j.arguments = abi.ObjectValue()
	}
	if a.maxBytes > 0 && s.Call.Bytes > a.maxBytes {
		j.add(violation{
			code: "ARGS_SIZE", rule: a.maxBytesAt, at: a.base,
			reason: fmt.Sprintf("the call has %d bytes, more than the %d that the policy allows", s.Call.Bytes, a.maxBytes),
			mend:   "send less at once, or raise settings.max_argument_bytes",
		})
	}
	if a.undeclared {
		j.refuseUndeclared(a.undeclaredAt)
	}
	for i := range a.args {
		a.args[i].judge(&j)
	}
	for i := range a.slots {
		a.slots[i].judge(&j)
	}
	return joined("args", j.found)
}

// judging is one call under judgement.
type judging struct {
	call      *abi.Call
	arguments abi.Value
	schema    schema
	place     *abi.Place
	base      string // pointer of the arguments into the snapshot
	found     []violation
	trail     trail // of the rule that looks now
	at        place // of the value that is judged now
}

func (j *judging) add(v violation) { j.found = append(j.found, v) }

// refuseUndeclared refuses arguments that the pinned schema does not have. What
// patternProperties would declare is refused too.
func (j *judging) refuseUndeclared(rule string) {
	if j.schema.open() {
		return
	}
	for _, m := range j.arguments.Members() {
		if !j.schema.declares(m.Name) {
			j.add(violation{
				code: "ARGS_UNDECLARED", rule: rule, at: abi.Join(j.base, m.Name),
				reason: "the tool's pinned schema does not have this argument",
				mend:   "leave the argument out, or set undeclared: allow for the tool",
			})
		}
	}
}
