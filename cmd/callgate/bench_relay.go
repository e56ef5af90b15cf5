package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/builtin"
	"github.com/callgate/callgate/host/ledger"
	"github.com/callgate/callgate/host/proxy"
)

func benchRelayCmd(std stdio) *cobra.Command {
	var sync string
	cmd := &cobra.Command{
		Use: "relay [flags] -- COMMAND [ARGS...]", Short: "Be the bare relay that bench compares with", Hidden: true, Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return relayBench(std, sync, args) },
	}
	cmd.Flags().StringVar(&sync, "fsync", "", "file that each line of the client is appended to, and made durable in, before it goes out")
	return cmd
}

// relayBench is the least that a relay of whole lines can do.
func relayBench(std stdio, sync string, command []string) error {
	toServer, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, fromServer, err := os.Pipe()
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = toServer, fromServer, std.err
	err = cmd.Start()
	if err := errors.Join(err, toServer.Close(), fromServer.Close()); err != nil {
		return err
	}
	keep := func([]byte) error { return nil }
	if sync != "" {
		file, err := os.OpenFile(sync, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return errors.Join(err, in.Close(), cmd.Wait())
		}
		defer file.Close()
		keep = func(line []byte) error {
			_, err := file.Write(line)
			return errors.Join(err, file.Sync())
		}
	}
	sent := make(chan error, 1)
	go func() { sent <- errors.Join(pumpBench(std.in, in, keep), in.Close()) }()
	err = pumpBench(out, std.out, func([]byte) error { return nil })
	return errors.Join(err, cmd.Wait(), <-sent)
}

// pumpBench copies whole lines, each with one write, after keep has it.
func pumpBench(from io.Reader, to io.Writer, keep func([]byte) error) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var long []byte
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if len(line) > 0 {
			if err := keep(line); err != nil {
				return err
			}
			if _, err := to.Write(line); err != nil {
				return err
			}
		}
		long = long[:0]
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

func benchGateCmd(std stdio) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "gate [flags] -- COMMAND [ARGS...]", Short: "Be Callgate without a file for its ledger", Hidden: true, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return gateBench(cmd, std, f, args) },
	}
	f.add(cmd)
	cmd.Flags().StringVar(&f.server, "server", "", "the name that policies know the server by")
	return cmd
}

// gateBench is `callgate run` with a ledger that forgets.
func gateBench(cmd *cobra.Command, std stdio, f runFlags, command []string) error {
	p, err := f.loadRun(false)
	if err != nil {
		return err
	}
	here, err := place()
	if err != nil {
		return err
	}
	state, err := ledger.StateDir(os.Getenv)
	if err != nil {
		return err
	}
	opened, err := proxy.Open(proxy.Opening{
		Policy: p, Specs: builtin.Table(), Plugin: pluginOf, Server: f.server, Group: ledger.GroupID(f.server, command), Place: here, Version: version(),
		Protected: protected(p, state),
	})
	if err != nil {
		return err
	}
	srv := p.Server(f.server)
	_, err = proxy.Stdio(cmd.Context(), proxy.Options{
		Server: f.server, Command: command, Dir: srv.Cwd, Env: proxy.Environment(os.Environ(), srv.Env, srv.HasEnv), Engine: opened.Engine,
		Voice: proxy.NewVoice(p.Value()), Pins: opened.KeepPins, In: std.in, Out: std.out, Stderr: std.err,
	})
	return errors.Join(err, opened.Close())
}
