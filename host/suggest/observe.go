package suggest

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/policy"
	"github.com/callgate/callgate/host/replay"
)

// call is one recorded call with what was found out about it.
type call struct {
	id        string
	name      toolName
	arguments abi.Value
	place     abi.Place
	schema    abi.Value
	files     []filePath    // what its path arguments name
	targets   []abi.Finding // destinations that nothing vouches for
	declared  []string      // of the tool's sink
	verdict   abi.Verdict   // under the base policy
	refused   string        // why it is not granted, "" if it is; made of host words and quoted text
	tainted   bool          // something that it sends came from an output
	nowhere   bool          // it names no destination
	byPerson  bool          // the policy that was in force asks about its tool
	asks      bool          // under the draft a person is asked about it
	unlearnt  bool          // the ledger does not have its arguments
	gap       bool          // what another server of its group had said by then is not there
}

// filePath is a path that a call names.
type filePath struct {
	at        string // pointer into the arguments
	canonical string
	whole     bool // the string at the pointer is the path, and nothing else
	dir       bool // it is a directory, as far as names tell
}

// observation is what a replay under the base policy shows.
type observation struct {
	calls   []*call
	byID    map[string]*call
	most    map[toolName]int64 // calls of a tool in one session, at most
	tainted map[identity]abi.Evidence
}

// identity is a destination as trust compares it.
type identity struct{ kind, text string }

// observer replays merged ledgers and keeps what each call was.
type observer struct {
	observation
	s      *survey
	player *replay.Player
	watch  *watch
	places map[int]abi.Place // by ledger
	place  abi.Place         // that the player is at
	index  uint64
	counts map[toolName]int64 // in the running session
	last   map[string]time.Time
}

