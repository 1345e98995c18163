"""A cluster with load balancers, as AWS's own manager leaves them: field by field, by the facts AWS-17, 68, 82 to 92 and 96 to 109."""
import hashlib

import boto3
from botocore.config import Config

REGION = "us-east-1"
ANYWHERE = "0.0.0.0/0"
KINDS = {
    # Tags of everything, of subnets and of instances, and what is in the cloud config.
    "kops": ({"KubernetesCluster": "{id}", "kubernetes.io/cluster/{id}": "owned"},
             {"SubnetType": "Public", "kubernetes.io/role/elb": "1", "kubernetes.io/role/internal-elb": "1"},
             {"k8s.io/role/node": "1", "kops.k8s.io/instancegroup": "nodes-us-east-1a",
              "k8s.io/cluster-autoscaler/node-template/label/node-role.kubernetes.io/node": ""},
             "KubernetesClusterTag"),
    "kubeadm": ({"kubernetes.io/cluster/{id}": "owned"}, {"kubernetes.io/role/elb": "1"}, {}, "KubernetesClusterID"),
}


def tag_list(tags):
    return [{"Key": key, "Value": value} for key, value in tags.items()]


class GoManager:
    """Its work in one VPC of the account."""

    def __init__(self, cloud, kind, cluster_id, number):
        session = boto3.Session(cloud["access_key_id"], cloud["secret_access_key"], region_name=REGION)
        self.ec2, self.elb, self.elbv2 = (session.client(name, endpoint_url=cloud["url"], config=Config(retries={"max_attempts": 1}))
                                          for name in ("ec2", "elb", "elbv2"))
        common, of_subnets, of_instances, self.option = KINDS[kind]
        self.id, self.tags = cluster_id, {key.format(id=cluster_id): value.format(id=cluster_id) for key, value in common.items()}
        ec2 = self.ec2
        self.vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=self.vpc)
        table = ec2.create_route_table(VpcId=self.vpc, TagSpecifications=self.named("route-table", cluster_id))
        table = table["RouteTable"]["RouteTableId"]
        ec2.create_route(RouteTableId=table, DestinationCidrBlock=ANYWHERE, GatewayId=gateway)
        self.subnets = []
        for place, zone in enumerate("ab"):
            made = ec2.create_subnet(VpcId=self.vpc, CidrBlock=f"10.{number}.{place}.0/24", AvailabilityZone=REGION + zone,
                                     TagSpecifications=self.named("subnet", f"{REGION}{zone}.{cluster_id}", of_subnets))
            self.subnets.append(made["Subnet"]["SubnetId"])
            ec2.associate_route_table(RouteTableId=table, SubnetId=self.subnets[-1])
        self.node_group = self.group(f"nodes.{cluster_id}", "Security group for nodes")
        image = ec2.describe_images()["Images"][0]["ImageId"]
        self.instances = []
        for place, subnet in enumerate(self.subnets):
            made = ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.large", SubnetId=subnet,
                                     SecurityGroupIds=[self.node_group],
                                     TagSpecifications=self.named("instance", f"nodes-{place}.{cluster_id}", of_instances))
            self.instances.append(made["Instances"][0]["InstanceId"])

    def named(self, kind, name, more=None):
        return [{"ResourceType": kind, "Tags": tag_list({"Name": name, **self.tags, **(more or {})})}]

    def group(self, name, description):
        made = self.ec2.create_security_group(GroupName=name, Description=description, VpcId=self.vpc, TagSpecifications=[
            {"ResourceType": "security-group", "Tags": tag_list(self.tags)}])
        return made["GroupId"]

    def cloud_config(self):
        return f"[Global]\nRegion = {REGION}\nVPC = {self.vpc}\n{self.option} = {self.id}\n"

    def nodes(self):
        """Node objects, initialised (AWS-39, 45, 49, 50)."""
        zones = {zone["ZoneName"]: zone["ZoneId"] for zone in self.ec2.describe_availability_zones()["AvailabilityZones"]}
        for reservation in self.ec2.describe_instances(InstanceIds=self.instances)["Reservations"]:
            for instance in reservation["Instances"]:
                zone = instance["Placement"]["AvailabilityZone"]
                cards = instance["NetworkInterfaces"]
                addresses = [("InternalIP", one["PrivateIpAddress"]) for card in cards for one in card["PrivateIpAddresses"]]
                addresses += [("ExternalIP", instance.get("PublicIpAddress")), ("InternalDNS", instance["PrivateDnsName"]),
                              ("Hostname", instance["PrivateDnsName"]), ("ExternalDNS", instance.get("PublicDnsName"))]
                labels = {"topology.k8s.aws/zone-id": zones[zone]}
                for values, value in ((("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"), "m5.large"),
                                      (("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"), zone),
                                      (("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"), REGION)):
                    labels.update(dict.fromkeys(values, value))
                yield {"apiVersion": "v1", "kind": "Node", "metadata": {"name": instance["PrivateDnsName"], "labels": labels},
                       "spec": {"providerID": f"aws:///{zone}/{instance['InstanceId']}"},
                       "status": {"addresses": [{"type": kind, "address": value} for kind, value in addresses if value],
                                  "conditions": [{"type": "Ready", "status": "True"}]}}

    def of_service(self, service):
        """The load balancer's name, and its tags."""
        about = service["metadata"]
        return "a" + about["uid"].replace("-", "")[:31], {
            "kubernetes.io/service-name": f"{about['namespace']}/{about['name']}", **self.tags}

    def open_node_group(self, *permissions):
        self.ec2.authorize_security_group_ingress(GroupId=self.node_group, IpPermissions=list(permissions))

    def classic(self, service):
        """Its DNS name."""
        name, tags = self.of_service(service)
        about, ports = service["metadata"], service["spec"]["ports"]
        group = self.group("k8s-elb-" + name, f"Security group for Kubernetes ELB {name} ({about['namespace']}/{about['name']})")
        anywhere = [{"CidrIp": ANYWHERE}]
        self.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[
            *({"IpProtocol": "tcp", "FromPort": port["port"], "ToPort": port["port"], "IpRanges": anywhere} for port in ports),
            {"IpProtocol": "icmp", "FromPort": 3, "ToPort": 4, "IpRanges": anywhere}])
        made = self.elb.create_load_balancer(
            LoadBalancerName=name, Subnets=self.subnets, SecurityGroups=[group], Tags=tag_list(tags),
            Listeners=[{"Protocol": "tcp", "LoadBalancerPort": port["port"], "InstanceProtocol": "tcp", "InstancePort": port["nodePort"]}
                       for port in ports])
        self.elb.modify_load_balancer_attributes(LoadBalancerName=name, LoadBalancerAttributes={
            "AccessLog": {"Enabled": False}, "ConnectionDraining": {"Enabled": False},
            "ConnectionSettings": {"IdleTimeout": 60}, "CrossZoneLoadBalancing": {"Enabled": False}})
        self.elb.configure_health_check(LoadBalancerName=name, HealthCheck={
            "Target": f"TCP:{ports[0]['nodePort']}", "Interval": 10, "Timeout": 5, "HealthyThreshold": 2, "UnhealthyThreshold": 6})
        self.open_node_group({"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]})
        self.elb.register_instances_with_load_balancer(LoadBalancerName=name, Instances=[{"InstanceId": one} for one in self.instances])
        return made["DNSName"]

    def network(self, service, certificate, tls_port):
        """Its DNS name. `tls_port` ends TLS with `certificate`."""
        name, tags = self.of_service(service)
        about = service["metadata"]
        made = self.elbv2.create_load_balancer(
            Name=name, Type="network", Scheme="internet-facing", Tags=tag_list(tags),
            SubnetMappings=[{"SubnetId": subnet} for subnet in self.subnets])["LoadBalancers"][0]
        rules = []
        for port in service["spec"]["ports"]:
            words = (self.id, about["namespace"], about["name"], port["port"], port["nodePort"], "TCP", "instance", "TCP", 30)
            digest = hashlib.sha1("".join(map(str, words)).encode()).hexdigest()[:10]
            plain = ["".join(c for c in about[key] if c.isalnum())[:8] for key in ("namespace", "name")]
            group = self.elbv2.create_target_group(
                Name=f"k8s-{plain[0]}-{plain[1]}-{digest}", Protocol="TCP", Port=port["nodePort"], VpcId=self.vpc, TargetType="instance",
                HealthCheckProtocol="TCP", HealthCheckPort="traffic-port", HealthCheckIntervalSeconds=30,
                HealthyThresholdCount=3, UnhealthyThresholdCount=3, Tags=tag_list(tags))["TargetGroups"][0]["TargetGroupArn"]
            self.elbv2.register_targets(TargetGroupArn=group,
                                        Targets=[{"Id": one, "Port": port["nodePort"]} for one in self.instances])
            tls = {"Protocol": "TLS", "Certificates": [{"CertificateArn": certificate}]} if port["port"] == tls_port else {}
            self.elbv2.create_listener(LoadBalancerArn=made["LoadBalancerArn"], **{"Protocol": "TCP", **tls}, Port=port["port"],
                                       DefaultActions=[{"Type": "forward", "TargetGroupArn": group}], Tags=tag_list(tags))
            rules.append({"IpProtocol": "tcp", "FromPort": port["nodePort"], "ToPort": port["nodePort"],
                          "IpRanges": [{"CidrIp": ANYWHERE, "Description": "kubernetes.io/rule/nlb/client=" + name}]})
        rules.append({"IpProtocol": "icmp", "FromPort": 3, "ToPort": 4,
                      "IpRanges": [{"CidrIp": ANYWHERE, "Description": "kubernetes.io/rule/nlb/mtu"}]})
        self.open_node_group(*rules)
        return made["DNSName"]

    def left(self):
        """What there is of load balancers in the VPC, in words."""
        groups = self.ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [self.vpc]}])["SecurityGroups"]
        return [*(one["LoadBalancerName"] for one in self.elb.describe_load_balancers()["LoadBalancerDescriptions"]
                  if one["VPCId"] == self.vpc),
                *(one["LoadBalancerName"] for one in self.elbv2.describe_load_balancers()["LoadBalancers"] if one["VpcId"] == self.vpc),
                *(one["TargetGroupName"] for one in self.elbv2.describe_target_groups()["TargetGroups"] if one["VpcId"] == self.vpc),
                *(one["GroupName"] for one in groups if one["GroupName"].startswith("k8s-")),
                *(str(rule) for one in groups if one["GroupId"] == self.node_group for rule in one["IpPermissions"])]
