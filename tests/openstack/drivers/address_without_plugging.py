"""Octavia without machines: the address of a load balancer is a port of Neutron's, and nothing is plugged into it."""
from octavia.network.drivers.neutron import allowed_address_pairs
from octavia.network.drivers.noop_driver import driver


class AddressWithoutPlugging(driver.NoopNetworkDriver):
    def __init__(self):
        super().__init__()
        self._neutron = None

    @property
    def neutron(self):
        """Made when first needed: it asks Neutron, which may start after Octavia."""
        if self._neutron is None:
            self._neutron = allowed_address_pairs.AllowedAddressPairsDriver()
        return self._neutron

    def allocate_vip(self, load_balancer):
        return self.neutron.allocate_vip(load_balancer)

    def deallocate_vip(self, vip):
        for amphora in vip.load_balancer.amphorae:
            amphora.vrrp_port_id = None  # made up by the driver above, so Neutron does not know it
        return self.neutron.deallocate_vip(vip)

    def get_subnet(self, subnet_id, context=None):
        return self.neutron.get_subnet(subnet_id, context=context)

    def get_network(self, network_id, context=None):
        return self.neutron.get_network(network_id, context=context)
