package policy

import "strings"

// Names of arguments about repositories, squeezed, and words of the tools that put
// something into one, or take what they install from one.
const (
	repoNames  = " repo repos repository repositories reponame repositoryname repoid repositoryid repositorynameorid reposlug repositoryslug repofullname repourl "
	ownerNames = " owner org organization organisation project projectid projectkey workspace workspaceslug namespace group groupid "
	forkNames  = " organization organisation org owner namespace namespaceid namespacepath workspace group "
	putWords   = sendWords + " push merge fork edit write upsert commit upload append react open draft "
	fetchWords = " install upgrade "
	quietWords = deleteWords + " approve unapprove reject resolve unresolve close reopen protect unprotect lock unlock mark verify validate check download cancel revoke archive unarchive star watch "
)

// puts says whether a tool puts something somewhere, by the first of its words that
// is a verb: get_merge_request reads, and delete_draft_note leaves nothing.
func (g *guess) puts() bool {
	for _, w := range g.name {
		switch {
		case in(readWords, w) || in(quietWords, w):
			return false
		case in(putWords, w):
			return true
		}
	}
	return false
}

// repository says whether an argument names the repository that a tool writes to:
// by its own name, as the owner beside one, or as the project of a code host. What
// goes into it is read by whoever sees it. Where a fork goes counts, not what is
// forked. at is the pointer of what the argument stands in.
func (g *guess) repository(own []string, name, at string, beside map[string]bool) bool {
	if g.named(" fork ") {
		return in(forkNames, name) && !(name == "owner" && besideRepository(beside))
	}
	switch {
	case in(repoNames, name):
		return g.puts() || g.named(fetchWords)
	case !g.puts():
		return false
	case in(ownerNames, name) && besideRepository(beside):
		return true
	}
	// The project of a ticket inside a longer document is a part of that document.
	return at == "" && strings.HasSuffix(name, "projectid") && own[0] != "source" && own[0] != "from"
}

func besideRepository(beside map[string]bool) bool {
	for _, name := range strings.Fields(repoNames) {
		if beside[name] {
			return true
		}
	}
	return false
}

// loaded says whether an argument names a picture that whoever looks loads by
// itself.
func loaded(own []string) bool {
	n := len(own)
	return n > 1 && own[n-1] == "link" && in(" icon image avatar cover logo thumbnail picture photo ", own[n-2])
}

// linkInText says whether an argument is a link in formatted text: content, whose
// URLs are looked at as such.
func linkInText(name string, above []string) bool {
	return name == "link" && len(above) > 0 && above[len(above)-1] == "text"
}