// observed replays the ledgers as one session under a policy that observes:
// default allow, with the packs, heuristics and sinks that will hold.
func observed(ledgers []Ledger, s *survey, o Options) (*observation, error) {
	base, err := load(o, basePolicy(s, nil))
	if err == nil {
		s.plain = base
		if more := basePolicy(s, base); len(more) > len(basePolicy(s, nil)) {
			base, err = load(o, more)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the policy to observe with does not load: %w", err)
	}
	w := &watch{}
	ob := &observer{
		observation: observation{byID: map[string]*call{}, most: map[toolName]int64{}, tainted: map[identity]abi.Evidence{}},
		s:           s, watch: w, places: map[int]abi.Place{}, place: s.place, counts: map[toolName]int64{}, last: map[string]time.Time{},
	}
	ob.player = replay.New(replay.Options{Policy: base, Specs: w.table(o.Specs), Place: s.place, Keep: true, Prior: ob.prior(ledgers), Text: textOf(ledgers)})
	if _, err := ob.feed(abi.Event{Session: &abi.SessionEvent{ID: "suggest", New: true, Place: s.place, Protected: s.protected}}); err != nil {
		return nil, err
	}
	err = merged(ledgers, func(file int, v abi.Value, e abi.Event) error { return ob.event(file, v, e) })
	return &ob.observation, err
}

// feed gives the player an event of our own.
func (ob *observer) feed(e abi.Event) ([]abi.Event, error) {
	v, err := abi.Parse(e.Append(nil))
	if err != nil {
		return nil, err
	}
	answers, _, err := ob.player.Feed(v, ob.index)
	ob.index++
	return answers, err
}

// event replays one event. Sessions are not: what was tainted in one stays so
// for the next, since the policy that comes out is for all of them.
func (ob *observer) event(file int, v abi.Value, e abi.Event) error {
	switch {
	case e.Session != nil:
		ob.places[file] = e.Session.Place
		ob.session(e)
		return nil
	case e.Read != nil && ob.own(e.Read.File):
		return nil
	case e.Approval != nil, e.User != nil, e.Facts != nil:
		return nil // what loosens, or moves the place that we keep
	case e.Call != nil && e.Call.Kind.FromServer():
		return ob.asked(e)
	case e.Call != nil && !e.Call.Kind.IsTool():
		return nil
	case e.Call != nil:
		if err := ob.moveTo(ob.places[file]); err != nil {
			return err
		}
	}
	if e.Call != nil || e.Result != nil {
		for server := range ob.last {
			ob.last[server] = e.Time
		}
		ob.last[serverOf(e)] = e.Time
	}
	answers, _, err := ob.player.Feed(v, ob.index)
	ob.index++
	switch {
	case err != nil:
	case e.Call != nil:
		ob.called(e.Call, answers)
	case e.Result != nil:
		err = ob.uncover(e.Result.Server, e.Result.Value, e.Result.Error)
	case e.Frame != nil:
		err = ob.uncover(e.Frame.Server, e.Frame.Frame)
	case e.Tools != nil:
		err = ob.uncover(e.Tools.Server, e.Tools.Definitions()...)
	case e.Server != nil:
		err = ob.uncover(e.Server.Server, e.Server.Result)
	}
	return err
}

// asked takes in what a server asked of its client: its text, and no call that
// anything is learnt from.
func (ob *observer) asked(e abi.Event) error {
	_, err := ob.feed(abi.Event{Text: e.Text, Frame: &abi.FrameEvent{Server: e.Call.Server, Method: e.Call.Target(), Frame: e.Call.Params}})
	if err != nil {
		return err
	}
	return ob.uncover(e.Call.Server, e.Call.Params)
}

// uncover has what a server's output hides count as an output, too.
func (ob *observer) uncover(server string, values ...abi.Value) error {
	text := hidden(abi.ArrayValue(values...))
	if text == "" {
		return nil
	}
	_, err := ob.feed(abi.Event{Frame: &abi.FrameEvent{Server: server, Method: "decoded", Frame: abi.ObjectValue(
		abi.Member{Name: "decoded", Value: abi.StringValue(text)},
	)}})
	return err
}

func serverOf(e abi.Event) string {
	if e.Call != nil {
		return e.Call.Server
	}
	return e.Result.Server
}

// session ends the counts of a server whose process starts anew after the idle
// time, as the gate does.
func (ob *observer) session(e abi.Event) {
	server := e.Session.Server
	if last := ob.last[server]; !e.Session.New && !last.IsZero() && e.Time.Sub(last) <= policy.DefaultSessionIdle {
		return
	}
	for t := range ob.counts {
		if t.server == server {
			delete(ob.counts, t)
		}
	}
}

// own says whether a file is among those that are merged anyway.
func (ob *observer) own(id string) bool {
	for _, known := range ob.s.ids {
		if id != "" && (strings.HasPrefix(known, id) || strings.HasPrefix(id, known)) {
			return true
		}
	}
	return false
}

// prior reads the files of the group that are not merged, without their sessions.
func (ob *observer) prior(ledgers []Ledger) func(abi.ReadEvent, func(abi.Event) error) error {
	for _, l := range ledgers {
		if l.Prior == nil {
			continue
		}
		read := l.Prior()
		return func(r abi.ReadEvent, each func(abi.Event) error) error {
			return read(r, func(e abi.Event) error {
				if e.Session != nil {
					return nil
				}
				return each(e)
			})
		}
	}
	return nil
}

// textOf reads the text of the group: its files keep it in one place.
func textOf(ledgers []Ledger) abi.TextReader {
	for _, l := range ledgers {
		if l.Text != nil {
			return l.Text
		}
	}
	return nil
}

// moveTo has the player stand where the process of a ledger stood.
func (ob *observer) moveTo(place abi.Place) error {
	if place == (abi.Place{}) || place == ob.place {
		return nil
	}
	ob.place = place
	_, err := ob.feed(abi.Event{Facts: &abi.FactsEvent{Facts: abi.ObjectValue(
		abi.Member{Name: "cwd", Value: abi.StringValue(place.Dir)}, abi.Member{Name: "home", Value: abi.StringValue(place.Home)},
	)}})
	return err
}

// called keeps what a call was.
func (ob *observer) called(e *abi.Call, answers []abi.Event) {
	c := &call{id: e.ID, name: toolName{e.Server, e.Tool}, arguments: e.Arguments, place: ob.place, gap: ob.player.Gap}
	for _, a := range answers {
		if a.Verdict != nil {
			c.verdict = *a.Verdict
		}
	}
	if s := ob.watch.take(); s != nil {
		c.arguments, c.schema, c.place = s.snap.Call.Arguments, s.snap.Definition.Schema, s.snap.Session.Place
		c.files, c.targets, c.declared = s.files, s.targets, s.declared
		if s.secret {
			c.refused = "it names a file that looks like a secret"
		}
		for i := range s.found {
			ob.note(&s.found[i])
		}
	}
	c.unlearnt = c.verdict.Missing || c.verdict.Code == "TEXT_GONE"
	if c.id == "" {
		c.id = c.verdict.ID
	}
	ob.counts[c.name]++
	ob.most[c.name] = max(ob.most[c.name], ob.counts[c.name])
	ob.calls = append(ob.calls, c)
	ob.byID[c.id] = c
}

// note remembers a value that came from an output. What the caller named first
// and an output repeats did not come from there.
func (ob *observer) note(f *abi.Finding) {
	for _, e := range f.Evidence {
		if e.Position != abi.Echo {
			ob.taint(f, e)
			return
		}
	}
	if f.Spoiled != "" {
		ob.taint(f, abi.Evidence{Position: abi.Lookalike})
	}
}

func (o *observation) taint(f *abi.Finding, e abi.Evidence) {
	id := identity{f.Kind, f.Identity}
	if _, ok := o.tainted[id]; !ok {
		o.tainted[id] = e
	}
}
