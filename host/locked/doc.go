// Package locked opens the bundles that policies name, to serve them: those that
// the lock beside a policy pins, from the file that the policy names or from the
// store, as far as the operator's trust file lets them when the policy is loaded.
//
// Nothing here has a network: a reference to a registry is looked up in the lock,
// and what that pins is in the store or nowhere.
package locked
