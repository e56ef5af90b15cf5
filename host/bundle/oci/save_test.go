package oci_test

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content"
	orasoci "oras.land/oras-go/v2/content/oci"
	"oras.land/oras-go/v2/registry/remote"

	"github.com/callgate/callgate/abi"
	"github.com/callgate/callgate/host/bundle"
	"github.com/callgate/callgate/host/bundle/oci"
	"github.com/callgate/callgate/host/bundle/oci/ocitest"
)

const savedName = "ghcr.io/acme/no-exfil:1.2.0"

// saved is a file with two plugins in it.
func saved(t testing.TB, s signer) []byte {
	t.Helper()
	b, next := plugin(t, "1.2.0"), plugin(t, "1.3.0")
	data, err := oci.Save([]oci.Saved{
		{Name: savedName, Bundle: b, Signatures: [][]byte{s.sign(b)}},
		{Name: oci.FileName(next), Bundle: next, Signatures: [][]byte{s.sign(next)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestWhatIsSavedLoads(t *testing.T) {
	s := newSigner(t)
	b, next := plugin(t, "1.2.0"), plugin(t, "1.3.0")
	list := []oci.Saved{
		{Name: "ghcr.io/acme/no-exfil:1.3.0", Bundle: next, Signatures: [][]byte{s.sign(next)}},
		{Name: "ghcr.io/acme/no-exfil:1.2.0", Bundle: b, Signatures: [][]byte{s.sign(b)}},
		{Name: "ghcr.io/acme/no-exfil:stable", Bundle: b, Signatures: [][]byte{s.sign(b)}}, // the same under another tag
		{Name: "acme/no-exfil@1.2.0", Bundle: b, Signatures: [][]byte{s.sign(b)}},
	}
	data, err := oci.Save(list)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(list)
	if again, err := oci.Save(list); err != nil || !bytes.Equal(again, data) {
		t.Fatal("saved in another order, it is another file: ", err)
	}
	got, err := oci.Load(data)
	if err != nil || len(got) != 4 {
		t.Fatal(len(got), err)
	}
	k := keeper(t, s)
	for _, one := range got {
		v, err := k.Verify(one.Name, one.Artifact)
		if err != nil || len(v.Signatures) != 1 {
			t.Fatal(err)
		}
		if wantRef := one.Name != "acme/no-exfil@1.2.0"; (one.Ref.Kind == bundle.RegistryRef) != wantRef || wantRef && one.Ref.Text != "oci://"+one.Name {
			t.Errorf("%s: %+v", one.Name, one.Ref)
		}
	}
	if _, err := keeper(t, newSigner(t)).Verify("x", got[0].Artifact); says(err, "which the trust file does not have") != nil {
		t.Error(err)
	}
}

func TestWhatIsNotSaved(t *testing.T) {
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	one := oci.Saved{Name: savedName, Bundle: b, Signatures: [][]byte{s.sign(b)}}
	table := []struct {
		name string
		list []oci.Saved
		want string
	}{
		{"nothing", nil, "want 1 to 64"},
		{"too many", make([]oci.Saved, oci.MaxPlugins+1), "want 1 to 64"},
		{"twice", []oci.Saved{one, one}, "named twice"},
		{"unsigned", []oci.Saved{{Name: savedName, Bundle: b}}, "unsigned"},
		{"as what it is not", []oci.Saved{{Name: "ghcr.io/a@sha256:" + strings.Repeat("0", 64), Bundle: b, Signatures: one.Signatures}}, "pushed with something else"},
	}
	for _, c := range table {
		if data, err := oci.Save(c.list); says(err, c.want) != nil || data != nil {
			t.Errorf("%s: %v", c.name, says(err, c.want))
		}
	}
}

// Others read the file too: it is an image layout, and pushes from there have the
// digests that ours have.
func TestOthersReadWhatIsSaved(t *testing.T) {
	ctx := context.Background()
	s := newSigner(t)
	b := plugin(t, "1.2.0")
	file := filepath.Join(t.TempDir(), "plugins.tar")
	if err := os.WriteFile(file, saved(t, s), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := orasoci.NewFromTar(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := store.Resolve(ctx, savedName)
	if err != nil {
		t.Fatal(err)
	}
	refer, err := store.Predecessors(ctx, ocispec.Descriptor{MediaType: desc.MediaType, Digest: desc.Digest, Size: desc.Size})
	if err != nil || len(refer) != 1 {
		t.Fatal(refer, err)
	}
	config, err := content.FetchAll(ctx, store, desc)
	if err != nil || !bytes.Contains(config, []byte(`"org.opencontainers.image.version":"1.2.0"`)) || !bytes.Contains(config, []byte(`"org.opencontainers.image.created":"1970-01-01T00:00:00Z"`)) {
		t.Fatalf("%s, %v", config, err)
	}
	login(t)
	text := "oci://" + serve(t, &ocitest.Registry{Referrers: true}) + "/mirror/no-exfil:1.2.0"
	repo, err := remote.NewRepository(strings.TrimPrefix(text, "oci://"))
	if err != nil {
		t.Fatal(err)
	}
	repo.PlainHTTP = true
	if _, err := oras.ExtendedCopy(ctx, store, savedName, repo, "1.2.0", oras.DefaultExtendedCopyOptions); err != nil {
		t.Fatal(err)
	}
	v, err := fetch(t, keeper(t, s), text)
	if err != nil || v.Entry.Manifest != desc.Digest.String() || v.Entry.Bundle != b.Digest {
		t.Fatal(v, err)
	}
}

// parts are the files of a saved file.
func parts(t testing.TB, raw []byte) (list []part) {
	t.Helper()
	for r := tar.NewReader(bytes.NewReader(raw)); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, part{tar.Header{Name: h.Name}, data})
	}
}

type part struct {
	tar.Header
	data []byte
}

// joined is a tar of anything.
func joined(t testing.TB, list []part) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, p := range list {
		h := p.Header
		if h.Format == tar.FormatUnknown {
			h.Format = tar.FormatUSTAR
		}
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if h.ModTime.IsZero() {
			h.ModTime = time.Unix(0, 0)
		}
		h.Size = int64(len(p.data))
		if h.Typeflag != tar.TypeReg {
			h.Size, p.data = 0, nil
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(p.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sorted puts a file where its name belongs.
func sorted(list []part) []part {
	slices.SortStableFunc(list, func(a, b part) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func indexOf(t testing.TB, list []part, name string) int {
	t.Helper()
	i := slices.IndexFunc(list, func(p part) bool { return p.Name == name })
	if i < 0 {
		t.Fatal("no " + name)
	}
	return i
}

func TestHostileFiles(t *testing.T) {
	s := newSigner(t)
	good := saved(t, s)
	list := parts(t, good)
	if !bytes.Equal(joined(t, list), good) {
		t.Fatal("the test does not make the same file")
	}
	with := func(extra ...part) []byte { return joined(t, sorted(append(slices.Clone(list), extra...))) }
	index := func(change func(string) string) []byte {
		l := slices.Clone(list)
		i := indexOf(t, l, "index.json")
		l[i].data = []byte(change(string(l[i].data)))
		return joined(t, l)
	}
	first := func(header tar.Header) []byte {
		l := slices.Clone(list)
		header.Name = l[0].Name
		l[0].Header = header
		return joined(t, l)
	}
	zeros := make([]byte, 4096)
	other := "blobs/sha256/" + strings.TrimPrefix(abi.DigestBytes(zeros), "sha256:")
	table := []struct {
		name string
		raw  []byte
		want string
	}{
		{"honest", good, ""},
		{"empty", nil, "the archive is not as callgate plugin save writes it"},
		{"text", []byte(strings.Repeat("x", 2048)), "not a tar file"},
		{"too large", make([]byte, oci.MaxLayout+1), "at most"},
		{"cut off", good[:512+1], "cut off"},
		{"cut off in the end", good[:len(good)-512], "to the byte"},
		{"what follows the end", append(slices.Clone(good), zeros...), "to the byte"},
		{"a second archive behind it", append(slices.Clone(good), good...), "to the byte"},
		{"a link", first(tar.Header{Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), `of kind '2'`},
		{"a hard link", first(tar.Header{Typeflag: tar.TypeLink, Linkname: "index.json"}), `of kind '1'`},
		{"a device", first(tar.Header{Typeflag: tar.TypeChar}), `of kind '3'`},
		{"a folder", with(part{tar.Header{Name: "blobs/", Typeflag: tar.TypeDir}, nil}), `of kind '5'`},
		{"another format", first(tar.Header{Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": "x"}}), "not a plain file"},
		{"an owner", first(tar.Header{Uid: 1}), "to the byte"},
		{"a mode", first(tar.Header{Mode: 0o4755}), "to the byte"},
		{"a date", first(tar.Header{ModTime: time.Unix(1, 0)}), "to the byte"},
		{"a path upwards", with(part{tar.Header{Name: "../x"}, zeros}), "no such name"},
		{"an absolute path", with(part{tar.Header{Name: "/etc/x"}, zeros}), "no such name"},
		{"a path with dots", with(part{tar.Header{Name: "blobs/sha256/../../x"}, zeros}), "no such name"},
		{"a name that acts on terminals", with(part{tar.Header{Name: "\x1b[2J"}, zeros}), `"\x1b[2J"`},
		{"a file twice", with(list[0]), "is there twice"},
		{"another order", joined(t, append(slices.Clone(list[1:]), list[0])), "to the byte"},
		{"a blob of nobody", with(part{tar.Header{Name: other}, zeros}), "belongs to no plugin"},
		{"a blob under another name", with(part{tar.Header{Name: "blobs/sha256/" + strings.Repeat("0", 64)}, zeros}), "it is sha256:"},
		{"no index", joined(t, slices.Delete(slices.Clone(list), indexOf(t, list, "index.json"), indexOf(t, list, "index.json")+1)), "index.json: not JSON"},
		{"no blob", joined(t, list[1:]), "is not in the file"},
		{"no mark of a layout", joined(t, slices.Delete(slices.Clone(list), indexOf(t, list, "oci-layout"), indexOf(t, list, "oci-layout")+1)), "oci-layout"},
		{"a huge index", index(func(string) string { return strings.Repeat(" ", oci.MaxManifest+1) }), "at most 4194304"},
		{"an index that says things twice", index(func(s string) string {
			return strings.Replace(s, `"schemaVersion":2`, `"schemaVersion":2,"schemaVersion":2`, 1)
		}), "not JSON"},
		{"no plugin", index(func(s string) string { return `{"manifests":[]` + s[strings.LastIndex(s, `,"mediaType"`):] }), "no plugin in it"},
		{"a plugin twice", index(func(s string) string { return strings.Replace(s, "acme/no-exfil@1.3.0", savedName, 1) }), "is there twice"},
		{"a plugin as what it is not", index(func(s string) string {
			return strings.Replace(s, savedName, "ghcr.io/a@sha256:"+strings.Repeat("0", 64), 1)
		}), "named as something else"},
		{"a size that lies", index(func(s string) string { return strings.Replace(s, `"size":`, `"size":1`, 1) }), "bytes, and not"},
		{"a size for ever", index(func(s string) string { return strings.Replace(s, `"size":`, `"size":99999999999`, 1) }), "at most 4194304"},
		{"a signature without its plugin", index(func(s string) string {
			return `{"manifests":[` + s[strings.LastIndex(s, `{"artifactType"`):]
		}), "refers to no plugin"},
	}
	for _, c := range table {
		t.Run(c.name, func(t *testing.T) {
			got, err := oci.Load(c.raw)
			if err := says(err, c.want); err != nil || (got == nil) != (c.want != "") {
				t.Error(err)
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("says what a stranger wrote as it is: %q", err)
			}
		})
	}
}

// FuzzLoad holds what loads to having been saved: all of it is named by its digest.
func FuzzLoad(f *testing.F) {
	good := saved(f, newSigner(f))
	f.Add(good)
	f.Add(good[:1024])
	f.Add(joined(f, parts(f, good)[1:]))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := oci.Load(raw)
		if err != nil {
			if got != nil {
				t.Fatal("refused, and handed over")
			}
			return
		}
		if !bytes.Equal(joined(t, parts(t, raw)), raw) {
			t.Fatal("what loads is not the archive of what is in it")
		}
		for _, one := range got {
			if !bytes.Contains(raw, one.Artifact.Data) || one.Ref.Kind == bundle.RegistryRef && one.Ref.Text != "oci://"+one.Name {
				t.Fatalf("%+v", one.Ref)
			}
		}
	})
}
