package main

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
	"github.com/callgate/callgate/host/policy"
)

// bundleText says for people what bundle a plugin of a policy is from, "" for none.
func bundleText(b contract.Bundle) string {
	if b.Digest == "" {
		return ""
	}
	return b.Name + " " + b.Version + ", bundle " + b.Digest + " signed by " + strings.Join(b.Keys, ", ")
}

// bundleValue says it for programs; absent: it is from none.
func bundleValue(b contract.Bundle) abi.Value {
	if b.Digest == "" {
		return abi.Value{}
	}
	return object("digest", b.Digest, "name", b.Name, "version", b.Version, "keys", stringsOf(b.Keys))
}

// recordedBundles are the bundles of a recorded policy, by digest.
func recordedBundles(v abi.Value) map[string]contract.Bundle {
	list := map[string]contract.Bundle{}
	p, err := policy.Decode(v)
	if err != nil {
		return list
	}
	for _, ref := range p.Plugins() {
		if ref.Bundle.Digest != "" {
			list[ref.Bundle.Digest] = ref.Bundle
		}
	}
	return list
}

// policyText says which policy was put into force: its name, and the plugins that it
// has from bundles.
func policyText(v abi.Value) string {
	p, err := policy.Decode(v)
	if err != nil {
		return ""
	}
	text := p.Name()
	for _, ref := range p.Plugins() {
		if from := bundleText(ref.Bundle); from != "" {
			text += "; plugin " + ref.Name + ": " + from
		}
	}
	return text
}

// receiptBundle says what bundle the receipt of a verdict names, with what the
// policy in force then knew of it.
func (in *incident) receiptBundle(v abi.Verdict) string {
	if v.Plugin == nil || v.Plugin.Bundle == "" {
		return ""
	}
	if b, ok := recordedBundles(in.policy)[v.Plugin.Bundle]; ok {
		return bundleText(b)
	}
	return v.Plugin.Bundle
}

// receiptBundles are those that the receipts of an incident name; absent: none does.
func (in *incident) receiptBundles() abi.Value {
	var list []abi.Value
	var seen []string
	known := recordedBundles(in.policy)
	for _, v := range append([]abi.Verdict{in.verdict()}, in.verdict().Also...) {
		if v.Plugin == nil || v.Plugin.Bundle == "" || slices.Contains(seen, v.Plugin.Bundle) {
			continue
		}
		seen = append(seen, v.Plugin.Bundle)
		if b, ok := known[v.Plugin.Bundle]; ok {
			list = append(list, bundleValue(b))
		}
	}
	if list == nil {
		return abi.Value{}
	}
	return abi.ArrayValue(list...)
}
