"""Reads what strace wrote, and says which calls broke a rule: what a command opens for writing, removes, renames, starts.

Every call of a process that is not the watcher is judged by the command that runs at that moment, which the watcher's marks tell."""
import os
import re

FILES = ("open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat,"
         "chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,fallocate,mknod,mknodat,utime,utimes,utimensat,futimesat,"
         "setxattr,lsetxattr,fsetxattr,removexattr,lremovexattr,fremovexattr,mount,umount2,chroot,pivot_root")
PROCESSES = "execve,execveat,fork,vfork,clone,clone3,ptrace,connect,bind,sendto,io_uring_setup"
TRACED = f"trace={FILES},{PROCESSES},access,faccessat,faccessat2,chdir,fchdir"
MARKS = {"access", "faccessat", "faccessat2"}
FORKS = {"fork", "vfork", "clone", "clone3"}
# Read and written by every program of the system; nothing is kept there.
THREADS_MOST = 64
HARMLESS = ("/dev/null", "/dev/tty", "/proc/self/")

LINE = re.compile(r"^(\d+) +(.*)$")
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)(.*)$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)<((?:[^>\\]|\\.)*)>(?:\(deleted\))?, )?"((?:[^"\\]|\\.)*)"(\.\.\.)?')
BEGIN = re.compile(r'"/mutant/(\d+)/(.*)/begin"')
OWNER = re.compile(rf", {os.getuid()}, {os.getgid()} *$")
HANDLE = re.compile(r"^\d+<((?:[^>\\]|\\.)*)>")


def unescape(text):
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape").encode("latin-1", "replace").decode("utf-8", "replace")


def calls(path):
    """(pid, name, arguments, result, what stands behind the result), a call in two lines joined where it ended."""
    unfinished = {}
    with open(path, encoding="latin-1") as file:
        for line in file:
            match = LINE.match(line.rstrip("\n"))
            if not match:
                continue
            pid, text = int(match[1]), match[2]
            if text.endswith("<unfinished ...>"):
                unfinished[pid] = text[:-len("<unfinished ...>")]
                continue
            resumed = RESUMED.match(text)
            if resumed:
                text = unfinished.pop(pid, resumed[1] + "(") + resumed[2]
            call = CALL.match(text)
            if call:
                yield pid, call[1], call[2], -1 if call[3] == "?" else int(call[3]), call[4]
    for pid, text in unfinished.items():  # killed in it
        name, _, arguments = text.partition("(")
        yield pid, name, arguments, -1, ""


