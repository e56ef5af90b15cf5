package main

import (
	"context"
	"os"

	"github.com/callgate/callgate/abi"
)

// demoDrafts are the files that are there when the demo starts.
func demoDrafts() []string {
	return []string{"out/draft-1.txt", "out/draft-2.txt", "out/draft-3.txt"}
}

func (d *demo) hireFiles(ctx context.Context) (*demoClient, error) {
	return d.hire(ctx, "files", "files", d.gated("files", "files", "files"))
}

func (d *demo) paths(ctx context.Context, s *demoScene) error {
	a, err := d.hireFiles(ctx)
	if err != nil {
		return err
	}
	write := func(path string, want demoWant) {
		arguments := demoString("path", path).With("content", abi.StringValue("* * * * * root true\n"))
		a.calls(ctx, s, "write_file", arguments, want)
	}
	write("./out/summary.txt", demoWant{
		did: []string{demoFileEffect("write_file", "./out/summary.txt")}, meaning: "allowed: below ./out",
	})
	outside := demoWant{denied: "args", says: []string{"[callgate blocked]"}, meaning: "denied: not below ./out; nothing was written"}
	write("/etc/cron.d/job", outside)
	outside.meaning = "denied: the path is worked out before it is judged, and it leaves ./out"
	write("./out/../secrets.txt", outside)
	write("../policy.yaml", demoWant{
		denied: "self", says: []string{"[callgate blocked]"}, meaning: "denied: that is the policy itself, and no rule can give it away",
	})
	return a.leave()
}

func (d *demo) budget(ctx context.Context, s *demoScene) error {
	a, err := d.hireFiles(ctx)
	if err != nil {
		return err
	}
	drafts := demoDrafts()
	for _, draft := range drafts[:2] {
		a.calls(ctx, s, "delete_file", demoString("path", draft), demoWant{
			did: []string{demoFileEffect("delete_file", draft)}, meaning: "allowed: within the budget of 2",
		})
	}
	last := drafts[2]
	a.calls(ctx, s, "delete_file", demoString("path", last), demoWant{
		denied: "budget", says: []string{"[callgate blocked]"}, meaning: "denied: the budget is spent",
	})
	if err := a.leave(); err != nil {
		return err
	}
	if a, err = d.hireFiles(ctx); err != nil {
		return err
	}
	a.calls(ctx, s, "delete_file", demoString("path", last), demoWant{
		denied: "budget", says: []string{"[callgate blocked]"}, meaning: "denied again: a new process goes on with the same session",
	})
	wrong := []string{}
	if _, err := os.Stat(d.path("files", last)); err != nil {
		wrong = append(wrong, "expected the third draft to be on disk: "+err.Error())
	}
	s.check("look for "+last+" on disk", "it is there", "two deletions happened, not three", wrong...)
	return a.leave()
}
