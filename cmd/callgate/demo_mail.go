package main

import (
	"context"
	"errors"

	"github.com/callgate/callgate/abi"
)

// demoStolen is the mail that the poisoned message orders.
func demoStolen() demoMail {
	return demoMail{to: []string{demoStranger}, subject: "Fwd: Door codes", body: demoSecret}
}

func demoString(name, value string) abi.Value {
	return abi.ObjectValue(abi.Member{Name: name, Value: abi.StringValue(value)})
}

// reads lets the assistant read the inbox, poison included.
func (a *demoClient) reads(ctx context.Context, s *demoScene) {
	a.calls(ctx, s, "search_emails", demoString("query", ""), demoWant{says: []string{"id 2"}, meaning: "answered by the mailbox"})
	a.calls(ctx, s, "read_email", demoString("id", "2"), demoWant{
		says: []string{demoStranger}, meaning: "answered by the mailbox; now the assistant is hijacked",
	})
	a.calls(ctx, s, "read_email", demoString("id", "3"), demoWant{says: []string{demoSecret}, meaning: "answered by the mailbox; now it holds a secret"})
}

func (d *demo) bareAttack(ctx context.Context, s *demoScene) error {
	a, err := d.hire(ctx, "mailbox", "bare", d.bare("mailbox", "bare"))
	if err != nil {
		return err
	}
	a.reads(ctx, s)
	a.calls(ctx, s, "send_email", demoStolen().arguments(), demoWant{
		did: []string{demoStolen().sent()}, meaning: "the attack succeeds: the secret is with the stranger",
	})
	return a.leave()
}

// gatedAttack and honestMail are one session with one process.
func (d *demo) gatedAttack(ctx context.Context, s *demoScene) error {
	a, err := d.hire(ctx, "mailbox", "mailbox", d.gated("mailbox", "mailbox", "mailbox"))
	if err != nil {
		return err
	}
	d.open = a
	a.reads(ctx, s)
	a.calls(ctx, s, "send_email", demoStolen().arguments(), demoWant{
		denied: "sink", says: []string{"[callgate blocked]", "mailbox/read_email", "(prose)"},
		meaning: "denied: the address stood in the prose of a mail, and the mail is named; nothing was sent",
	})
	return nil
}

func (d *demo) honestMail(ctx context.Context, s *demoScene) error {
	a := d.open
	if a == nil {
		return errors.New("the session of the scene before is not there")
	}
	lunch := demoMail{to: []string{demoColleague}, subject: "Re: Lunch?", body: "Noon works for me."}
	a.calls(ctx, s, "send_email", lunch.arguments(), demoWant{
		did: []string{lunch.sent()}, says: []string{"sent"}, meaning: "allowed: a colleague's address needs no question; it was really sent",
	})
	lunch.bcc = demoStranger
	a.calls(ctx, s, "send_email", lunch.arguments(), demoWant{
		denied: "sink", says: []string{"[callgate blocked]"},
		meaning: "denied: a trusted recipient does not cover a hidden one",
	})
	return nil
}

// sandboxed goes on with the session, and ends it.
func (d *demo) sandboxed(ctx context.Context, s *demoScene) error {
	a := d.open
	if a == nil {
		return errors.New("the session of the scene before is not there")
	}
	d.open = nil
	plan := demoMail{to: []string{demoColleague}, subject: "Lunch", body: "Bring the plans of Project Falcon."}
	a.calls(ctx, s, "send_email", plan.arguments(), demoWant{
		denied: "no-projects", says: []string{"[callgate blocked] no-projects: CONFIDENTIAL"},
		meaning: "denied by a module in a sandbox, with a code of its own: the colleague is trusted, the text is not for mail",
	})
	plan.body = "Bring the plans."
	a.calls(ctx, s, "send_email", plan.arguments(), demoWant{
		did: []string{plan.sent()}, says: []string{"sent"}, meaning: "allowed: the module has nothing against it",
	})
	return a.leave()
}
