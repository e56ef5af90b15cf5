package transport

import "context"

// DialLegacy is [DialLegacy] for an endpoint that is known already.
func (u *Upstream) DialLegacy(ctx context.Context) (*Legacy, error) { return u.dialLegacy(ctx) }
