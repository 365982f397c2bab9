"""A headless Chromium, driven through its own debugging pipe: no driver and no package besides it."""

import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

PATIENCE_S = 100  # a quiet machine needs two

SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-extensions", "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
    "--window-size=1600,1000", "--remote-debugging-pipe")


class BrowserError(Exception):
    pass


def find_chromium():
    found = shutil.which("chromium")
    if found is None:
        raise BrowserError("chromium is missing: bash scripts/install_packages.sh test")
    return found


class Browser:
    """One page. What it says on its console, throws or asks in a dialog is kept in `complaints`."""

    def __init__(self, local_state=None):
        chromium = find_chromium()
        self.complaints = []
        self.directory = tempfile.TemporaryDirectory(prefix="perseid-chromium-", ignore_cleanup_errors=True)
        home = pathlib.Path(self.directory.name)
        (home / "Local State").write_text(json.dumps(local_state or {}))
        self._last_call = 0
        self._unread = b""
        self._session = None
        self._start([chromium, *SWITCHES, f"--user-data-dir={home}", "about:blank"], home)
        try:
            pages = self.call("Target.getTargets")["targetInfos"]
            page = next(p["targetId"] for p in pages if p["type"] == "page")
            self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "DOM"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def _start(self, command, home):
        # Chromium reads from descriptor 3 and answers on 4. These two pipes take both numbers here if
        # they are free, so that nothing of Popen's own is behind them in the child.
        to_browser, self._send_end = os.pipe()
        self._receive_end, from_browser = os.pipe()

        def give_pipes():
            away = os.dup(from_browser)
            os.dup2(to_browser, 3)
            os.dup2(away, 4)
            os.set_inheritable(3, True)  # dup2 leaves a descriptor that is its own copy as it was

        self._errors = home / "stderr.txt"
        with open(self._errors, "wb") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, preexec_fn=give_pipes,
                close_fds=False, start_new_session=True, env=dict(os.environ, HOME=str(home)))
        os.close(to_browser)
        os.close(from_browser)

    def close(self):
        os.close(self._send_end)  # ends it in good order
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._receive_end)
        self.directory.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self, deadline):
        while b"\0" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._receive_end], [], [], left)[0]:
                raise BrowserError(f"chromium said nothing for {PATIENCE_S} s")
            piece = os.read(self._receive_end, 1 << 20)
            if not piece:
                raise BrowserError(f"chromium ended: {self._errors.read_text(errors='replace')[-2000:]}")
            self._unread += piece
        message, self._unread = self._unread.split(b"\0", 1)
        return json.loads(message)

    def _hear(self, event):
        what, told = event.get("method"), event.get("params", {})
        if what == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif what == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert", "warning"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in told["args"]))
        elif what == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.complaints.append(told["entry"]["text"])
        elif what == "Page.javascriptDialogOpening":
            self.complaints.append(told["message"])
            self._send("Page.handleJavaScriptDialog", accept=True)

    def _send(self, method, **params):
        self._last_call += 1
        message = {"id": self._last_call, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        rest = json.dumps(message).encode() + b"\0"
        while rest:
            rest = rest[os.write(self._send_end, rest):]
        return self._last_call

    def call(self, method, **params):
        """One command of the DevTools protocol."""
        number = self._send(method, **params)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message = self._receive(deadline)
            if message.get("id") != number:
                self._hear(message)
                continue
            if "error" in message:
                raise BrowserError(f"{method}: {message['error']['message']}")
            return message["result"]

    def open(self, address):
        problem = self.call("Page.navigate", url=address).get("errorText")
        if problem:
            raise BrowserError(f"{address}: {problem}")
        self.wait_for("document.readyState === 'complete'")

    def run(self, script):
        """The value of a JavaScript expression; waits for a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait_for(self, script):
        """Asks until the answer is true in JavaScript's sense, and returns it."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            answer = self.run(script)
            if answer:
                return answer
            time.sleep(0.05)
        raise BrowserError(f"not so after {PATIENCE_S} s: {script}; the page says {self.complaints}")

    def choose_file(self, file_input, path):
        """Gives a file to an <input type=file>, named by a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=file_input)["result"]
        self.call("DOM.setFileInputFiles", files=[str(path)], objectId=found["objectId"])
