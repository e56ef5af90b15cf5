package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// checkVersion wants a version of Semantic Versioning that the go command takes as
// the tag of a module: three numbers, and no build metadata.
func checkVersion(v string) error {
	if bare, ok := strings.CutPrefix(v, "v"); ok && semver.IsValid(v) {
		return fmt.Errorf("version %q: write %s; the v belongs to the tag", v, bare)
	}
	if tag := "v" + v; !semver.IsValid(tag) || semver.Canonical(tag) != tag {
		return fmt.Errorf("version %q: want one like 1.2.3 or 1.2.3-rc.1", v)
	}
	return nil
}

// git runs git in a folder, and returns what it prints without the last line break.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}

// check finds the repository, and refuses what is not the tagged commit as it is.
func (r *release) check(ctx context.Context) (root string, err error) {
	if root, err = git(ctx, ".", "rev-parse", "--show-toplevel"); err != nil {
		return "", fmt.Errorf("%w; run it in a clone of the repository", err)
	}
	status, err := git(ctx, root, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return "", err
	}
	if status != "" {
		lines := strings.Split(status, "\n")
		return "", refuse("%d files differ from the commit, such as %q; commit them, or take them away", len(lines), lines[0])
	}
	if r.commit, err = git(ctx, root, "rev-parse", "HEAD^{commit}"); err != nil {
		return "", err
	}
	tagged, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "refs/tags/"+r.tag()+"^{commit}")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return "", refuse("there is no tag %s; make it with git tag -s %s", r.tag(), r.tag())
	case err != nil:
		return "", err
	case tagged != r.commit:
		return "", refuse("tag %s is commit %s, and %s is checked out; check out the tag", r.tag(), tagged, r.commit)
	}
	seconds, err := git(ctx, root, "show", "--no-patch", "--format=%ct", r.commit)
	if err != nil {
		return "", err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", fmt.Errorf("the date of commit %s: %w", r.commit, err)
	}
	r.date = time.Unix(n, 0).UTC()
	return root, nil
}

// clone makes a copy of what is committed, without what is ignored: nothing else of
// the folder that the command runs in can be in a release.
func (r *release) clone(ctx context.Context, root, dir string) error {
	r.source = dir
	if _, err := git(ctx, root, "clone", "--quiet", "--no-checkout", "--config", "core.autocrlf=false", "--config", "core.eol=lf", root, dir); err != nil {
		return err
	}
	_, err := git(ctx, dir, "checkout", "--quiet", "--detach", r.commit)
	return err
}
