#!/usr/bin/env python3
"""Starts the services of OpenStack on free ports of the loopback interface, and ends them:

    VENV/bin/python services.py DIRECTORY [COMMAND...]

DIRECTORY is new: it takes databases, logs and the file `ready`, which says (JSON) where Keystone is, who may log in and what
is there. With COMMAND: runs it with CCM_OPENSTACK naming that file, ends with its exit code. Without: waits for SIGTERM.
VENV is what ./install makes. README.md has the rest.
"""
import json
import os
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import contents
from processes import Processes, answers

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(sys.prefix, "bin")
PORTS = ("mariadb", "rabbitmq", "epmd", "distribution", "keystone", "placement", "glance", "neutron", "nova", "octavia",
         "barbican")
DATABASES = ("keystone", "placement", "glance", "neutron", "nova", "nova_api", "nova_cell0", "octavia", "barbican")
DRIVERS = """[neutron.ml2.mechanism_drivers]
bind_at_once = bind_at_once:BindAtOnce
[octavia.network.drivers]
address_without_plugging = address_without_plugging:AddressWithoutPlugging
"""


class Services:
    def __init__(self, directory):
        self.directory = directory
        for name in ("log", "etc", "octavia", "neutron/lock", "nova/lock", "glance/images", "keystone/fernet-keys",
                     "keystone/credential-keys", "drivers/drivers-1.dist-info"):
            (directory / name).mkdir(parents=True, mode=0o700)
        self.ports = free_ports(PORTS)
        self.processes = Processes(directory / "log")
        # The path of a socket may not be long, and the directory's may be.
        self.sockets = tempfile.TemporaryDirectory(prefix="openstack-")
        self.socket = Path(self.sockets.name, "mariadb")

    def url(self, service):
        return f"http://127.0.0.1:{self.ports[service]}"

    def start(self):
        self.write_configuration()
        self.start_mariadb()
        self.start_rabbitmq()
        self.processes.wait_until("MariaDB", lambda: self.sql("select 1", check=False) == "1")
        self.sql("".join(f"create database {name} character set utf8mb3;" for name in DATABASES) +
                 "create user openstack@127.0.0.1 identified by 'secret'; grant all on *.* to openstack@127.0.0.1;")
        with ThreadPoolExecutor() as pool:
            for chain in [pool.submit(chain) for chain in (self.prepare_identity, self.prepare_network, self.prepare_compute)]:
                chain.result()
        self.start_application("keystone")
        self.wait_for("keystone")
        project = contents.accounts(f"{self.url('keystone')}/v3", {
            "compute": self.url("nova") + "/v2.1", "network": self.url("neutron"), "load-balancer": self.url("octavia"),
            "placement": self.url("placement"), "key-manager": self.url("barbican"), "image": self.url("glance")})
        self.start_services()
        self.processes.wait_until("the hypervisor", self.has_hypervisor)
        ready = contents.resources(project, {name: self.url(name) for name in ("keystone", "nova", "neutron", "glance")})
        logs = [f"{self.directory}/log/{name}.log" for name in ("octavia-requests", "neutron-server")]
        return {**ready, "request_logs": logs,
                "octavia_sql": f"mariadb --no-defaults --host=127.0.0.1 --port={self.ports['mariadb']}"
                                        " --user=openstack --password=secret octavia"}

    def write_configuration(self):
        account = "\n".join(f"{name} = {value}" for name, value in {
            "auth_url": self.url("keystone") + "/v3", "auth_type": "password", "username": "service",
            "password": "secret", "project_name": "service", "user_domain_id": "default",
            "project_domain_id": "default", "region_name": contents.REGION}.items())
        values = dict(self.ports, directory=self.directory, environment=sys.prefix, service_account=account,
                      database=f"mysql+pymysql://openstack:secret@127.0.0.1:{self.ports['mariadb']}")
        files = {path.name: string.Template(path.read_text()).substitute(values) for path in (HERE / "etc").iterdir()}
        common = files.pop("common.conf")
        for name, text in files.items():
            (self.directory / "etc" / name).write_text(f"{common}\n{text}")
        drivers = self.directory / "drivers/drivers-1.dist-info"
        (drivers / "METADATA").write_text("Metadata-Version: 2.1\nName: drivers\nVersion: 1\n")
        (drivers / "entry_points.txt").write_text(DRIVERS)
        for driver in (HERE / "drivers").glob("*.py"):
            shutil.copy(driver, self.directory / "drivers")

    def start_mariadb(self):
        data = self.directory / "mariadb"
        user = f"--user={os.environ.get('USER', 'root')}" if os.geteuid() == 0 else "--skip-name-resolve"
        self.run("mariadb-install-db", "--no-defaults", user, f"--datadir={data}", "--skip-test-db",
                 "--auth-root-authentication-method=normal")
        self.processes.start(
            "mariadb", "/usr/sbin/mariadbd", "--no-defaults", user, f"--datadir={data}", f"--socket={self.socket}",
            f"--pid-file={data}/pid", "--bind-address=127.0.0.1", f"--port={self.ports['mariadb']}",
            "--skip-name-resolve", "--max-connections=400", "--innodb-buffer-pool-size=128M",
            "--innodb-flush-log-at-trx-commit=0")

    def start_rabbitmq(self):
        """With an epmd of its own, which would otherwise outlive it."""
        folder = self.directory / "rabbitmq"
        folder.mkdir()
        (folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = 127.0.0.1:{self.ports['rabbitmq']}\n")
        (folder / "enabled_plugins").write_text("[].\n")
        (folder / "environment").write_text("")
        environment = {
            "HOME": str(folder), "ERL_EPMD_ADDRESS": "127.0.0.1", "ERL_EPMD_PORT": str(self.ports["epmd"]),
            "RABBITMQ_DIST_PORT": str(self.ports["distribution"]), "RABBITMQ_NODENAME": "openstack@localhost",
            "RABBITMQ_MNESIA_BASE": f"{folder}/data", "RABBITMQ_LOG_BASE": f"{self.directory}/log",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf", "RABBITMQ_CONF_ENV_FILE": f"{folder}/environment",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1"}
        self.processes.start("epmd", "epmd", environment=environment)
        self.processes.start("rabbitmq", "/usr/lib/rabbitmq/bin/rabbitmq-server", environment=environment)

    def prepare_identity(self):
        manage = ["keystone-manage", "--config-file", self.file("keystone")]
        owner = ["--keystone-user", str(os.geteuid()), "--keystone-group", str(os.getegid())]
        self.run(*manage, "db_sync")
        self.run(*manage, "fernet_setup", *owner)
        self.run(*manage, "credential_setup", *owner)
        self.run(*manage, "bootstrap", "--bootstrap-password", "secret", "--bootstrap-region-id", contents.REGION,
                 *(word for kind in ("public", "internal", "admin")
                   for word in (f"--bootstrap-{kind}-url", self.url("keystone") + "/v3/")))
        self.run("octavia-db-manage", "--config-file", self.file("octavia"), "upgrade", "head")
        folder = self.directory / "octavia"
        self.run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-passout", "pass:passphrase", "-days", "30",
                 "-subj", "/CN=octavia", "-keyout", folder / "ca.key", "-out", folder / "ca.pem")
        (folder / "client.pem").write_text((folder / "ca.pem").read_text() + (folder / "ca.key").read_text())

    def prepare_network(self):
        self.run("neutron-db-manage", "--config-file", self.file("neutron"), "upgrade", "heads")
        self.run("placement-manage", "--config-file", self.file("placement"), "db", "sync")
        self.run("glance-manage", "--config-file", self.file("glance"), "db_sync")

    def prepare_compute(self):
        manage = ["nova-manage", "--config-file", self.file("nova")]
        database = f"mysql+pymysql://openstack:secret@127.0.0.1:{self.ports['mariadb']}"
        self.run(*manage, "api_db", "sync")
        self.run(*manage, "cell_v2", "map_cell0", "--database_connection", f"{database}/nova_cell0")
        self.run(*manage, "cell_v2", "create_cell", "--name=cell1")
        self.run(*manage, "db", "sync")

    def start_application(self, name):
        self.processes.start(
            name, PROGRAMS / "gunicorn", "--bind", f"127.0.0.1:{self.ports[name]}", "--threads", "4",
            "--keep-alive", "300", "--no-control-socket",
            "--access-logfile", self.directory / f"log/{name}-requests.log", f"applications:{name}()",
            environment=self.environment(), directory=HERE)

    def start_program(self, name, *files, log=True):
        command = [PROGRAMS / name] + [f"--config-file={self.file(file)}" for file in files]
        if log:
            command.append(f"--log-file={self.directory}/log/{name}.log")
        self.processes.start(name, *command, environment=self.environment())

    def start_services(self):
        for name in ("placement", "octavia", "barbican"):
            self.start_application(name)
        self.start_program("neutron-server", "neutron")
        for name in ("nova-api-os-compute", "nova-conductor", "nova-scheduler", "nova-compute"):
            self.start_program(name, "nova")
        self.start_program("glance-api", "glance")
        self.start_program("octavia-worker", "octavia", "octavia-worker", log=False)
        for name in ("placement", "octavia", "barbican", "neutron", "nova", "glance"):
            self.wait_for(name)

    def has_hypervisor(self):
        """A server made before the machine is mapped to its cell and has an inventory ends in ERROR."""
        return self.sql("select (select count(*) from nova_api.host_mappings) > 0"
                        " and (select count(*) from placement.inventories) > 0") == "1"

    def wait_for(self, service):
        self.processes.wait_until(service, lambda: answers(self.url(service)))

    def file(self, name):
        return self.directory / "etc" / f"{name}.conf"

    def environment(self):
        return {"ETC": str(self.directory / "etc"), "PYTHONPATH": str(self.directory / "drivers"),
                "PYTHONDONTWRITEBYTECODE": "1"}

    def sql(self, statement, check=True):
        done = subprocess.run(["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "-N", "-e", statement],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if check and done.returncode != 0:
            raise RuntimeError(f"{statement}: {done.stderr}")
        return done.stdout.strip()

    def run(self, program, *words):
        """To its end; its output goes into a log."""
        own = PROGRAMS / program
        command = [str(own if own.exists() else program), *map(str, words)]
        with open(self.directory / "log/preparation.out", "ab") as log:
            if subprocess.run(command, env={**os.environ, **self.environment()}, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=subprocess.STDOUT, check=False).returncode != 0:
                raise RuntimeError(f"{program} failed, see {log.name}")


def free_ports(names):
    sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in names}
    ports = {name: opened.getsockname()[1] for name, opened in sockets.items()}
    for opened in sockets.values():
        opened.close()
    return ports


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    directory = Path(sys.argv[1]).resolve()
    services = Services(directory)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        ready = services.start()
        with tempfile.NamedTemporaryFile("w", dir=directory, delete=False) as file:
            json.dump(ready, file, indent=2)
        os.rename(file.name, directory / "ready")
        if len(sys.argv) == 2:
            print(f"The services of OpenStack are ready: {directory}/ready", flush=True)
            signal.pause()
        environment = dict(os.environ, CCM_OPENSTACK=str(directory / "ready"))
        return subprocess.run(sys.argv[2:], env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 0
    except (RuntimeError, OSError) as fault:
        print(f"services.py: {fault}", file=sys.stderr)
        return 1
    finally:
        services.processes.stop(base=("mariadb", "epmd", "rabbitmq"))
        services.sockets.cleanup()


if __name__ == "__main__":
    sys.exit(main())
