"""The dependencies that Perseid finds, against those that StarPU itself follows.

tests/golden/edges holds, for programs whose submissions are always the same, the edges that StarPU
traced with FxT: numbers of tasks in order of submission, transitively reduced. Kept are tasks that a
worker executed and that are not StarPU's own. An edge is right if one task must end before the other
begins, directly or through others.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

INTERNAL = re.compile(r"redux_task_|data_cpy|conversion_task|convert_data|ucontrol|_starpu_")


def closure(successors, kept):
    """For each kept node the set of kept nodes that it reaches, as bits."""
    reach, open_nodes = {}, set()
    bit = {node: 1 << number for number, node in enumerate(kept)}
    for first in kept:
        stack = [(first, iter(successors.get(first, ())))] if first not in reach else []
        while stack:
            node, rest = stack[-1]
            open_nodes.add(node)
            step = next((n for n in rest if n not in reach), None)
            if step in open_nodes:
                raise ValueError(f"a cycle of dependencies through {step} and {node}")
            if step is not None:
                stack.append((step, iter(successors.get(step, ()))))
                continue
            stack.pop()
            open_nodes.discard(node)
            found = 0
            for other in successors.get(node, ()):
                found |= reach.get(other, 0) | bit.get(other, 0)
            reach[node] = found
    return [reach[node] for node in kept]


class Golden:
    def __init__(self, path):
        self.tasks, edges, self.command = [], {}, ""
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if line.startswith("# command: "):
                self.command = line[len("# command: "):].strip()
            elif words and words[0] == "task":
                self.tasks.append(int(words[1]))
            elif words and words[0] == "edge":
                edges.setdefault(int(words[1]), []).append(int(words[2]))
        self.closure = closure(edges, self.tasks)


class Rows:
    """A task is two nodes, its begin and its finish: an end dependency delays the finish alone."""

    def __init__(self, text):
        names, executed, successors = {}, set(), {}
        for line in text.splitlines():
            words = line.split()
            if words[0] == "task":
                names[words[1]] = re.search(r'name="((?:[^"\\]|\\.)*)"', line)[1]
            elif words[0] == "step" and words[2] == "begin" and " worker=0 " not in line:
                executed.add(words[1])
            elif words[0] == "edge":
                begin, cause = words[2], words[3]
                target = begin if begin.startswith("group") or cause != "end" else begin + "!"
                source = words[1] if words[1].startswith("group") else words[1] + "!"
                successors.setdefault(source, []).append(target)
        for task in names:
            successors.setdefault(task, []).append(task + "!")
        kept = [task for task in sorted(names, key=int)
                if task in executed and not INTERNAL.search(names[task])]
        self.tasks = kept
        self.closure = closure(successors, kept)


def program_of(name, directories):
    for directory in directories:
        for root, _, files in os.walk(directory):
            if name in files and os.access(os.path.join(root, name), os.X_OK):
                return os.path.join(root, name)
    return None


def trace(tool, command, directory):
    capture = os.path.join(directory, "run.capture")
    subprocess.run([tool, "run", "-q", "-s", "keep=1", "-o", os.path.join(directory, "run.json"), "--",
                    *command], cwd=directory, check=True, timeout=120,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return subprocess.run([tool, "dump", "--rows", capture], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def main():
    tool, golden_directory, *directories = sys.argv[1:]
    passed, failed = 0, 0
    for file in sorted(os.listdir(golden_directory)):
        if not file.endswith(".edges"):
            continue
        golden = Golden(os.path.join(golden_directory, file))
        command = shlex.split(golden.command)
        program = program_of(command[0], directories)
        problem = "the program is not there"
        if program is not None:
            with tempfile.TemporaryDirectory() as directory:
                try:
                    rows = Rows(trace(tool, [program, *command[1:]], directory))
                    problem = compare(rows, golden)
                except (ValueError, subprocess.SubprocessError) as error:
                    problem = f"{error} {getattr(error, 'stderr', b'')!r}"
        passed, failed = passed + (not problem), failed + bool(problem)
        if problem:
            print(f"{golden.command}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def compare(rows, golden):
    """"": the same tasks, and each precedes the same others."""
    if len(rows.tasks) != len(golden.tasks):
        return f"{len(rows.tasks)} tasks, StarPU has {len(golden.tasks)}"
    if rows.closure == golden.closure:
        return ""
    right = sum((a & b).bit_count() for a, b in zip(rows.closure, golden.closure))
    found = sum(bits.bit_count() for bits in rows.closure)
    there = sum(bits.bit_count() for bits in golden.closure)
    wrong = [f"{i + 1} -> {(a & ~b).bit_length()}" for i, (a, b)
             in enumerate(zip(rows.closure, golden.closure)) if a & ~b][:3]
    missing = [f"{i + 1} -> {(b & ~a).bit_length()}" for i, (a, b)
               in enumerate(zip(rows.closure, golden.closure)) if b & ~a][:3]
    return (f"precision {right / max(found, 1):.4f}, recall {right / max(there, 1):.4f};"
            f" wrong {', '.join(wrong) or 'none'}; missing {', '.join(missing) or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
