package proxy

import (
	"errors"
	"os"
	"os/exec"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var terminateSignal os.Signal = os.Interrupt

// group is a job object that holds a child and all it starts.
type group struct {
	job windows.Handle
	pid int
}

// startGroup starts a command in a job that ends with us.
func startGroup(cmd *exec.Cmd) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{}, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		return group{}, errors.Join(err, windows.CloseHandle(job))
	}
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		return group{}, errors.Join(err, windows.CloseHandle(job))
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = errors.Join(windows.AssignProcessToJobObject(job, process), windows.CloseHandle(process))
	}
	if err != nil {
		return group{}, errors.Join(err, cmd.Process.Kill(), windows.CloseHandle(job))
	}
	return group{job, cmd.Process.Pid}, nil
}

// signal sends CTRL_BREAK, the one console event that can be sent to a group.
func (g group) signal(os.Signal) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.pid))
}

func (g group) kill() { _ = windows.TerminateJobObject(g.job, 1) } // an empty job: nothing is left

func (g group) end(time.Duration) { g.kill() } // a job has no way to ask

func (g group) close() { _ = windows.CloseHandle(g.job) } // nothing more can be done with it

func exitCode(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	return s.ExitCode()
}

func forwarded() []os.Signal { return []os.Signal{os.Interrupt} }

func brokenPipe() []os.Signal { return nil }
