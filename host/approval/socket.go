package approval

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/callgate/callgate/abi"
)

// Limits of a socket.
const (
	maxConnections = 32
	maxWrongIDs    = 5                      // of one connection
	wrongIDDelay   = 100 * time.Millisecond // for each of them
	idleTime       = 10 * time.Second       // for a request to arrive
	writeTime      = 10 * time.Second       // for one line to be taken
)

// Options says what a socket serves.
type Options struct {
	Dir  string // of SocketDir
	Desk *Desk
	Info Info
	// Context takes what the user says; nil: the policy does not allow it.
	Context func(text string) error
	// Accept pins what the server last listed of a tool, or says of itself ("" for
	// the tool), if that has the digest; nil: the process takes none.
	Accept func(tool, digest string) error
	// Reload says what became of the files of the policy since it was read, and
	// AcceptPolicy puts what waits into force, if it still has the digest; nil: the
	// process does not read them again.
	Reload       func() Reload
	AcceptPolicy func(digest string) error
	// Look reads the files again now, and returns once Reload says what they are.
	// Nil: as Reload.
	Look func()
	// Labels lists those that the session holds; nil: nobody says.
	Labels func() []string
	// Child lists the processes whose descendants are refused. It is called for
	// each connection.
	Child func() []int
}

// Socket lets the user's terminals answer the questions of a process.
type Socket struct {
	o      Options
	path   string
	listen net.Listener
	done   chan struct{} // no connection is accepted any more

	mu    sync.Mutex
	conns map[net.Conn]bool
	ended bool
}

// Listen makes the socket of this process and serves it. Where the platform
// does not say who connects it fails with ErrUnavailable.
func Listen(o Options) (*Socket, error) {
	if !available {
		return nil, ErrUnavailable
	}
	if err := checkDir(o.Dir); err != nil {
		return nil, err
	}
	base := filepath.Join(o.Dir, strconv.Itoa(os.Getpid())+"-"+newID()[:8])
	// Bound under another name first: a socket that is bound and does not listen
	// yet looks like one that was left behind.
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: base + ".new", Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("no socket for answers from a terminal: %w", err)
	}
	l.SetUnlinkOnClose(false)
	path := base + ".sock"
	if err := errors.Join(os.Chmod(base+".new", 0o600), os.Rename(base+".new", path)); err != nil {
		return nil, errors.Join(err, l.Close(), os.Remove(base+".new"))
	}
	s := &Socket{o: o, path: path, listen: l, done: make(chan struct{}), conns: map[net.Conn]bool{}}
	go s.accept()
	return s, nil
}

// Path is where the socket is.
func (s *Socket) Path() string { return s.path }

// Close ends every connection and removes the socket. An answer that is being
// carried out is not waited for.
func (s *Socket) Close() error {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return nil
	}
	s.ended = true
	for c := range s.conns {
		_ = c.Close() // whoever reads or writes it hears of it
	}
	s.mu.Unlock()
	err := errors.Join(os.Remove(s.path), s.listen.Close())
	<-s.done
	return err
}

func (s *Socket) accept() {
	defer close(s.done)
	for {
		c, err := s.listen.Accept()
		if err != nil {
			if s.closing() {
				return
			}
			time.Sleep(10 * time.Millisecond) // out of descriptors: it may pass
			continue
		}
		if !s.enter(c) {
			_ = c.Close() // too many, or none any more
			continue
		}
		go func() {
			defer s.leave(c)
			s.serve(c.(*net.UnixConn))
		}()
	}
}

func (s *Socket) closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

func (s *Socket) enter(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || len(s.conns) >= maxConnections {
		return false
	}
	s.conns[c] = true
	return true
}

