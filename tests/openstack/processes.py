"""Child processes in sessions of their own, their output in files, and all of them gone in the end."""
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request


class Processes:
    def __init__(self, logs):
        self.logs = logs
        self.running = {}

    def start(self, name, *command, environment=None, directory=None):
        with open(self.logs / f"{name}.out", "wb") as log:
            self.running[name] = subprocess.Popen(
                [str(word) for word in command], cwd=directory, env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def wait_until(self, what, ready, seconds=None):
        """Raises RuntimeError when it takes longer, or when a process ends meanwhile."""
        seconds = seconds or float(os.environ.get("CCM_TEST_PATIENCE", 120))
        until = time.monotonic() + seconds
        while not ready():
            ended = [name for name, process in self.running.items() if process.poll() is not None]
            if ended:
                raise RuntimeError(f"{ended[0]} ended, see {self.logs}/{ended[0]}.out")
            if time.monotonic() > until:
                raise RuntimeError(f"{what} is not ready after {seconds} s, see {self.logs}")
            time.sleep(0.2)

    def stop(self, base=()):
        """All at once, then those of `base`, which the others need to end; by force what has not ended after 20 s."""
        for wave in [name for name in self.running if name not in base], [name for name in self.running if name in base]:
            for name in wave:
                signal_group(self.running[name], signal.SIGTERM)
            until = time.monotonic() + 20
            for name in wave:
                process = self.running.pop(name)
                try:
                    process.wait(max(0, until - time.monotonic()))
                except subprocess.TimeoutExpired:
                    print(f"{name} does not end, and is killed", flush=True)
                signal_group(process, signal.SIGKILL)  # and children that it left
                process.wait()


def signal_group(process, number):
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def answers(url):
    """Whether anything is answered there, an error included."""
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
