"""What is in the account: the same as World::populate() of tests/aws_api makes."""
import boto3
from botocore.config import Config

REGION = "us-east-1"
CLUSTER = {"kubernetes.io/cluster/c1": "owned"}
SHARED = {"kubernetes.io/cluster/c1": "shared"}


def tags(kind, name, more=None):
    all_tags = {"Name": name, **(more or {})}
    return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in all_tags.items()]}]


def populate(url, key, secret):
    """Ids by name."""
    session = boto3.Session(key, secret, region_name=REGION)
    ec2, acm = (session.client(name, endpoint_url=url, config=Config(retries={"max_attempts": 1})) for name in ("ec2", "acm"))
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tags("vpc", "vpc"))["Vpc"]["VpcId"]
    names = {"vpc": vpc}
    gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
    ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
    tables = {}
    for name, more in ("rt-public", None), ("rt-cluster", CLUSTER):
        made = ec2.create_route_table(VpcId=vpc, TagSpecifications=tags("route-table", name, more))
        tables[name] = names[name] = made["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=tables["rt-public"], DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    for name, zone, number, public in (("pub-a", "a", 0, True), ("pub-b", "b", 1, True),
                                       ("priv-a", "a", 10, False), ("priv-b", "b", 11, False)):
        role = "kubernetes.io/role/elb" if public else "kubernetes.io/role/internal-elb"
        made = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=REGION + zone,
                                 TagSpecifications=tags("subnet", name, {**SHARED, role: "1"}))
        names[name] = made["Subnet"]["SubnetId"]
        ec2.associate_route_table(RouteTableId=tables["rt-public" if public else "rt-cluster"], SubnetId=names[name])
    for name, more in ("sg-nodes", CLUSTER), ("sg-own", None):
        made = ec2.create_security_group(VpcId=vpc, GroupName=name, Description=name,
                                         TagSpecifications=tags("security-group", name, more))
        names[name] = made["GroupId"]
    for number in 1, 2:
        names[f"cert-{number}"] = acm.request_certificate(DomainName=f"c{number}.example")["CertificateArn"]
    image = ec2.describe_images()["Images"][0]["ImageId"]
    for number in range(1, 5):
        subnet = names["priv-a" if number % 2 else "priv-b"]
        made = ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.large", SubnetId=subnet,
                                 SecurityGroupIds=[names["sg-nodes"]],
                                 TagSpecifications=tags("instance", f"n{number}", CLUSTER))["Instances"][0]
        names[f"n{number}"] = made["InstanceId"]
        seen = ec2.describe_instances(InstanceIds=[made["InstanceId"]])["Reservations"][0]["Instances"][0]
        names[f"n{number}-dns"], names[f"n{number}-ip"] = seen["PrivateDnsName"], seen["PrivateIpAddress"]
    return names