func (s *Socket) leave(c net.Conn) {
	_ = c.Close() // nothing is left to be said
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// serve speaks with one process, once it is known whose it is.
func (s *Socket) serve(c *net.UnixConn) {
	out := &replies{c: c}
	p, err := peerOf(c)
	if err == nil {
		var children []int
		if s.o.Child != nil {
			children = s.o.Child()
		}
		err = admit(p, s.o.Dir, children)
		p.close()
	}
	if err != nil {
		out.fail(fmt.Errorf("refused: %w", err))
		return
	}
	in := bufio.NewReader(c)
	wrong := 0
	for out.err == nil && wrong < maxWrongIDs {
		if c.SetReadDeadline(time.Now().Add(idleTime)) != nil {
			return
		}
		line, err := readLine(in, maxRequest)
		if err != nil {
			out.fail(err)
			return
		}
		r, err := parseRequest(line)
		if err != nil {
			out.fail(err)
			return
		}
		if err := s.do(r, out); errors.Is(err, ErrUnknown) {
			wrong++
			time.Sleep(wrongIDDelay)
			out.fail(err)
		} else if err != nil {
			out.fail(err)
		}
	}
}

// do carries a request out.
func (s *Socket) do(r request, out *replies) error {
	switch r.do {
	case doInfo, doLook:
		if r.do == doLook && s.o.Look != nil {
			s.o.Look()
		}
		info := s.o.Info
		if s.o.Reload != nil {
			r := s.o.Reload()
			info.Reload, info.PolicyDigest = &r, r.InForce
		}
		if s.o.Labels != nil {
			info.Labels = s.o.Labels()
		}
		out.write("info", infoValue(info))
	case doPending:
		s.pending(out)
	case doAnswer:
		result, err := s.o.Desk.Answer(r.id, Answer{Yes: r.yes, By: abi.ChannelTerminal})
		if err != nil {
			return err
		}
		out.write("result", abi.StringValue(result))
	case doContext:
		if s.o.Context == nil {
			return errors.New("the policy of this process takes no context; set settings.user_context: true")
		}
		if err := checkContext(r.text); err != nil {
			return err
		}
		if err := s.o.Context(r.text); err != nil {
			return err
		}
		out.write("result", abi.StringValue("taken"))
	case doAccept:
		if s.o.Accept == nil {
			return errors.New("this process takes no definitions while it runs; end it, and accept them then")
		}
		if err := s.o.Accept(r.tool, r.digest); err != nil {
			return err
		}
		out.write("result", abi.StringValue("pinned"))
	case doPolicy:
		if s.o.AcceptPolicy == nil {
			return errors.New("this process reads its policy once; end it, and start it anew")
		}
		if err := s.o.AcceptPolicy(r.digest); err != nil {
			return err
		}
		out.write("result", abi.StringValue("in force"))
	}
	return nil
}

func (s *Socket) pending(out *replies) {
	list := s.o.Desk.Pending()
	for _, q := range list {
		v, err := questionValue(q)
		if err != nil {
			out.fail(err)
			continue
		}
		out.write("question", v)
	}
	out.write("end", abi.IntValue(int64(len(list))))
}

// replies writes the lines of a process.
type replies struct {
	c   net.Conn
	err error // of the connection: nothing more can be written
}

func (o *replies) write(name string, v abi.Value) {
	line := append(abi.ObjectValue(abi.Member{Name: name, Value: v}).Append(nil), '\n')
	if len(line) > maxResponse {
		o.fail(fmt.Errorf("an open question of %d bytes, which is more than %d and can not be shown; deny the call in the client", len(line), maxResponse))
		return
	}
	o.send(line)
}

func (o *replies) fail(err error) {
	members := []abi.Member{text("error", err.Error())}
	if errors.Is(err, ErrUnknown) {
		members = append(members, abi.Member{Name: "unknown", Value: abi.BoolValue(true)})
	}
	o.send(append(abi.ObjectValue(members...).Append(nil), '\n'))
}

func (o *replies) send(line []byte) {
	if o.err != nil {
		return
	}
	if o.err = o.c.SetWriteDeadline(time.Now().Add(writeTime)); o.err == nil {
		_, o.err = o.c.Write(line)
	}
}
