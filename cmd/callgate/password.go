package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// maxPassword is how many bytes a password has, as in minisign.
const maxPassword = 1024

// askPassword reads a password from the terminal, which does not show it, or, where
// there is none, as a line of the standard input. One that is new is asked for twice
// on a terminal.
func askPassword(std stdio, of string, isNew bool) (string, error) {
	text, err := readPassword(std, "password of "+of+": ")
	if err != nil {
		return "", err
	}
	switch {
	case len(text) == 0:
		return "", errors.New("no password; give one, on the terminal or as a line of the standard input")
	case len(text) > maxPassword:
		return "", fmt.Errorf("a password of more than %d bytes; choose a shorter one", maxPassword)
	}
	if _, ok := terminal(std.in); isNew && ok {
		again, err := readPassword(std, "the same again: ")
		if err != nil {
			return "", err
		}
		if !bytes.Equal(again, text) {
			return "", errors.New("the two passwords differ; try again")
		}
	}
	return string(text), nil
}

// terminal is the terminal that a command reads from, if it is one.
func terminal(in io.Reader) (fd int, ok bool) {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// readPassword reads one line.
func readPassword(std stdio, prompt string) ([]byte, error) {
	fd, ok := terminal(std.in)
	if !ok {
		return readLine(std.in)
	}
	defer keepTerminal(fd)()
	fmt.Fprint(std.err, prompt)
	text, err := term.ReadPassword(fd)
	fmt.Fprintln(std.err)
	if err == io.EOF {
		err = errors.New("no password was given")
	}
	return text, err
}

// readLine reads a line that is not much longer than a password, and nothing behind
// it: that may be for others.
func readLine(in io.Reader) (line []byte, err error) {
	for one := make([]byte, 1); len(line) <= maxPassword+1; {
		n, err := in.Read(one)
		if n > 0 && one[0] == '\n' {
			break
		}
		line = append(line, one[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// keepTerminal puts the terminal back when the process is told to end while it
// shows nothing. What it returns ends that.
func keepTerminal(fd int) (stop func()) {
	before, err := term.GetState(fd)
	if err != nil {
		return func() {}
	}
	told, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		select {
		case <-told:
			_ = term.Restore(fd, before) // it ends either way
			os.Exit(130)
		case <-done:
		}
	}()
	return func() { signal.Stop(told); close(done) }
}
