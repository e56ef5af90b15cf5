package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/approval"
)

func approveCmd(std stdio) *cobra.Command {
	return answerCmd(std, true, "approve ID", "Let a call that waits for an answer go on",
		"Answers one question, by the id that `callgate pending` shows, with a yes. It holds for exactly the call that was shown.\n"+
			"The call is judged again: if its evidence, the policy or the tool changed meanwhile, it stays denied.")
}

func denyCmd(std stdio) *cobra.Command {
	return answerCmd(std, false, "deny ID", "Deny a call that waits for an answer",
		"Answers one question, by the id that `callgate pending` shows, with a no.")
}

func answerCmd(std stdio, yes bool, use, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Long: long,
		Args: wants(cobra.ExactArgs(1), "want one ID, as callgate pending shows it"),
		RunE: func(_ *cobra.Command, args []string) error {
			return answer(std.out, args[0], yes)
		},
	}
}

// questionID is the form of an id of a question.
var questionID = regexp.MustCompile(`^[a-z2-7]{26}$`)

// answer answers the question with an id.
func answer(out io.Writer, id string, yes bool) error {
	id = strings.ToLower(strings.TrimSpace(id))
	if !questionID.MatchString(id) {
		return fmt.Errorf("%q is no id of a question, which has 26 letters and digits; callgate pending lists them", id)
	}
	list, err := processes("")
	if err == nil && len(list) == 0 {
		err = errors.New("no callgate run is live, so nothing waits for an answer")
	}
	if len(list) == 0 {
		return failed(err)
	}
	result, answerErr := answerOne(list, id, yes)
	if answerErr != nil {
		return failed(errors.Join(answerErr, err))
	}
	_, err = io.WriteString(out, printable(result)+"\n")
	return err
}

// answerOne answers in the process that lists the question. Only where none
// lists it are all of them asked, which say whether it was answered before: the
// id of an open question is no other process's business.
func answerOne(list []approval.Process, id string, yes bool) (string, error) {
	open, askErr := questions(list)
	var at []approval.Process
	for _, q := range open {
		if q.ID == id {
			at = append(at, q.process)
		}
	}
	switch {
	case len(at) == 1:
		return at[0].Answer(id, yes)
	case len(at) > 1:
		return "", fmt.Errorf("%s and %s both say that they ask this, so neither is answered; end the one that you did not start", processName(at[0]), processName(at[1]))
	case askErr != nil:
		return "", errors.Join(fmt.Errorf("question %q was not found", id), askErr)
	}
	err := approval.ErrUnknown
	for _, p := range list {
		result, oneErr := p.Answer(id, yes)
		if oneErr == nil {
			return result, nil
		}
		if errors.Is(err, approval.ErrUnknown) && !errors.Is(oneErr, approval.ErrEnded) {
			err = oneErr
		}
	}
	return "", fmt.Errorf("question %q: %w", id, err)
}
