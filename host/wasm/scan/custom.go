package scan

import (
	"fmt"

	"github.com/callgate/callgate/host/wasm/binary"
)

// The custom sections that have a meaning.
const (
	ManifestSection = "callgate.manifest"
	nameSection     = "name"
)

// custom takes in a custom section.
func (s *scanner) custom(sec binary.Section) {
	r := sec.Reader()
	name := r.Name()
	if err := r.Err(); err != nil {
		s.malformed(err, "custom section")
		return
	}
	few := s.useOnce(CustomSections, s.used[CustomSections]+1, sec.Start, "the module")
	s.useOnce(CustomBytes, s.used[CustomBytes]+uint64(sec.End()-sec.Start), sec.Start, "the module")
	if string(name) == ManifestSection {
		s.manifest(sec, r.Rest())
	}
	if string(name) == nameSection {
		s.nameSection(sec, r.Offset(), r.Rest())
	}
	if few {
		s.report.Custom = append(s.report.Custom, Custom{string(name), sec.Start, sec.End(), r.Rest()})
	}
}

func (s *scanner) manifest(sec binary.Section, body []byte) {
	if s.report.Manifest != nil {
		s.problems.add(CodeManifest, sec.Start, "offset 0x%x: a second section %s; keep one", sec.Start, ManifestSection)
		return
	}
	s.use(ManifestBytes, uint64(len(body)), sec.Start, "section "+ManifestSection)
	s.report.Manifest = body
}

// Manifest finds the manifest of a module: nil without one. It is an error if
// there are two, or if the sections can not be walked.
func Manifest(module []byte) ([]byte, error) {
	var found []byte
	err := walkCustom(module, func(sec binary.Section, name string, body []byte) error {
		switch {
		case name != ManifestSection:
		case found != nil:
			return fmt.Errorf("offset 0x%x: a second section %s; keep one", sec.Start, ManifestSection)
		case len(body) > MaxManifestBytes:
			return fmt.Errorf("section %s: %d bytes; at most %d", ManifestSection, len(body), MaxManifestBytes)
		default:
			found = body
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Strip is a copy of the module without the sections of a manifest: what the
// digest of the module is taken over.
func Strip(module []byte) ([]byte, error) {
	out := make([]byte, 0, len(module))
	from := 0
	err := walkCustom(module, func(sec binary.Section, name string, _ []byte) error {
		if name == ManifestSection {
			out = append(out, module[from:sec.Start]...)
			from = sec.End()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return append(out, module[from:]...), nil
}

func walkCustom(module []byte, each func(binary.Section, string, []byte) error) error {
	secs := binary.NewSections(module)
	for sec, ok := secs.Next(); ok; sec, ok = secs.Next() {
		if sec.ID != binary.SectionCustom {
			continue
		}
		r := sec.Reader()
		name := r.Name()
		if err := r.Err(); err != nil {
			return fmt.Errorf("custom section, %w", err)
		}
		if err := each(sec, string(name), r.Rest()); err != nil {
			return err
		}
	}
	return secs.Err()
}
