package facts_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/facts"
)

// launch is a folder with a program and files, which commands are measured in.
type launch struct {
	t   *testing.T
	dir string
}

func newLaunch(t *testing.T) launch {
	l := launch{t, t.TempDir()}
	l.write("server", "\x7fELF one")
	l.write("other", "\x7fELF two")
	l.write("main.js", "serve()")
	l.write("more.js", "more()")
	return l
}

func (l launch) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o755); err != nil {
		l.t.Fatal(err)
	}
}

func (l launch) sum(set []int, argv ...string) string {
	l.t.Helper()
	m, err := facts.Measure(facts.Command{Argv: argv, Dir: l.dir}, [][]int{set})
	if err != nil {
		l.t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		l.t.Fatal(err)
	}
	return m.Sums()[0]
}

func TestADigestIsOfTheProgramItsArgumentsAndItsEntryFiles(t *testing.T) {
	l := newLaunch(t)
	base := l.sum([]int{0}, "./server", "main.js", "data.db")
	if again := l.sum([]int{0}, "./server", "main.js", "data.db"); again != base {
		t.Fatalf("measured twice: %s and %s", base, again)
	}
	differ := []struct {
		name   string
		change func() string
	}{
		{"another program", func() string { return l.sum([]int{0}, "./other", "main.js", "data.db") }},
		{"another argument", func() string { return l.sum([]int{0}, "./server", "main.js", "data.db2") }},
		{"one argument more", func() string { return l.sum([]int{0}, "./server", "main.js", "data.db", "") }},
		{"one argument less", func() string { return l.sum([]int{0}, "./server", "main.js") }},
		{"no entry", func() string { return l.sum(nil, "./server", "main.js", "data.db") }},
		{"another spelling of the entry", func() string { return l.sum([]int{0}, "./server", "./main.js", "data.db") }},
		{"another content of the entry", func() string {
			l.write("main.js", "steal()")
			defer l.write("main.js", "serve()")
			return l.sum([]int{0}, "./server", "main.js", "data.db")
		}},
		{"another content of the program", func() string {
			l.write("server", "\x7fELF three")
			defer l.write("server", "\x7fELF one")
			return l.sum([]int{0}, "./server", "main.js", "data.db")
		}},
	}
	seen := map[string]string{base: "the command"}
	for _, c := range differ {
		sum := c.change()
		if same, ok := seen[sum]; ok {
			t.Errorf("%s has the digest of %s", c.name, same)
		}
		seen[sum] = c.name
	}
	if again := l.sum([]int{0}, "./server", "main.js", "data.db"); again != base {
		t.Error("the digest did not come back with the files")
	}
}

// A file that no entry names may be anything, or nothing at all.
func TestUndeclaredFilesAreNeverOpened(t *testing.T) {
	l := newLaunch(t)
	base := l.sum([]int{0}, "./server", "main.js", "data.db")
	l.write("data.db", "rows")
	if got := l.sum([]int{0}, "./server", "main.js", "data.db"); got != base {
		t.Error("a file that is not declared changed the digest")
	}
	if err := os.Remove(filepath.Join(l.dir, "data.db")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(l.dir, "data.db"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := l.sum([]int{0}, "./server", "main.js", "data.db"); got != base {
		t.Error("a folder that is not declared changed the digest")
	}
	if _, err := facts.Measure(facts.Command{Argv: []string{"./server", "main.js", "data.db"}, Dir: l.dir}, [][]int{{1}}); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder as an entry: %v", err)
	}
}

func TestTheOrderOfEntriesMeansNothing(t *testing.T) {
	l := newLaunch(t)
	if a, b := l.sum([]int{0, 1}, "./server", "main.js", "more.js"), l.sum([]int{1, 0}, "./server", "main.js", "more.js"); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := l.sum([]int{0}, "./server", "main.js", "more.js"), l.sum([]int{1}, "./server", "main.js", "more.js"); a == b {
		t.Error("two different entries have one digest")
	}
}

// What one command says in one place, another must not be able to say in another.
func TestNoTwoLaunchesAreFramedAlike(t *testing.T) {
	l := newLaunch(t)
	entry := sha256.Sum256([]byte("serve()"))
	forged := "main.js" + "e" + string(binary.BigEndian.AppendUint64(nil, 8)) + string(make([]byte, 8)) + "f" + string(binary.BigEndian.AppendUint64(nil, 32)) + string(entry[:])
	pairs := []struct {
		name string
		a, b string
	}{
		{"two arguments, and one with a zero byte", l.sum(nil, "./server", "a", "b"), l.sum(nil, "./server", "a\x00b")},
		{"two arguments, and one with a blank", l.sum(nil, "./server", "a", "b"), l.sum(nil, "./server", "a b")},
		{"a letter that moves to the next", l.sum(nil, "./server", "ab", "c"), l.sum(nil, "./server", "a", "bc")},
		{"an empty argument in front and behind", l.sum(nil, "./server", "", "a"), l.sum(nil, "./server", "a", "")},
		{"an argument with the frame of the next", l.sum(nil, "./server", "a", "b"), l.sum(nil, "./server", "aa"+string(binary.BigEndian.AppendUint64(nil, 1))+"b")},
		{"an entry, and an argument that frames one", l.sum([]int{0}, "./server", "main.js"), l.sum(nil, "./server", forged)},
	}
	for _, p := range pairs {
		if p.a == p.b {
			t.Errorf("%s: one digest, %s", p.name, p.a)
		}
	}
}

// The form is fixed: a digest in a policy must mean the same in the next version.
func TestTheFormOfTheDigest(t *testing.T) {
	l := newLaunch(t)
	frame := func(kind byte, b string) string {
		return string(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b)))) + b
	}
	program, entry := sha256.Sum256([]byte("\x7fELF one")), sha256.Sum256([]byte("serve()"))
	want := sha256.Sum256([]byte("callgate attest 1\n" + frame('p', string(program[:])) + frame('a', "./server") + frame('a', "main.js") +
		frame('e', "\x00\x00\x00\x00\x00\x00\x00\x00") + frame('f', string(entry[:]))))
	if got := l.sum([]int{0}, "./server", "main.js"); got != hex.EncodeToString(want[:]) {
		t.Errorf("got %s, want %x", got, want)
	}
}

