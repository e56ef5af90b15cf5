package oci

import (
	"context"
	"errors"
	"time"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/callgate/callgate/host/bundle"
)

// Options say how registries are spoken to.
type Options struct {
	PlainHTTP bool          // without TLS; passwords go in the clear as well
	Step      time.Duration // how long a registry may do nothing; 0: [Step]
	Total     time.Duration // how long one reference may take; 0: [Total]
}

// Registry is a repository of a registry, at a reference to it. Nothing is sent before
// something is asked for.
type Registry struct {
	ref     bundle.Ref
	options Options
	repo    *remote.Repository
	patient *patience
}

// Connect is the repository that a reference leads to. Who logs in, and how, the
// configuration of Docker says, with the helpers that it names.
func Connect(ref bundle.Ref, o Options) (*Registry, error) {
	if ref.Kind != bundle.RegistryRef {
		return nil, errors.New("not a reference to a registry; want oci://REGISTRY/REPOSITORY:TAG")
	}
	if o.Step == 0 {
		o.Step = Step
	}
	if o.Total == 0 {
		o.Total = Total
	}
	c := &Registry{ref: ref, options: o, patient: newPatience(o.Step)}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, explain(c, refuse("the configuration of Docker does not load: %s; mend it, or set DOCKER_CONFIG to another folder", plain(err)))
	}
	at := registry.Reference{Registry: ref.Registry, Repository: ref.Repository}
	c.repo = &remote.Repository{
		Reference: at, PlainHTTP: o.PlainHTTP,
		ReferrerListMaxPages: maxReferrerPages, MaxMetadataBytes: MaxManifest,
		// Deleting is what few may do, and nothing to try for a list that is replaced.
		SkipReferrersGC: true,
		Client:          &auth.Client{Client: newClient(o.Step, at.Host(), c.patient), Cache: auth.NewCache(), Credential: c.login(credentials.Credential(store))},
	}
	c.repo.Client.(*auth.Client).SetUserAgent("callgate")
	return c, nil
}

// within bounds everything about the reference.
func (c *Registry) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, c.options.Total)
}

// login asks for the login of a host. A helper that does not answer, or leaves
// something behind that holds on to its output, is not waited for.
func (c *Registry) login(of auth.CredentialFunc) auth.CredentialFunc {
	type answer struct {
		auth.Credential
		err error
	}
	return func(ctx context.Context, host string) (auth.Credential, error) {
		got := make(chan answer, 1)
		go func() {
			one, err := of(ctx, host)
			got <- answer{one, err}
		}()
		select {
		case a := <-got:
			if a.err == nil {
				return a.Credential, nil
			} else if ctx.Err() == nil {
				return auth.EmptyCredential, refuse("the login for %s is not to be had from the configuration of Docker: %s", c.ref.Registry, plain(a.err))
			}
		case <-ctx.Done():
		}
		return auth.EmptyCredential, refuse("the login for %s is not to be had from the configuration of Docker: its helper did not answer in %v; try it with docker login %s",
			c.ref.Registry, c.options.Total, c.ref.Registry)
	}
}
