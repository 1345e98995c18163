"""The WSGI applications that gunicorn serves. ETC in the environment names the folder of their configuration.

Each is made by a call and told its file.
"""
import os
import sys

ETC = os.environ["ETC"]
del sys.argv[1:]  # gunicorn's, which oslo.config would read


def keystone():
    from keystone.server.flask import core
    return core.initialize_application(name="public", config_files=[f"{ETC}/keystone.conf"])


def placement():
    os.environ["OS_PLACEMENT_CONFIG_DIR"] = ETC
    from placement import wsgi
    return wsgi.init_application()


def octavia():
    from octavia.api.app import setup_app
    return setup_app(argv=["octavia", f"--config-file={ETC}/octavia.conf"])


def barbican():
    from barbican.common import config
    config.CONF([f"--config-file={ETC}/barbican.conf"], project="barbican")
    from paste import deploy
    return deploy.loadapp(f"config:{sys.prefix}/etc/barbican/barbican-api-paste.ini")
