"""Where moto 5.2.5 answers otherwise than AWS does, and the provider would see it."""
import functools

from moto.ec2 import utils as ec2
from moto.elb import models as elb
from moto.elbv2 import models as elbv2

NETWORK = ("TCP", "TLS", "UDP", "TCP_UDP")


def after(owner, name):
    """Decorates what runs after the method: it gets the result, and returns it."""
    def decorate(mend):
        original = getattr(owner, name)

        @functools.wraps(original)
        def mended(self, *arguments, **named):
            return mend(self, original(self, *arguments, **named), *arguments, **named)
        setattr(owner, name, mended)
    return decorate


def replaced(owner):
    """Decorates a method that takes the place of moto's."""
    return lambda method: setattr(owner, method.__name__, method)


# moto does not know them; AWS says so where it has no such data.
UNSUPPORTED = {"DescribeInstanceTopology"}


def apply():
    mend_filters()
    mend_network_load_balancers()
    mend_listeners()
    mend_classic_load_balancers()


def mend_filters():
    # One of a filter's values has to fit; moto wants all of them in these lists.
    original = ec2.is_filter_matching

    def is_filter_matching(thing, name, values):
        if name == "tag-key" and isinstance(values, list):
            return any(original(thing, name, [value]) for value in values)
        return original(thing, name, values)
    ec2.is_filter_matching = is_filter_matching


def mend_network_load_balancers():
    @after(elbv2.FakeLoadBalancer, "__init__")
    def attributes_of_a_new_one(self, _, *__, **___):
        if self.type == "network":
            for name in "load_balancing.cross_zone.enabled", "access_logs.s3.enabled", "deletion_protection.enabled":
                self.attrs.setdefault(name, "false")

    @after(elbv2.FakeTargetGroup, "__init__")
    def network_attributes(self, _, *__, **___):
        if self.protocol in NETWORK:
            self.attributes["preserve_client_ip.enabled"] = "true"
            self.attributes["proxy_protocol_v2.enabled"] = "false"

    # A group is a load balancer's as long as a listener says so.
    original = elbv2.ELBv2Backend.describe_target_groups

    @replaced(elbv2.ELBv2Backend)
    def describe_target_groups(self, load_balancer_arn, target_group_arns, names):
        for arn, group in self.target_groups.items():
            group.load_balancer_arns = [
                balancer.arn for balancer in self.load_balancers.values()
                if any(arn in self._get_target_group_arns_from(action_data=action.data)
                       for listener in balancer.listeners.values() for action in listener.default_actions)]
        return original(self, load_balancer_arn, target_group_arns, names)


def mend_listeners():
    @replaced(elbv2.ELBv2Backend)
    def modify_listener(self, arn, port=None, protocol=None, ssl_policy=None, certificates=None, actions=None):
        [listener] = self.describe_listeners(load_balancer_arn=None, listener_arns=[arn])
        listener.port = port or listener.port
        listener.protocol = protocol or listener.protocol
        if listener.protocol == "TLS":
            listener.ssl_policy = ssl_policy or listener.ssl_policy
            if certificates:
                listener.certificate = certificates[0]["CertificateArn"]
                listener.certificates = [listener.certificate, *listener.certificates[1:]]
        else:
            listener.certificate, listener.certificates, listener.ssl_policy = None, [], None
        if actions:
            listener.default_actions = [elbv2.FakeAction(action) for action in actions]
            listener._default_rule[0].actions = listener.default_actions
        return listener


def mend_classic_load_balancers():
    elb.FakeListener.instance_protocol = property(lambda self: getattr(self, "to_instances", self.protocol))

    def note(balancer, ports):
        for listener in balancer.listeners:
            for port in ports:
                if int(port["LoadBalancerPort"]) == int(listener.load_balancer_port):
                    listener.to_instances = port.get("InstanceProtocol", listener.protocol).upper()
            if not any(int(backend.instance_port) == int(listener.instance_port) for backend in balancer.backends):
                balancer.backends.append(elb.FakeBackend(listener.instance_port))

    @after(elb.ELBBackend, "create_load_balancer")
    def protocols_of_a_new_one(self, balancer, name, zones, ports, *_, **__):
        note(balancer, ports)
        return balancer

    @after(elb.ELBBackend, "create_load_balancer_listeners")
    def protocols_of_listeners(self, balancer, name, ports):
        note(balancer, ports)
        return balancer

    @replaced(elb.ELBBackend)
    def delete_load_balancer_listeners(self, name, ports):
        balancer = self.get_load_balancer(name)
        gone = {int(port) for port in ports}
        balancer.listeners = [one for one in balancer.listeners if int(one.load_balancer_port) not in gone]
        used = {int(one.instance_port) for one in balancer.listeners}
        balancer.backends = [one for one in balancer.backends if int(one.instance_port) in used]
        return balancer

    @after(elb.ELBBackend, "register_instances")
    def once(self, balancer, *_, **__):
        balancer.instance_sparse_ids = list(dict.fromkeys(balancer.instance_sparse_ids))
        return balancer

    @after(elb.ELBBackend, "modify_load_balancer_attributes")
    def attributes_once(self, _, load_balancer_name, *__, **___):
        attributes = self.get_load_balancer(load_balancer_name).attributes
        attributes["additional_attributes"] = list(dict.fromkeys(attributes["additional_attributes"]))