func TestAScriptIsMeasuredWithWhatInterpretsIt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("no first lines on Windows")
		return
	}
	l := newLaunch(t)
	interpreter := filepath.Join(l.dir, "interpreter")
	l.write("interpreter", "\x7fELF one")
	l.write("script", "#!"+interpreter+" -x\nserve()\n")
	base := l.sum(nil, "./script")
	l.write("interpreter", "\x7fELF two")
	if l.sum(nil, "./script") == base {
		t.Error("another interpreter has the same digest")
	}
	t.Setenv("PATH", l.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	l.write("script", "#!/usr/bin/env -S A=1 interpreter -x\nserve()\n")
	base = l.sum(nil, "./script")
	l.write("interpreter", "\x7fELF three")
	if l.sum(nil, "./script") == base {
		t.Error("another program that env looks for has the same digest")
	}
	l.write("interpreter", "#!"+interpreter+"\n")
	if _, err := facts.Measure(facts.Command{Argv: []string{"./script"}, Dir: l.dir}, [][]int{nil}); err == nil || !strings.Contains(err.Error(), "interpret one another") {
		t.Errorf("a program that interprets itself: %v", err)
	}
	l.write("script", "#!/no/such/interpreter\n")
	if _, err := facts.Measure(facts.Command{Argv: []string{"./script"}, Dir: l.dir}, [][]int{nil}); err == nil || !strings.Contains(err.Error(), "can not be measured") {
		t.Errorf("an interpreter that is not there: %v", err)
	}
}

