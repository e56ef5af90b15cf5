package main

import (
	"fmt"
	"strconv"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/cases"
	"github.com/callgate/callgate/host/plural"
	"github.com/callgate/callgate/host/policy"
)

// covered is one rule of the policies under test, and how often it fired.
type covered struct {
	place policy.Place
	fired int
}

// cover counts which rules of the policies fired. Several cases files may be
// about one policy, so a rule is known by its file and place.
type cover struct {
	rules []*covered
	known map[[2]string]*covered
}

// count takes in what the cases of one file did under their policy.
func (c *cover) count(p *policy.Policy, results []cases.Result) {
	if c.known == nil {
		c.known = map[[2]string]*covered{}
	}
	var here []*covered
	for _, place := range p.Places() {
		id := [2]string{place.File, place.At}
		if c.known[id] == nil {
			c.known[id] = &covered{place: place}
			c.rules = append(c.rules, c.known[id])
		}
		here = append(here, c.known[id])
	}
	for _, r := range results {
		for _, rule := range r.Rules {
			for _, one := range here {
				if one.place.Names(rule) {
					one.fired++
				}
			}
		}
		for _, label := range r.Labels {
			for _, one := range here {
				if one.place.Label == label {
					one.fired++
				}
			}
		}
		for _, text := range r.Texts {
			for _, one := range here {
				if one.place.With == text {
					one.fired++
				}
			}
		}
	}
}

// hit counts the rules that fired.
func (c *cover) hit() int {
	n := 0
	for _, r := range c.rules {
		if r.fired > 0 {
			n++
		}
	}
	return n
}

// percent is the share of rules that fired, rounded down.
func (c *cover) percent() int {
	if len(c.rules) == 0 {
		return 0
	}
	return 100 * c.hit() / len(c.rules)
}

// judge says what is wrong with the cover, where at least a share is wanted.
func (c *cover) judge(least int) error {
	switch {
	case len(c.rules) == 0:
		return fmt.Errorf("no rules; --cover counts those of the policy files that the cases name")
	case 100*c.hit() < least*len(c.rules):
		return fmt.Errorf("%d of %s fired, which is %d %%; want %d %%: add a case for each rule that never fired", c.hit(), plural.Of(len(c.rules), "rule"), c.percent(), least)
	}
	return nil
}

func (c *cover) text() []byte {
	var b []byte
	for _, r := range c.rules {
		how := "never fired"
		if r.fired > 0 {
			how = "fired " + strconv.Itoa(r.fired) + "x"
		}
		b = fmt.Appendf(b, "%s: %s\n", oneLine(r.place.Rule), how)
	}
	return fmt.Appendf(b, "%s, %d fired, %d never: %d %%\n", plural.Of(len(c.rules), "rule"), c.hit(), len(c.rules)-c.hit(), c.percent())
}

func (c *cover) value() abi.Value {
	list := make([]abi.Value, len(c.rules))
	for i, r := range c.rules {
		list[i] = object("file", stated(r.place.File), "at", r.place.At, "rule", r.place.Rule, "fired", r.fired)
	}
	return object("rules", len(c.rules), "fired", c.hit(), "percent", c.percent(), "list", abi.ArrayValue(list...))
}
