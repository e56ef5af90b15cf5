package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/locked"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

type pluginLockFlags struct {
	files                  []string
	trust                  string
	check, frozen, offline bool
	plain, json            bool
}

func pluginLockCmd(std stdio) *cobra.Command {
	var f pluginLockFlags
	cmd := &cobra.Command{
		Use:   "lock POLICY...",
		Short: "Pin the bundles that policies name, or check that they are",
		Long: "Looks up what the policies and those that they include name under plugins: in its file or in its registry, verifies it, and\n" +
			"writes its digests to the " + bundle.LockFile + " beside each policy file: what is served is what that pins, and tags are followed\n" +
			"here only. A pin that another takes the place of is shown as old → new; another plugin, an older version, or other bytes under\n" +
			"the same version are refused, and then no lock is written. --offline asks no registry: it pins what is in files, and leaves\n" +
			"references as the lock pins them. --frozen follows no tag: it gets what the lock pins and this machine does not have. --check\n" +
			"asks nobody: it says what would not be served here, and exits with 1 if there is any. Modules are pinned by the digest: of\n" +
			"their entry, not here.",
		RunE: func(cmd *cobra.Command, words []string) error {
			files, err := needPolicyWords(cmd, f.files, words)
			switch {
			case err != nil:
				return err
			case f.check && f.frozen, f.check && f.offline, f.frozen && f.offline:
				return errors.New("--check, --frozen and --offline: want one of them")
			case f.offline && f.plain:
				return errors.New("--plain-http: --offline asks no registry; leave one of them out")
			case f.check && (f.trust != "" || f.plain):
				return errors.New("--check: it asks nobody, and holds bundles to the trust file that serving reads; leave --trust and --plain-http out")
			}
			uses, err := lockUses(files)
			if err != nil {
				return err
			}
			if f.check {
				return pluginLockCheck(std, f, uses)
			}
			return pluginLock(cmd.Context(), std, f, uses)
		},
	}
	policyWordsFlag(cmd, &f.files)
	trustFlag(cmd, &f.trust)
	plainFlag(cmd, &f.plain)
	cmd.Flags().BoolVar(&f.check, "check", false, "change nothing and ask nobody: say what is not pinned, not here, or not trusted")
	cmd.Flags().BoolVar(&f.offline, "offline", false, "pin what is in files, and leave references as the lock pins them: ask no registry")
	cmd.Flags().BoolVar(&f.frozen, "frozen", false, "change no lock: get what it pins and this machine does not have")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object")
	return cmd
}

