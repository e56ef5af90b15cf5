package wasm

import (
	"errors"
	"fmt"

	"github.com/callgate/callgate/abi"
)

// begin starts the first instance, and takes the picture that every evaluation
// starts from.
func (p *Plugin) begin(src *Source) error {
	i, err := p.started(src)
	if err != nil {
		return err
	}
	if err := p.picture(i); err != nil {
		i.close()
		return err
	}
	p.mu.Lock()
	p.idle = append(p.idle, i)
	p.mu.Unlock()
	return nil
}

// started makes an instance and runs what runs before the first evaluation.
func (p *Plugin) started(src *Source) (*instance, error) {
	i, err := p.instantiate()
	if err != nil {
		return nil, err
	}
	if err := i.configure(src); err != nil {
		p.began = i.answer(nil, nil)
		i.close()
		return nil, err
	}
	p.began = i.answer(nil, nil)
	return i, nil
}

// configure runs _initialize and callgate_configure, with the fuel that the start
// function has left.
func (i *instance) configure(src *Source) error {
	if f := i.mod.ExportedFunction(abi.InitializeExport); f != nil {
		if _, err := i.call(f); err != nil {
			return err
		}
	}
	f := i.mod.ExportedFunction(abi.ConfigureExport)
	if f == nil {
		return nil
	}
	i.run.again(abi.ObjectValue(
		abi.Member{Name: "abi", Value: abi.StringValue(src.speaks)},
		abi.Member{Name: "settings", Value: src.settings()},
	))
	packed, err := i.call(f)
	if err != nil {
		return err
	}
	output, err := i.result(packed)
	if err != nil {
		return err
	}
	return configured(output)
}

// refusedError is a guest that does not like its settings.
type refusedError struct{ says string }

func (e *refusedError) Error() string { return e.says }

// configured reads what configure answered.
func configured(output []byte) error {
	v, err := abi.Parse(output)
	if err != nil {
		return &guestError{abi.FailProtocol, fmt.Sprintf("configure answered what is not JSON: %v", err), ""}
	}
	if ok := v.Get("ok"); v.Len() == 1 && ok.True() {
		return nil
	}
	says, at := v.Get("error"), v.Get("at")
	want := 1
	if at.Exists() {
		want = 2
	}
	if !says.IsString() || v.Len() != want || at.Exists() && !at.IsString() || len(says.Str())+len(at.Str()) > maxText {
		return &guestError{abi.FailProtocol, `configure answered neither {"ok":true} nor {"error":"…","at":"/settings/…"}`, ""}
	}
	if at.Exists() {
		return &refusedError{fmt.Sprintf("settings at %q: it says %q", at.Str(), says.Str())}
	}
	return &refusedError{fmt.Sprintf("settings: it says %q", says.Str())}
}

// picture remembers the state of an instance, and lets the instance start from
// there as others will.
func (p *Plugin) picture(i *instance) error {
	for _, g := range i.globals {
		p.mutate = append(p.mutate, g.Get())
	}
	var err error
	if p.image, err = newImage(i.memory.bytes, p.host.reset); err != nil {
		return err
	}
	return i.adopt(p)
}

// why turns an error of the start into one of Load.
func (p *Plugin) why(err error) error {
	e := &Error{Plugin: p.name, Class: abi.FailHost, Detail: err.Error(), Log: p.began.Log}
	var guest *guestError
	var refused *refusedError
	switch {
	case errors.As(err, &guest):
		e.Class, e.Why, e.Detail, e.Trace = abi.FailConfigure, guest.class, guest.detail, guest.trace
	case errors.As(err, &refused):
		e.Class = abi.FailConfigure
	}
	return e
}
