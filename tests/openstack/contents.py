"""Contents of the cloud that the suites meet: accounts and the catalog, networks, a router, an image, a flavor, servers."""
import os
import time

import requests

REGION = "RegionOne"
PASSWORD = "secret"
# User -> (project, roles).
USERS = {
    "service": ("service", ("admin", "service")),
    "demo": ("demo", ("member", "load-balancer_member", "creator")),
    "reader": ("demo", ("reader",)),
    "trustee": ("alt_demo", ("member",)),
    "alt_demo": ("alt_demo", ("member", "load-balancer_member")),
}
SERVERS = ("node-0", "node-1", "node-2")


class Client:
    """One user's requests; an answer that is no success raises requests.HTTPError."""

    def __init__(self, identity, user, project):
        self.session = requests.Session()
        answer = self.session.post(f"{identity}/auth/tokens", timeout=60, json={"auth": {
            "identity": {"methods": ["password"],
                         "password": {"user": {"name": user, "password": PASSWORD, "domain": {"id": "default"}}}},
            "scope": {"project": {"name": project, "domain": {"id": "default"}}}}})
        answer.raise_for_status()
        self.session.headers["X-Auth-Token"] = answer.headers["X-Subject-Token"]
        self.token = answer.json()["token"]

    def send(self, method, url, **options):
        answer = self.session.request(method, url, timeout=60, **options)
        if not answer.ok:
            raise requests.HTTPError(f"{method} {url}: {answer.status_code} {answer.text}")
        return answer.json() if "json" in answer.headers.get("Content-Type", "") else None

    def make(self, url, kind, members):
        return self.send("POST", url, json={kind: members})[kind]["id"]


def accounts(identity, catalog):
    admin = Client(identity, "admin", "admin")
    listed = {role["name"]: role["id"] for role in admin.send("GET", f"{identity}/roles")["roles"]}
    wanted = {role for _, roles in USERS.values() for role in roles} | {"load-balancer_admin"}
    roles = {name: listed.get(name) or admin.make(f"{identity}/roles", "role", {"name": name}) for name in wanted}
    projects = {"admin": admin.token["project"]["id"]}
    users = {"admin": admin.token["user"]["id"]}
    for name, (project, granted) in USERS.items():
        if project not in projects:
            projects[project] = admin.make(f"{identity}/projects", "project", {"name": project, "domain_id": "default"})
        users[name] = admin.make(f"{identity}/users", "user", {
            "name": name, "password": PASSWORD, "domain_id": "default", "default_project_id": projects[project]})
        for role in granted:
            admin.send("PUT", f"{identity}/projects/{projects[project]}/users/{users[name]}/roles/{roles[role]}")
    for role in ("load-balancer_admin",):
        admin.send("PUT", f"{identity}/projects/{projects['admin']}/users/{users['admin']}/roles/{roles[role]}")
    for kind, url in catalog.items():
        service = admin.make(f"{identity}/services", "service", {"name": kind, "type": kind})
        for interface in ("public", "internal", "admin"):
            admin.make(f"{identity}/endpoints", "endpoint", {
                "service_id": service, "interface": interface, "url": url, "region_id": REGION})
    return {"projects": projects, "users": users}


def resources(names, urls):
    """Returns what is written to the file `ready`."""
    identity, network = f"{urls['keystone']}/v3", f"{urls['neutron']}/v2.0"
    compute, image = f"{urls['nova']}/v2.1", f"{urls['glance']}/v2"
    admin, demo = Client(identity, "admin", "admin"), Client(identity, "demo", "demo")
    ids = {}

    def subnet(owner, name, on, **members):
        ids[name] = owner.make(f"{network}/subnets", "subnet", {"name": name, "network_id": ids[on], **members})

    ids["public"] = admin.make(f"{network}/networks", "network", {
        "name": "public", "router:external": True, "provider:network_type": "flat", "provider:physical_network": "public"})
    subnet(admin, "public-v4", "public", ip_version=4, cidr="203.0.113.0/24", enable_dhcp=False)
    ids["private"] = demo.make(f"{network}/networks", "network", {"name": "private"})
    subnet(demo, "private-v4", "private", ip_version=4, cidr="10.10.0.0/24")
    ids["dual"] = demo.make(f"{network}/networks", "network", {"name": "dual"})
    subnet(demo, "dual-v4", "dual", ip_version=4, cidr="10.20.0.0/24")
    subnet(demo, "dual-v6", "dual", ip_version=6, cidr="fd00:20::/64", ipv6_address_mode="slaac", ipv6_ra_mode="slaac")
    ids["router"] = demo.make(f"{network}/routers", "router", {
        "name": "router", "external_gateway_info": {"network_id": ids["public"]}})
    for name in ("private-v4", "dual-v4", "dual-v6"):
        demo.send("PUT", f"{network}/routers/{ids['router']}/add_router_interface", json={"subnet_id": ids[name]})

    ids["m1.tiny"] = admin.make(f"{compute}/flavors", "flavor", {"name": "m1.tiny", "ram": 128, "vcpus": 1, "disk": 1})
    ids["debian"] = admin.send("POST", f"{image}/images", json={
        "name": "debian", "disk_format": "raw", "container_format": "bare", "visibility": "public"})["id"]
    admin.send("PUT", f"{image}/images/{ids['debian']}/file", data=b"image", headers={
        "Content-Type": "application/octet-stream"})
    for name in SERVERS:
        ids[name] = demo.make(f"{compute}/servers", "server", {
            "name": name, "flavorRef": ids["m1.tiny"], "imageRef": ids["debian"], "networks": [{"uuid": ids["private"]}]})
    until = time.monotonic() + float(os.environ.get("CCM_TEST_PATIENCE", 120))
    for name in SERVERS:
        while (status := demo.send("GET", f"{compute}/servers/{ids[name]}")["server"]["status"]) != "ACTIVE":
            if status == "ERROR" or time.monotonic() > until:
                raise RuntimeError(f"server {name} is {status}")
            time.sleep(0.2)
    return {"auth_url": identity, "region": REGION, "password": PASSWORD, **names, "ids": ids}