// lockUses lists the bundles that policies name.
func lockUses(files []string) ([]policy.Use, error) {
	uses, err := policy.Uses(files...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(uses, func(u policy.Use) bool { return !u.Bundle() }), nil
}

// lockGroup is what one lock is to pin.
type lockGroup struct {
	lock string
	uses []policy.Use
}

func (g *lockGroup) wants() (list []oci.Want) {
	for _, u := range g.uses {
		if !slices.ContainsFunc(list, func(w oci.Want) bool { return w.Text == u.Text && w.Path == u.Path }) {
			list = append(list, oci.Want{Text: u.Text, Path: u.Path, Place: u.Place()})
		}
	}
	return list
}

// get gets what the lock is to pin, or with --frozen what is missing of what it pins.
func (g *lockGroup) get(ctx context.Context, k *keeping, l *bundle.Lock, f pluginLockFlags) (list []*oci.Verified, err error) {
	switch {
	case f.frozen:
		return k.Refetch(ctx, l, g.wants(), oci.Options{PlainHTTP: f.plain})
	case f.offline:
		list, err = k.Here(l, g.wants())
	default:
		list, err = k.Get(ctx, g.wants(), oci.Options{PlainHTTP: f.plain})
	}
	if err != nil {
		return nil, err
	}
	if err := g.otherDigests(list); err != nil {
		return nil, failed(err)
	}
	return list, nil
}

// otherDigests says which entry of a policy states another digest than it would be served.
func (g *lockGroup) otherDigests(list []*oci.Verified) (err error) {
	for _, u := range g.uses {
		for _, v := range list {
			if v.Entry.Ref == u.Text && u.Digest != "" && u.Digest != v.Entry.Bundle {
				err = errors.Join(err, fmt.Errorf("%s: the entry states %s, and it is %s; state that, or leave digest: out", u.Place(), u.Digest, v.Entry.Bundle))
			}
		}
	}
	return err
}

// lockGroups parts uses by the lock that lies beside their policy.
func lockGroups(uses []policy.Use) (list []*lockGroup) {
	for _, u := range uses {
		lock := locked.LockOf(u.Policy)
		i := slices.IndexFunc(list, func(g *lockGroup) bool { return g.lock == lock })
		if i < 0 {
			i = len(list)
			list = append(list, &lockGroup{lock: lock})
		}
		list[i].uses = append(list[i].uses, u)
	}
	return list
}

// pluginLock gets everything of all locks before it writes any.
func pluginLock(ctx context.Context, std stdio, f pluginLockFlags, uses []policy.Use) error {
	k, err := openKeeper(f.trust)
	if err != nil {
		return err
	}
	groups := lockGroups(uses)
	all := make([]pinning, len(groups))
	var errs []error
	for i, g := range groups {
		read := writableLock
		if f.frozen { // it is not written
			read = readLock
		}
		l, err := read(g.lock)
		if err != nil {
			return err
		}
		all[i].lock = g.lock
		all[i].list, err = g.get(ctx, k, l, f)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return k.turnedDown(err)
	}
	if f.frozen {
		return pluginRefetched(std, f, k, all)
	}
	changes, err := keepAndPin(k, all)
	if err != nil {
		return err
	}
	show := lockedText
	if f.json {
		show = lockedJSON
	}
	_, err = std.out.Write(show(all, changes, unusedPins(groups)))
	return err
}

// unusedPins are references in a lock that none of the policies names, by lock. Others
// beside them may.
func unusedPins(groups []*lockGroup) map[string][]string {
	unused := map[string][]string{}
	for _, g := range groups {
		l, err := readLock(g.lock)
		if err != nil {
			continue // it was just written
		}
		for _, e := range l.Plugins {
			if !slices.ContainsFunc(g.uses, func(u policy.Use) bool { return u.Text == e.Ref }) {
				unused[g.lock] = append(unused[g.lock], e.Ref)
			}
		}
	}
	return unused
}

func lockedText(all []pinning, changes [][]oci.Change, unused map[string][]string) (b []byte) {
	if len(all) == 0 {
		return []byte("nothing to pin: no policy names a bundle under plugins:\n")
	}
	for i, p := range all {
		b = append(b, pulledText(p.lock, changes[i], p.list)...)
		for _, ref := range unused[p.lock] {
			b = fmt.Appendf(b, "unused  %s  by these policies; callgate plugin rm takes it out\n", oneLine(ref))
		}
	}
	return b
}

func lockedJSON(all []pinning, changes [][]oci.Change, unused map[string][]string) []byte {
	locks := make([]abi.Value, len(all))
	for i, p := range all {
		list := make([]abi.Value, len(p.list))
		for j, v := range p.list {
			list[j] = changeValue(changes[i][j], v)
		}
		locks[i] = object("lock", p.lock, "plugins", abi.ArrayValue(list...), "unused", stringsOf(unused[p.lock]))
	}
	return jsonLine(object("locks", abi.ArrayValue(locks...)))
}

// pluginRefetched keeps what locks pin already.
func pluginRefetched(std stdio, f pluginLockFlags, k *keeping, all []pinning) error {
	var list []*oci.Verified
	for _, p := range all {
		list = append(list, p.list...)
	}
	if err := k.Keep(list...); err != nil {
		return err
	}
	if f.json {
		got := make([]abi.Value, len(list))
		for i, v := range list {
			got[i] = entryValue(v.Entry)
		}
		_, err := std.out.Write(jsonLine(object("got", abi.ArrayValue(got...))))
		return err
	}
	var b []byte
	for _, v := range list {
		b = fmt.Appendf(b, "got     %s  %s\n  bundle    %s\n", oneLine(v.Entry.Ref), oneLine(v.Entry.Name+" "+v.Entry.Version), v.Entry.Bundle)
	}
	if len(list) == 0 {
		b = append(b, "nothing to get: all that is pinned is here\n"...)
	}
	_, err := std.out.Write(b)
	return err
}

// pluginLockCheck opens bundles as serving them does.
func pluginLockCheck(std stdio, f pluginLockFlags, uses []policy.Use) error {
	opener := locked.New(stateDir(), time.Now())
	var b []byte
	var list []abi.Value
	bad := 0
	for _, u := range uses {
		why := ""
		if o, err := opener.Open(u); err != nil {
			why = err.Error()
		} else if u.Digest != "" && u.Digest != o.Digest {
			why = fmt.Sprintf("the entry states %s, and the lock pins %s; state that, or leave digest: out", u.Digest, o.Digest)
		}
		list = append(list, object("policy", u.Named, "line", u.Line, "column", u.Column, "plugin", u.Name, "ref", u.Text, "ok", why == "", "why", stated(why)))
		if why == "" {
			b = fmt.Appendf(b, "ok      %s  %s\n", oneLine(u.Place()), oneLine(u.Text))
			continue
		}
		bad++
		b = fmt.Appendf(b, "wrong   %s  %s\n  %s\n", oneLine(u.Place()), oneLine(u.Text), oneLine(strings.TrimPrefix(why, u.Text+": ")))
	}
	b = fmt.Appendf(b, "%s, %d would not be served\n", plural.Of(len(uses), "bundle"), bad)
	if f.json {
		b = jsonLine(object("ok", bad == 0, "plugins", abi.ArrayValue(list...)))
	}
	if _, err := std.out.Write(b); err != nil {
		return err
	}
	if bad > 0 {
		return failed(nil)
	}
	return nil
}
