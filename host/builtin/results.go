package builtin

import (
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Results judges what comes back from a tool, in the words of [Args]. It is asked
// about the result as received and, if that is redacted, as it would be relayed.
//
// Policy:
//
//	tools:
//	  tracker/list_issues:
//	    results:
//	      - {arg: /structuredContent/workspace, in: [w-1]}
//
// Pointers are into the result. Where a result has no structured content, that is
// read from the text of its only block, if this is one JSON document. A violation
// denies: the client gets an error instead of the result. Codes are those of
// [Args], with RESULTS in place of ARGS.
type Results struct{ rules *Args }

// NewResults returns nil if the tool has no rule about results.
func NewResults(r *contract.Rules) (contract.Contract, error) {
	if len(r.Results) == 0 {
		return nil, nil
	}
	c, err := NewArgs(&contract.Rules{Server: r.Server, Kind: abi.KindMethod, Tool: r.Tool, Args: r.Results})
	rules, _ := c.(*Args)
	if err != nil || rules == nil {
		return nil, err
	}
	return &Results{rules}, nil
}

// Judge holds every rule against the result.
func (r *Results) Judge(s *abi.Snapshot) abi.Verdict {
	of := abi.Snapshot{Phase: s.Phase, Time: s.Time, Session: s.Session, Call: abi.Call{Kind: abi.KindMethod, Params: structured(s.Result)}}
	v := r.rules.Judge(&of)
	return asResult(v)
}

// structured is a result with structured content, which it may have as text only.
func structured(result abi.Value) abi.Value {
	blocks := result.Get("content").Items()
	if result.Get("structuredContent").Exists() || len(blocks) != 1 || !blocks[0].Get("text").IsString() {
		return result
	}
	v, err := abi.Parse([]byte(blocks[0].Get("text").Str()))
	if err != nil || v.Kind() != abi.Object && v.Kind() != abi.Array {
		return result
	}
	return result.With("structuredContent", v)
}

// ofResults are the words in which a verdict on a result differs from one on a
// call.
var ofResults = strings.NewReplacer("the argument ", "the result's ", "an argument ", "a value ", "arguments", "values", "the call ", "the result ")

// asResult makes a verdict on arguments one on a result.
func asResult(v abi.Verdict) abi.Verdict {
	if v.Outcome == abi.Abstain {
		return v
	}
	v.Outcome, v.Contract, v.Code, v.Reason = abi.Deny, "results", "RESULTS_"+strings.TrimPrefix(v.Code, "ARGS_"), ofResults.Replace(v.Reason)
	v.Mend = "ask for something else, or correct the rule"
	at := make([]string, len(v.At))
	for i, p := range v.At {
		at[i] = "/result" + strings.TrimPrefix(p, abi.KindMethod.Base())
	}
	v.At = at
	return v
}
