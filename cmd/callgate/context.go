package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/approval"
)

func contextCmd(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Tell the running gates what you said to the model",
		Args:  wantsVerb,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(contextAddCmd(std))
	return cmd
}

func contextAddCmd(std stdio) *cobra.Command {
	var file, group string
	cmd := &cobra.Command{
		Use:   "add [--file FILE | TEXT]",
		Short: "Hand over a text as the user's own words",
		Long: "Hands a text, at most 64 KiB, to every live callgate run of this user whose policy has settings.user_context: true.\n" +
			"A destination that stands in it counts as said by the user.\n" +
			"Paste only what you wrote yourself: what a tool or a web page wrote would count as yours.",
		Args: wants(cobra.MaximumNArgs(1), "want one TEXT, in quotes"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := contextText(std.in, args, file)
			if err != nil {
				return err
			}
			return addContext(std.out, text, group)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "read the text from a file, or from standard input for -")
	cmd.Flags().StringVar(&group, "group", "", "tell the processes of one group only")
	return cmd
}

// contextText is the text that a command line names.
func contextText(in io.Reader, args []string, file string) (string, error) {
	switch {
	case file == "" && len(args) == 1:
		return args[0], nil
	case file == "" || len(args) == 1:
		return "", errors.New("callgate context add: want either a TEXT or --file FILE")
	}
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", unread(err, "name a file that holds the text")
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, approval.MaxContext+1))
	if err != nil {
		return "", unread(err, "name a file that holds the text")
	}
	if len(data) > approval.MaxContext {
		return "", fmt.Errorf("%q has more than %d bytes; divide it", file, approval.MaxContext)
	}
	return string(data), nil
}

// addContext hands a text to the live processes and reports on each.
func addContext(out io.Writer, text, group string) error {
	list, err := processes(group)
	if len(list) == 0 {
		if err == nil && group != "" {
			err = fmt.Errorf("no callgate run of the group %q is live; leave --group out to tell all", group)
		} else if err == nil {
			err = errors.New("no callgate run is live, so nobody can be told")
		}
		return failed(err)
	}
	taken := 0
	for _, p := range list {
		said := "taken"
		if err := p.AddContext(text); err != nil {
			said = "not taken: " + err.Error()
		} else {
			taken++
		}
		if _, err := io.WriteString(out, oneLine(processName(p)+": "+said)+"\n"); err != nil {
			return err
		}
	}
	if taken == 0 {
		return failed(errors.Join(errors.New("no process took the text"), err))
	}
	return err
}
