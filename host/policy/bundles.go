package policy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// Opened is a bundle that may be served.
type Opened struct {
	contract.Bundle
	Module []byte // with its manifest
}

// unpack opens the bundle that an entry names, and notes which one it is. A digest
// that the entry states is the bundle's.
func (l *loader) unpack(y *layer, i int) (module []byte, below string, err error) {
	if l.bundle == nil {
		return nil, "/use", errors.New("a bundle, and none is opened here; name a module")
	}
	b, err := l.bundle(y.use(i))
	if err != nil {
		return nil, "/use", err
	}
	if stated := y.doc.Plugins[i].Digest; stated != "" && stated != b.Digest {
		return nil, "/digest", fmt.Errorf("the bundle that is pinned is another one, %s; state its digest if it is wanted, or leave digest out: the lock pins it", b.Digest)
	}
	if y.bundles == nil {
		y.bundles = map[int]contract.Bundle{}
	}
	y.bundles[i] = b.Bundle
	return b.Module, "", nil
}

// bundlesValue are the bundles of a file in [Policy.Value]; absent: it has none.
func (y *layer) bundlesValue() abi.Value {
	var list []abi.Value
	for _, i := range slices.Sorted(maps.Keys(y.bundles)) {
		b := y.bundles[i]
		list = append(list, object("plugin", abi.IntValue(int64(i)), "digest", abi.StringValue(b.Digest), "name", abi.StringValue(b.Name),
			"version", abi.StringValue(b.Version), "keys", texts(b.Keys)))
	}
	if list == nil {
		return abi.Value{}
	}
	return abi.ArrayValue(list...)
}

// readBundles is the inverse of bundlesValue, which finds what is in no canonical
// form.
func (y *layer) readBundles(v abi.Value) error {
	for _, item := range v.Items() {
		i, err := strconv.Atoi(item.Get("plugin").Lexeme())
		if _, again := y.bundles[i]; err != nil || again || i < 0 || i >= len(y.doc.Plugins) || !namesBundle(y.doc.Plugins[i].Use) {
			return fmt.Errorf("bundles: %s is of no entry of plugins that names a bundle", item)
		}
		b := contract.Bundle{Digest: item.Get("digest").Str(), Name: item.Get("name").Str(), Version: item.Get("version").Str()}
		for _, k := range item.Get("keys").Items() {
			b.Keys = append(b.Keys, k.Str())
		}
		if err := checkText("digest", b.Digest); err != nil || !abi.IsPluginName(b.Name) || b.Version == "" || !slices.IsSorted(b.Keys) {
			return fmt.Errorf("bundles: %s is no bundle", item)
		}
		if y.bundles == nil {
			y.bundles = map[int]contract.Bundle{}
		}
		y.bundles[i] = b
	}
	return nil
}
