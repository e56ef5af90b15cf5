//go:build !linux

package wasm

import (
	"errors"
	"os"
)

// Without Linux there is resetCopy only, and nothing here is reached.

var errNoMap = errors.New("no page map on this system")

func mapZeroes(int) ([]byte, error) { return nil, errNoMap }

func unmap([]byte) {}

func drop([]byte, []span) error { return errNoMap }

type imageFile struct{}

func (imageFile) write([]byte, func(func(from, to int) error) error) error { return errNoMap }
func (imageFile) view(int) ([]byte, error)                                 { return nil, errNoMap }
func (imageFile) lay([]byte) error                                         { return errNoMap }

func (imageFile) close(view *[]byte) error {
	*view = nil
	return nil
}

type pageMap struct{ file *os.File }

func (*pageMap) dirty([]byte, reset) ([]span, error) { return nil, errNoMap }

func openPageMap(reset) (*os.File, reset) { return nil, resetCopy }