func TestWhatChangesWhileItIsStartedIsNoticed(t *testing.T) {
	l := newLaunch(t)
	m, err := facts.Measure(facts.Command{Argv: []string{"./server", "main.js"}, Dir: l.dir}, [][]int{{0}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := m.Changed(); err != nil {
		t.Fatalf("nothing has changed: %v", err)
	}
	l.write("main.js", "steal()")
	if err := m.Changed(); err == nil {
		t.Error("an entry was changed, and nothing is said")
	}
	l.write("main.js", "serve()")
	l.write("server", "\x7fELF two")
	if err := m.Changed(); err == nil {
		t.Error("the program was changed, and nothing is said")
	}
}

// On Linux the very file that was measured is started, whatever its name leads
// to by then.
func TestTheFileThatWasMeasuredIsTheOneThatIsStarted(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("other platforms start a path, and look again")
		return
	}
	l := newLaunch(t)
	for from, to := range map[string]string{"true": "swapped", "false": "evil"} {
		path, err := exec.LookPath(from)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		l.write(to, string(data))
	}
	program := filepath.Join(l.dir, "swapped")
	m, err := facts.Measure(facts.Command{Argv: []string{program}}, [][]int{nil})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := os.Rename(filepath.Join(l.dir, "evil"), program); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(m.Path()).Run(); err != nil {
		t.Errorf("the file of the name was started, not the one that was measured: %v", err)
	}
	if err := exec.Command(program).Run(); err == nil {
		t.Error("the file of the name succeeds as well, so that nothing was shown")
	}
}

func TestWhatHasNoDigestThatSaysAnything(t *testing.T) {
	pinned := "@sha256:" + strings.Repeat("0123456789abcdef", 4)
	cases := []struct {
		refused, twin string // commands, words parted by blanks
	}{
		{"npx -y @modelcontextprotocol/server-filesystem .", "node /opt/fs/index.js ."},
		{"/usr/local/bin/npx pkg", "/usr/local/bin/node server npx"},
		{"NPX.CMD pkg", "server.exe npx"},
		{"uvx mcp-server-fetch", "mcp-server-fetch"},
		{"uv tool run mcp-server-fetch", "uv version"},
		{"uv run server.py", "python3 server.py"},
		{"pipx run pkg", "pipx list"},
		{"bunx pkg", "bun server.ts"},
		{"bun x pkg", "bun run.ts"},
		{"pnpm dlx pkg", "pnpm --version"},
		{"yarn dlx pkg", "yarn version"},
		{"npm exec pkg", "npm version"},
		{"npm --yes exec -- pkg", "npm ls"},
		{"npm start", "node start"},
		{"npm run serve", "node run serve"},
		{"npm --prefix /opt/mail start", "node /opt/mail/start.js"},
		{"yarn", "yarn --version"},
		{"yarn serve", "node serve"},
		{"pnpm serve", "node serve"},
		{"pnpm", "pnpm help"},
		{"corepack pnpm dlx pkg", "corepack pnpm --version"},
		{"bun run start", "bun run start.ts"},
		{"bun start", "bun start.js"},
		{"bun --cwd /x run start", "bun --cwd /x run ./start.mjs"},
		{"deno task start", "deno run task.ts"},
		{"node --run start", "node start --run"},
		{"node --import tsx /usr/lib/npm/bin/npx-cli.js pkg", "node --import tsx server.ts npx"},
		{"nodejs -r x /usr/bin/npm exec pkg", "nodejs -r x server.js npm exec pkg"},
		{"python3 -W ignore -m pipx run pkg", "python3 -W ignore server.py -m pipx"},
		{"python3 -Im uv run pkg", "python3 -Im server uv"},
		{"bash -o pipefail -c server", "bash -o pipefail server.sh -c"},
		{"bash --rcfile x -lc server", "bash --rcfile x server.sh -lc"},
		{"sh -s", "sh s"},
		{"sh -", "sh server"},
		{"fish --init-command=server server.fish", "fish server.fish --init-command=x"},
		{"powershell -NoProfile server", "powershell -NoProfile -File server.ps1 -Command x"},
		{"pwsh -EncodedCommand AAAA", "pwsh -ExecutionPolicy Bypass -File server.ps1"},
		{"pwsh -nop -c server", "pwsh -nop server.ps1 -c"},
		{"poetry run server", "poetry-server run"},
		{"make serve", "server make"},
		{"dotnet run", "dotnet /opt/server.dll run.dll"},
		{"systemd-run --user server", "server systemd-run"},
		{"script -c server", "./script -c server"},
		{"just serve", "./just serve"},
		{"cross-env A=1 node server.js", "node cross-env"},
		{"/lib64/ld-linux-x86-64.so.2 /opt/server", "/opt/ldd /opt/server"},
		{"kubectl exec -i pod -- server", "kube-server exec"},
		{"node /usr/lib/node_modules/npm/bin/npx-cli.js pkg", "node /usr/lib/server/index.js npx-cli.js"},
		{"node --no-warnings /usr/lib/node_modules/npm/bin/npm-cli.js exec pkg", "node --no-warnings /usr/lib/npm-server.js exec pkg"},
		{"python3 -m pipx run pkg", "python3 -m http.server"},
		{"python3.12 -m uv tool run pkg", "python3.12 server.py -m uv tool run pkg"},
		{"deno run -A https://example.org/server.ts", "deno run -A server.ts https://example.org"},
		{"deno run npm:pkg", "deno run ./npm.ts"},
		{"go run example.org/server@v1.0.0", "go-server run"},
		{"go run .", "./server"},
		{"docker run -i --rm mcp/server", "docker run -i --rm mcp/server" + pinned},
		{"docker run -i --rm mcp/server:1.0", "docker run -it --rm mcp/server:1.0" + pinned},
		{"docker run -e X=y" + pinned + " mcp/server", "docker run -e X=y mcp/server" + pinned + " mcp/server"},
		{"docker run --name x" + pinned + " mcp/server", "docker run --name x mcp/server" + pinned},
		{"docker --context c run -i mcp/server", "docker --context c run -i mcp/server" + pinned},
		{"docker run -i -- mcp/server", "docker run -i -- mcp/server" + pinned},
		{"docker compose run server", "docker version"},
		{"podman run mcp/server@sha256:0123", "podman run mcp/server" + pinned},
		{"env A=1 node server.js", "node server.js"},
		{"sudo -u mail server", "server"},
		{"timeout 5 npx pkg", "server 5 npx pkg"},
		{"sh -c server", "sh server.sh"},
		{"bash -lc server", "bash -l server.sh -c x"},
		{"pwsh -Command server", "pwsh server.ps1"},
		{"cmd /c npx pkg", "server /c npx pkg"},
	}
	for _, c := range cases {
		if why := facts.Unpinnable(strings.Fields(c.refused)); !strings.Contains(why, "; ") {
			t.Errorf("%s: %q; want why, and what to do", c.refused, why)
		}
		if why := facts.Unpinnable(strings.Fields(c.twin)); why != "" {
			t.Errorf("%s: refused: %s", c.twin, why)
		}
	}
	if len(cases) < 60 {
		t.Fatalf("%d cases", len(cases))
	}
}
