"""A real Slurm on this machine: munged, slurmctld and slurmd on loopback, in a directory of its own."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "scancel", "squeue")
KILL_WAIT = 3  # seconds from SIGTERM to SIGKILL


class CannotRun(Exception):
    """Slurm cannot be had here; says exactly why."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.configuration = self.directory / "slurm.conf"
        self.processes = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def environment(self):
        kept = {k: v for k, v in os.environ.items()
                if not k.startswith(("SLURM", "PERSEID", "STARPU", "LD_", "OMPI", "PMI"))}
        return {**kept, "SLURM_CONF": str(self.configuration)}

    def start(self):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            raise CannotRun(f"not installed: {', '.join(missing)} (Debian: slurm-wlm munge)")
        if os.geteuid() != 0:
            raise CannotRun("slurmd and munged have to be started as root")
        self.start_munge()
        self.write_configuration()
        self.spawn("slurmctld", "-D", "-f", self.configuration)
        self.spawn("slurmd", "-D", "-f", self.configuration, "-N", socket.gethostname().split(".")[0])
        self.wait_until_idle()

    def start_munge(self):
        if self.munge_works():
            return
        for path in ("/run/munge", "/var/log/munge", "/var/lib/munge"):
            os.makedirs(path, exist_ok=True)
            shutil.chown(path, "munge", "munge")
        with open(self.directory / "munged.log", "wb") as log:
            self.processes.append(subprocess.Popen(
                ["runuser", "-u", "munge", "--", "munged", "--foreground", "--force"],
                stdout=subprocess.DEVNULL, stderr=log))
        for _ in range(50):
            if self.munge_works():
                return
            time.sleep(0.1)
        raise CannotRun("munged does not answer: " + (self.directory / "munged.log").read_text()[-500:])

    def munge_works(self):
        made = subprocess.run(["munge", "-n"], capture_output=True)
        read = subprocess.run(["unmunge"], input=made.stdout, capture_output=True)
        return made.returncode == 0 and read.returncode == 0

    def write_configuration(self):
        host = socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (self.directory / name).mkdir()
        self.configuration.write_text(f"""ClusterName=perseid
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={self.directory}/state
SlurmdSpoolDir={self.directory}/spool
SlurmctldPidFile={self.directory}/slurmctld.pid
SlurmdPidFile={self.directory}/slurmd.pid
SlurmctldLogFile={self.directory}/slurmctld.log
SlurmdLogFile={self.directory}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
KillWait={KILL_WAIT}
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=10 State=UP
""")

    def spawn(self, *words):
        with open(self.directory / f"{words[0]}.out", "wb") as log:
            self.processes.append(subprocess.Popen(
                list(map(str, words)), env=self.environment(), stdout=log, stderr=log,
                start_new_session=True))

    def wait_until_idle(self):
        for _ in range(100):
            if any(process.poll() is not None for process in self.processes):
                break
            state = subprocess.run(["sinfo", "-h", "-o", "%t"], env=self.environment(), text=True,
                                   capture_output=True).stdout.strip()
            if state == "idle":
                return
            time.sleep(0.2)
        told = "".join(path.read_text(errors="replace")[-400:] for path in
                       sorted(self.directory.glob("slurm*.log")) + sorted(self.directory.glob("slurm*.out")))
        raise CannotRun("no node becomes idle: " + told)

    def stop(self):
        if self.configuration.exists():
            subprocess.run(["scancel", "--full", "-u", "root"], env=self.environment(), capture_output=True)
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def run(self, *words):
        return subprocess.run(list(map(str, words)), env=self.environment(), text=True,
                              capture_output=True, timeout=30)

    def submit(self, directory, script, *options):
        """The number of the job."""
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "job.sh").write_text("#!/bin/bash\n" + script)
        result = subprocess.run(["sbatch", "--parsable", "--ntasks=2", "-D", str(directory), *options,
                                 str(directory / "job.sh")],
                                env=self.environment(), text=True, capture_output=True, timeout=30)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip().split(";")[0]

    def state(self, job):
        result = self.run("scontrol", "-o", "show", "job", job)
        states = [word.split("=")[1] for word in result.stdout.split() if word.startswith("JobState=")]
        return set(states)

    def wait_for(self, job, states, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            now = self.state(job)
            if now and now <= set(states):
                return now
            time.sleep(0.2)
        raise AssertionError(f"job {job} is {self.state(job)} and not {states}")