class Judge:
    """Roles of processes: the watcher, a command, one that a command has started, and gnuplot."""

    def __init__(self, path, root, command):
        self.list = list(calls(path))
        self.root, self.command = root, command
        self.watcher = self.list[0][0] if self.list else 0
        self.current = (0, "nothing")
        self.found = []
        self.seen = 0  # commands that were executed
        self.begin([])

    def begin(self, part):
        """A command begins: its processes are those that are forked in this part of the list. Numbers are used again by others."""
        self.parents, self.executed = {}, {}
        for pid, name, arguments, result, _ in part:
            if name in FORKS and result > 0:
                self.parents[result] = (pid, "CLONE_THREAD" in arguments)
        leaders = [self.leader(pid) for pid, (_, is_thread) in self.parents.items() if is_thread]
        if max(map(leaders.count, set(leaders)), default=0) > THREADS_MOST:
            self.complain(f"starts more than {THREADS_MOST} threads")

    def complain(self, what):
        entry = self.current + (what,)
        if entry not in self.found:
            self.found.append(entry)

    def leader(self, pid):
        """The process of a thread."""
        while pid in self.parents and self.parents[pid][1]:
            pid = self.parents[pid][0]
        return pid

    def role(self, pid):
        pid = self.leader(pid)
        if pid == self.watcher:
            return "watcher"
        parent = self.leader(self.parents.get(pid, (self.watcher, False))[0])
        if parent == self.watcher:
            return "command"
        if self.executed.get(pid) == "gnuplot" and self.role(parent) == "command":
            return "gnuplot"
        return "started" if self.role(parent) == "command" else "further"

    def may_write(self, path):
        number, name, is_reader = self.current[0], self.current[1], self.is_reader
        if path.startswith(HARMLESS) or not path.startswith("/"):  # pipe:[1], socket:[2]
            return True
        folder = os.path.join(self.root, "mutants", str(number))
        allowed = ["out", "tmp"] if is_reader else ["out", "tmp", "in"]
        return any(path == os.path.join(folder, part) or path.startswith(os.path.join(folder, part) + "/") for part in allowed)

    def places(self, arguments):
        """All paths that are named; commands and gnuplot stay in the folder out."""
        here = os.path.join(self.root, "mutants", str(self.current[0]), "out")
        return [os.path.normpath(os.path.join(unescape(at) or here, unescape(name))) for at, name, _ in PLACE.findall(arguments)]

    def judge_open(self, arguments, result, behind):
        if not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE|O_APPEND", re.sub(r'"(?:[^"\\]|\\.)*"', "", arguments)):
            return
        opened = re.match(r"<((?:[^>\\]|\\.)*)>", behind)
        paths = self.places(arguments) + ([unescape(opened[1])] if opened and result >= 0 else [])
        for path in paths:
            if not self.may_write(path):
                self.complain(f"opens for writing: {path}")
                return

    def judge_change(self, name, arguments, behind):
        if OWNER.search(arguments) and name in ("fchown", "chown", "lchown"):
            return  # SQLite, when root: to the owner that all files here have
        if name in ("mkdir", "mkdirat") and "EEXIST" in behind:
            return
        handle = HANDLE.match(arguments)
        if name.startswith("f") and name not in ("fchmodat", "fchownat", "futimesat") and handle:
            paths = [unescape(handle[1])]
        else:
            paths = self.places(arguments)
            if name in ("symlink", "symlinkat"):
                paths = paths[1:]
        for path in paths:
            if not self.may_write(path):
                self.complain(f"{name}: {path}")
                return

    def judge_execution(self, pid, arguments, result):
        if result != 0:
            return
        pid = self.leader(pid)
        path = self.places(arguments)[0]
        is_first = pid not in self.executed
        self.executed[pid] = os.path.basename(path)
        role = self.role(pid)
        if role == "command" and is_first and path == self.command:
            self.seen += 1
            return
        if role == "gnuplot" and is_first and self.current[1] == "report":
            return
        self.complain(f"executes {path}")

    def judge(self, pid, name, arguments, result, behind):
        role = self.role(pid)
        if role == "watcher":
            return
        if name in MARKS:
            return
        if name in ("execve", "execveat"):
            self.judge_execution(pid, arguments, result)
        elif name in FORKS:
            if "CLONE_THREAD" not in arguments and not (role == "command" and self.current[1] == "report"):
                self.complain(f"starts a process ({name})")
        elif name in ("open", "openat", "openat2", "creat"):
            self.judge_open(arguments + (", O_CREAT" if name == "creat" else ""), result, behind)
        elif name in ("chdir", "fchdir"):
            if pid in self.executed and result == 0:
                self.complain(f"goes to another folder: {arguments}")
        elif name in ("connect", "bind", "sendto", "ptrace", "io_uring_setup", "mount", "umount2", "chroot", "pivot_root"):
            self.complain(f"calls {name}({re.sub(r'<[^>]*>', '', arguments)[:80]})")
        else:
            self.judge_change(name, arguments, behind)

    def verdicts(self, reader_names):
        """[(number, command, what)]"""
        parts = [[]]
        for call in self.list:
            if call[0] == self.watcher and call[1] in MARKS and BEGIN.search(call[2]):
                parts.append([])
            parts[-1].append(call)
        for part in parts[1:]:
            marked = BEGIN.search(part[0][2])
            self.current = (int(marked[1]), unescape(marked[2]))
            self.is_reader = self.current[1] in reader_names
            self.begin(part)
            for call in part:
                self.judge(*call)
        return self.found
