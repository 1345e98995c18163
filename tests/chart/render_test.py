#!/usr/bin/env python3
"""render_test.py HELM CCMCTL: what the chart renders, for each values file, and what it refuses."""
import itertools
import json
import sys
import unittest

import yaml
from chart import CHART, ROOT, VALUES, Helm, of_kind, pods, run

CCMCTL = sys.argv.pop()
helm = Helm(sys.argv.pop())
CONTROLLERS = ["cloud-node-controller", "cloud-node-lifecycle-controller", "node-ipam-controller", "node-route-controller",
               "service-lb-controller"]


def rights(objects):
    """Each right alone, with its role and the namespace in which it counts ("" = everywhere)."""
    found = set()
    for role in of_kind(objects, "ClusterRole") + of_kind(objects, "Role"):
        for rule in role["rules"]:
            for right in itertools.product(rule["apiGroups"], rule["resources"], rule.get("resourceNames", [""]), rule["verbs"]):
                found.add((role["metadata"]["name"], role["metadata"].get("namespace", ""), *right))
    return found


def bindings(objects):
    return sorted((item["kind"], item["metadata"]["name"], item["metadata"].get("namespace", ""), item["roleRef"]["name"],
                   json.dumps(item["subjects"], sort_keys=True))
                  for item in objects if item["kind"].endswith("Binding"))


class RenderTest(unittest.TestCase):
    def refused(self, *settings):
        settings = ("image.repository=\"a\"", *settings)
        ended = helm("template", "ccm", CHART, *itertools.chain.from_iterable(("--set-json", item) for item in settings))
        self.assertNotEqual(ended.returncode, 0, settings)
        return ended.stderr

    def test_helm_lint_finds_nothing_in_the_chart_alone(self):
        ended = helm("lint", "--strict", CHART)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_helm_follows_no_link_and_warns_of_nothing(self):
        self.assertEqual([file for file in CHART.rglob("*") if file.is_symlink()], [])
        self.assertEqual(helm("template", "ccm", CHART, "-f", CHART / "ci/digitalocean-all-values.yaml").stderr, "")

    def test_the_version_of_the_labels_is_that_of_the_image_as_far_as_a_label_can_have_it(self):
        key = "app.kubernetes.io/version"
        for image, version in [({"tag": "1.2-a" * 14}, ("1.2-a" * 14)[:63].rstrip("-.")), ({"tag": "v1-"}, "v1"), ({"tag": "_"}, None), ({"tag": "0.2.0"}, "0.2.0"),
                               ({"digest": "sha256:" + "0" * 64}, None), ({}, "0.1.0")]:
            with self.subTest(image):
                objects = helm.objects_of({"provider": "digitalocean", "image": {"repository": "a", **image}})
                self.assertEqual({item["metadata"]["labels"].get(key) for item in objects}, {version})

    def test_labels_that_are_given_twice_are_rendered_once(self):
        class Once(yaml.SafeLoader):
            pass

        def mapping(loader, node):
            keys = [key.value for key, _ in node.value]
            self.assertEqual(len(keys), len(set(keys)), keys)
            return yaml.SafeLoader.construct_mapping(loader, node, True)
        Once.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
        labels = {"team": "a", "app.kubernetes.io/component": "mine", "app.kubernetes.io/managed-by": "me"}
        monitor = {"enabled": True, "labels": {"team": "b"}}
        values = {"provider": "digitalocean", "labels": labels, "podLabels": labels, "serviceMonitor": monitor, "prometheusRule": monitor,
                  "selectorLabels": {"app.kubernetes.io/name": "ccm", "helm.sh/chart": "c"}, "dashboard": monitor}
        text = helm.template("--set-json", "image.repository=\"a\"", *itertools.chain.from_iterable(
            ("--set-json", f"{name}={json.dumps(value)}") for name, value in values.items()))
        objects = [item for item in yaml.load_all(text, Once) if item]
        deployment, = of_kind(objects, "Deployment")
        self.assertEqual(deployment["metadata"]["labels"]["team"], "a")
        self.assertEqual(deployment["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"], "mine")
        self.assertEqual(of_kind(objects, "ServiceMonitor")[0]["metadata"]["labels"]["team"], "b")
        self.assertEqual(of_kind(objects, "Service")[0]["metadata"]["labels"]["helm.sh/chart"], "c")

    def test_helm_lint_finds_nothing_in_any_values_file(self):
        self.assertGreaterEqual(len(VALUES), 7)
        for file in VALUES:
            ended = helm("lint", "--strict", CHART, "-f", file)
            self.assertEqual(ended.returncode, 0, ended.stdout)
            self.assertNotIn("[WARNING]", ended.stdout)

    def test_the_pod_comes_onto_any_new_node(self):
        for file in VALUES:
            for pod in pods(helm.objects("-f", file)):
                hosted = "hosted-control-plane" in file.name
                self.assertEqual(pod.get("tolerations", [])[-1:], [] if hosted else [{"operator": "Exists"}], file.name)

    def test_the_schema_refuses_wrong_values(self):
        for setting, place in [
                ("provider=\"Open Stack\"", "provider"), ("replicas=0", "replicas"),
                ("replicas=\"2\"", "replicas"), ("kind=\"StatefulSet\"", "kind"), ("replica=3", "replica"),
                ("image.digest=\"sha256:abc\"", "digest"), ("image.repository=\"a b\"", "repository"),
                ("clusterCIDR=\"10.244.0.0\"", "clusterCIDR"), ("controllers.service=\"off\"", "controllers"),
                ("port=0", "port"), ("runAsUser=0", "runAsUser"), ("args=[\"v=3\"]", "args"),
                ("digitalocean.loadBalancerType=\"GLOBAL\"", "loadBalancerType"), ("digitalocean.tokens=\"dop_v1\"", "tokens"), ("podSecurityContext.runAsNonRoot=false", "runAsNonRoot"),
                ("podSecurityContext.runAsUser=0", "runAsUser"), ("securityContext.privileged=true", "privileged"),
                ("securityContext.allowPrivilegeEscalation=true", "allowPrivilegeEscalation"), ("initContainers=[{\"name\":\"x\"}]", "image"),
                ("serviceMonitor.scrapeTimeout=\"soon\"", "scrapeTimeout"), ("hostAliases=[{\"ip\":\"192.0.2.1\"}]", "hostnames"),
                ("dnsConfig.nameserver=\"192.0.2.1\"", "nameserver"), ("servingCertificate.secret=\"A B\"", "secret"),
                ("terminationGracePeriodSeconds=5", "terminationGracePeriodSeconds"),
                ("cloudConfig.hostPath=\"cloud.conf\"", "hostPath"), ("pluginImages=[{\"name\":\"x\"}]", "reference"),
                ("pluginImages=[{\"name\":\"x\",\"reference\":\"y\",\"folder\":\"/lib\"}]", "folder"),
                ("serviceMonitor.interval=\"often\"", "interval"), ("env=[{\"name\":\"A\",\"valueForm\":{}}]", "valueForm")]:
            with self.subTest(setting):
                said = self.refused("provider=\"digitalocean\"", setting)
                self.assertIn("don't meet the specifications of the schema", said)
                self.assertIn(place, said)

    def test_combinations_that_cannot_work_are_refused_with_a_sentence(self):
        for settings, said in [
                (["leaderElection.enabled=false"], "replicas: more than one needs leaderElection.enabled"),
                (["kind=\"Pod\""], "kind: a static Pod"),
                (["kind=\"DaemonSet\"", "leaderElection.enabled=false"], "leaderElection: a DaemonSet may run on several nodes"),
                (["kind=\"Pod\"", "leaderElection.enabled=false"], "leaderElection: a static Pod may run on several nodes"),
                (["podLabels={\"app\":\"mine\"}"], "podLabels: the Pods are selected by app; to choose its value set selectorLabels"),
                (["labels={\"app\":\"mine\"}"], "labels: the Pods are selected by app"),
                (["selectorLabels={\"a\":\"b\"}", "serviceMonitor.labels={\"a\":\"c\"}"], "serviceMonitor.labels: the Pods are selected by a"),
                (["controllers.tagging=true"], "controllers: tagging belongs to the provider aws"),
                (["kind=\"Pod\"", "kubeconfig.hostPath=\"/k\""], "a static Pod cannot read Secrets"),
                (["kubeconfig.hostPath=\"/k\"", "kubeconfig.secret=\"k\""], "kubeconfig: either"),
                (["cloudConfig.hostPath=\"/k\"", "cloudConfig.secret=\"k\""], "cloudConfig: either"),
                (["networkPolicy.enabled=true"], "networkPolicy: Pods with the machine's network"),
                (["controllers.node-ipam-controller=true"], "node-ipam-controller needs clusterCIDR"),
                (["provider=\"aws\""], "clusterCIDR: the route controller of aws needs the address range of Pods"),
                (["provider=\"openstack\"", "cloudConfig.contents=\"[Route]\\n  router-id = r\\n\""], "clusterCIDR: the route controller of openstack"),
                (["hostNetwork=false", "dnsPolicy=\"ClusterFirstWithHostNet\""], "dnsPolicy:"),
                (["args=[\"--use-service-account-credentials\"]"], "args: instead of --use-service-account-credentials"),
                (["args=[\"--v=3\", \"--use-service-account-credentials=true\"]"], "args: instead of --use-service-account-credentials"),
                (["provider=\"openstack\""], "cloudConfig: openstack needs one"),
                (["provider=\"openstack\""], "--set cloudConfig.secret=cloud-config, a Secret with the key cloud.conf"),
                (["provider=\"static\""], "cloudConfig: static needs one: --set cloudConfig.configMap"),
                (["provider=\"AWS\""], "provider: a plugin's name has no capitals: --set provider=aws"),
                (["image.repository=\"r.example:5000/ccm:1.2\""], "--set image.repository=r.example:5000/ccm --set image.tag=1.2"),
                (["image.repository=\"ccm@sha256:00\""], "image.repository: the digest goes into image.digest"),
                (["image.repository=\"https://r.example/ccm\""], "without the scheme: --set image.repository=r.example/ccm"),
                (["provider=\"aws\"", "digitalocean.region=\"nyc3\""], "digitalocean.region: counts with provider=digitalocean alone, and this is aws"),
                (["provider=\"aws\"", "digitalocean.secret=\"mine\""], "digitalocean.secret: counts"),
                (["openstack.regionalProviderIDs=true"], "openstack.regionalProviderIDs: counts with provider=openstack alone"),
                (["provider=\"openstack\"", "cloudConfig.contents=\"cloud.conf\""], "--set-file cloudConfig.contents=cloud.conf"),
                (["provider=\"aws\"", "cloudConfig.contents=\"cloud.conf\""], "cloudConfig.contents: has no section"),
                (["cloudConfig.configMap=\"k\"", "cloudConfig.secret=\"k\""], "cloudConfig: either"),
                (["cloudConfig.contents=\"k\"", "cloudConfig.secret=\"k\""], "cloudConfig: either"),
                (["digitalocean.token=\"k\"", "digitalocean.secret=\"mine\""], "digitalocean: either"),
                (["provider=\"\""], "set provider to the plugin of your cloud: --set provider=aws, digitalocean"),
                (["image.repository=\"\""], "image.repository: no image is published, so name one of yours"),
                (["kind=\"Pod\"", "kubeconfig.hostPath=\"/k\"", "cloudConfig.configMap=\"k\""], "a static Pod cannot read Secrets")]:
            with self.subTest(settings):
                self.assertIn(said, self.refused("provider=\"digitalocean\"", *settings))

    def test_a_provider_with_routes_needs_no_range_where_no_routes_are_kept(self):
        for values in [{"provider": "aws", "clusterCIDR": "10.244.0.0/16"}, {"provider": "aws", "configureCloudRoutes": False},
                       {"provider": "aws", "controllers": {"node-route-controller": False}},
                       {"provider": "openstack", "cloudConfig": {"contents": "[Route]\n#router-id = r\nrouter-id =\n"}}]:
            with self.subTest(values):
                self.assertEqual(len(pods(helm.objects_of(values))), 1)

    def test_flags_that_have_a_value_are_refused_in_args(self):
        for flag, said in [
                ("--leader-elect=false", "leaderElection.enabled"), ("--leader-elect-resource-name=mine", "leaderElection.name"),
                ("--leader_elect_resource_namespace=mine", "leaderElection.namespace"), ("--cloud-provider=aws", "provider"),
                ("--controllers=*,-service", "controllers"), ("--cluster-cidr=10.0.0.0/8", "clusterCIDR"),
                ("--cloud-config=/f", "cloudConfig"), ("--secure-port=0", "port"), ("--cluster-name=a", "clusterName"),
                ("--configure-cloud-routes=false", "configureCloudRoutes"), ("--kubeconfig=/k", "kubeconfig"),
                ("--allocate-node-cidrs", "controllers.node-ipam-controller")]:
            with self.subTest(flag):
                name = flag.split("=")[0].replace("_", "-")
                self.assertIn(f"args: instead of {name} set {said}", self.refused("provider=\"digitalocean\"", f"args=[\"--v=2\",\"{flag}\"]"))
        for address in ["127.0.0.1", "::1"]:
            self.assertIn("args: leave --bind-address out", self.refused("provider=\"digitalocean\"", f"args=[\"--bind-address={address}\"]"))
        self.assertIn("servingCertificate", self.refused("provider=\"digitalocean\"", "servingCertificate.secret=\"s\"", "args=[\"--tls-cert-file=/f\"]"))
        others = ["--leader-elect-lease-duration=30s", "--bind-address=$(HOST_IP)", "--tls-cert-file=/f", "--kubeconfig-less=1"]
        args = pods(helm.objects_of({"provider": "digitalocean", "args": others}))[0]["containers"][0]["args"]
        self.assertEqual(args[-len(others):], others)

    def test_each_flag_that_the_chart_writes_is_refused_in_args_or_may_be_repeated(self):
        repeated = {"--plugin-path", "--authentication-kubeconfig", "--authorization-kubeconfig"}
        written = set()
        for file in VALUES:
            own = pods(helm.objects("-f", file, "--set-json", "args=[]"))[0]["containers"][0]["args"]
            written |= {flag.split("=")[0] for flag in own} - repeated
        self.assertGreaterEqual(len(written), 8)
        for flag in written:
            with self.subTest(flag):
                self.assertIn("args: instead of " + flag, self.refused("provider=\"digitalocean\"", f"args=[\"{flag}\"]"))

    def test_the_notes_say_when_the_chart_does_not_know_the_provider(self):
        said = helm.notes({"provider": "digital-ocean"})
        self.assertIn("The chart does not know the provider digital-ocean", said)
        self.assertIn("configureCloudRoutes=false", said)
        self.assertNotIn("configureCloudRoutes", helm.notes({"provider": "example", "clusterCIDR": "10.0.0.0/8"}))
        self.assertNotIn("does not know", helm.notes({"provider": "digitalocean"}))

    def test_the_notes_say_which_rights_aws_has_to_give(self):
        self.assertIn("ccmctl permissions --cloud-provider=aws\n", helm.notes({"provider": "aws", "configureCloudRoutes": False}))
        said = helm.notes({"provider": "aws", "configureCloudRoutes": False, "controllers": {"tagging": True}})
        self.assertIn("ccmctl permissions --cloud-provider=aws --controllers='*,tagging'\n", said)
        self.assertNotIn("ccmctl permissions", helm.notes({"provider": "digitalocean"}))

    def test_the_notes_say_who_may_scrape(self):
        self.assertIn("--clusterrole=system:monitoring", helm.notes({"provider": "digitalocean", "serviceMonitor": {"enabled": True}}))
        self.assertNotIn("system:monitoring", helm.notes({"provider": "digitalocean"}))

    def test_another_name_of_a_controller_is_refused_with_the_one_that_has_rights(self):
        aliases = {alias: each["name"] for file in (ROOT / "plugins/controllers").glob("*/plugin.json")
                   for each in json.loads(file.read_text())["components"] for alias in each.get("aliases", [])}
        self.assertIn("service", aliases)
        for alias, name in aliases.items():
            with self.subTest(alias):
                self.assertIn(f"controllers: instead of {alias} write {name}", self.refused("provider=\"digitalocean\"", f"controllers.{alias}=false"))

    def test_without_an_election_an_old_pod_is_gone_before_a_new_one_is_made(self):
        deployment, = of_kind(helm.objects_of({"provider": "digitalocean", "replicas": 1, "leaderElection": {"enabled": False}}), "Deployment")
        self.assertEqual(deployment["spec"]["strategy"], {"type": "Recreate"})

    def rendered_and_printed(self, values, flag):
        """The objects of the chart, and those that ccmctl prints for the manager's flags in them."""
        rendered = helm.objects_of({"clusterCIDR": "10.244.0.0/16", "cloudConfig": {"secret": "cloud"}, **values})
        args = pods(rendered)[0]["containers"][0]["args"]
        self.assertEqual("--use-service-account-credentials" in args, flag != [])
        controllers = [flag for flag in args if flag.startswith("--controllers=")] or ["--controllers=*"]
        printed = run(CCMCTL, "rbac", "--cloud-provider=" + values["provider"], *controllers, *flag, "-o", "json")
        self.assertEqual(printed.returncode, 0, printed.stderr)
        return rendered, json.loads(printed.stdout)["items"]

    def test_RBAC_the_rights_are_those_that_ccmctl_prints(self):
        every = [dict(zip(CONTROLLERS, choice)) for choice in itertools.product([True, False], repeat=len(CONTROLLERS))]
        of_the_provider = [{"digitalocean-tags": tags, "digitalocean-firewall": False} for tags in [True, False]]
        of_aws = [{"tagging": True}, {"tagging": False}, {**dict.fromkeys(CONTROLLERS, False), "tagging": True}]
        # All choices for one provider, since the rules of several are merged; the first ones for the others.
        for provider, controllers in [("digitalocean", every + of_the_provider), ("aws", every[:6] + of_aws), ("openstack", every[:6]), ("static", every[:6]), ("sandbox", every[:6])]:
            for chosen, flag in itertools.product(controllers, [[], ["--use-service-account-credentials"]]):
                with self.subTest(provider=provider, controllers=chosen, flag=flag):
                    values = {"provider": provider, "controllers": chosen, "useServiceAccountCredentials": flag != []}
                    rendered, printed = self.rendered_and_printed(values, flag)
                    self.assertEqual(rights(rendered), rights(printed))
                    self.assertEqual(bindings(rendered), bindings(printed))

    def test_RBAC_the_manager_makes_the_controllers_accounts_and_the_chart_only_its_own(self):
        # kube-controller-manager has accounts of the same names, which helm would refuse to take and later remove.
        rendered, printed = self.rendered_and_printed(
            {"provider": "digitalocean", "useServiceAccountCredentials": True}, ["--use-service-account-credentials"])
        self.assertEqual([item["metadata"]["name"] for item in of_kind(rendered, "ServiceAccount")], ["cloud-controller-manager"])
        others = {item["metadata"]["name"] for item in of_kind(printed, "ServiceAccount")} - {"cloud-controller-manager"}
        self.assertIn("node-controller", others)
        tokens, = [item for item in of_kind(rendered, "Role") if item["metadata"]["name"].endswith(":service-account-tokens")]
        self.assertIn({"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["create"]}, tokens["rules"])

    def test_RBAC_no_roles_are_made_where_they_are_not_wanted(self):
        for values in [{"rbac": {"create": False}}, {"kubeconfig": {"secret": "other"}}]:
            with self.subTest(values):
                objects = helm.objects_of({"provider": "digitalocean", "useServiceAccountCredentials": True, **values})
                self.assertEqual([item["kind"] for item in objects if "Role" in item["kind"]], [])

    def test_a_rendered_pod_has_no_privileges_and_no_secret_is_rendered(self):
        for file in VALUES:
            objects = helm.objects("-f", file)
            self.assertEqual(of_kind(objects, "Secret"), [])
            self.assertEqual(len(pods(objects)), 1)
            for pod in pods(objects):
                with self.subTest(file.name):
                    self.assertEqual(pod["securityContext"], {
                        "runAsNonRoot": True, "runAsUser": 65532, "fsGroup": 65532,
                        "seccompProfile": {"type": "RuntimeDefault"}})
                    for container in pod["containers"]:
                        self.assertEqual(container["securityContext"], {
                            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]}})
                        self.assertEqual({mount["name"] for mount in container.get("volumeMounts", [])},
                                         {volume["name"] for volume in pod.get("volumes", [])})
                        self.assertTrue(all(mount["readOnly"] for mount in container.get("volumeMounts", [])))

    def test_without_any_value_the_refusal_says_set_provider(self):
        ended = helm("template", "ccm", CHART)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("set provider", ended.stderr)

    def test_all_objects_and_pods_have_kubernetes_recommended_labels(self):
        for file in VALUES:
            for item in helm.objects("-f", file):
                with self.subTest(file=file.name, kind=item["kind"]):
                    if item["kind"] == "Pod":  # a static one, printed for a folder
                        continue
                    labels = item["metadata"]["labels"]
                    self.assertEqual((labels["app.kubernetes.io/name"], labels["app.kubernetes.io/instance"], labels["app.kubernetes.io/managed-by"]),
                                     ("cloud-controller-manager", "ccm", "Helm"))
                    for selector in (item.get("spec", {}).get("selector", {}), item.get("spec", {}).get("podSelector", {})):
                        self.assertFalse([key for key in selector.get("matchLabels", selector) if key.startswith(("app.kubernetes", "helm.sh"))])
        bare = helm.objects_of({"provider": "digitalocean", "recommendedLabels": False})
        self.assertNotIn("app.kubernetes.io", json.dumps(bare))

    def test_the_pods_settings_come_from_values(self):
        objects = helm.objects_of({
            "provider": "digitalocean", "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["keystone.example.com"]}],
            "dnsConfig": {"nameservers": ["192.0.2.53"]}, "strategy": {"type": "Recreate"},
            "podSecurityContext": {"fsGroup": 7, "fsGroupChangePolicy": "OnRootMismatch"}})
        pod, = pods(objects)
        self.assertEqual(pod["hostAliases"], [{"ip": "192.0.2.1", "hostnames": ["keystone.example.com"]}])
        self.assertEqual(pod["dnsConfig"], {"nameservers": ["192.0.2.53"]})
        self.assertEqual(pod["securityContext"], {"runAsNonRoot": True, "runAsUser": 65532, "fsGroup": 7,
                                                  "fsGroupChangePolicy": "OnRootMismatch", "seccompProfile": {"type": "RuntimeDefault"}})
        self.assertEqual(of_kind(objects, "Deployment")[0]["spec"]["strategy"], {"type": "Recreate"})
        daemonset = helm.objects_of({"provider": "digitalocean", "kind": "DaemonSet", "strategy": {"type": "OnDelete"}})
        self.assertEqual(of_kind(daemonset, "DaemonSet")[0]["spec"]["updateStrategy"], {"type": "OnDelete"})

    def test_containers_and_spread_of_the_values_are_the_pods(self):
        other = {"name": "other", "image": "registry.example.com/other:1"}
        spread = {"maxSkew": 2, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
        for kind in ["Deployment", "DaemonSet"]:
            pod, = pods(helm.objects_of({"provider": "digitalocean", "kind": kind, "initContainers": [other], "extraContainers": [other],
                                         "topologySpreadConstraints": [spread], "securityContext": {
                                             "seLinuxOptions": {"type": "ccm_t"}, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], "add": ["SYS_NICE"]}}}))
            with self.subTest(kind):
                self.assertEqual(pod["initContainers"], [other])
                self.assertEqual(pod["containers"][1:], [other])
                self.assertEqual(pod["topologySpreadConstraints"], [spread])
                self.assertEqual(pod["containers"][0]["securityContext"], {
                    "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "seLinuxOptions": {"type": "ccm_t"},
                    "capabilities": {"drop": ["ALL"], "add": ["SYS_NICE"]}})

    def test_the_metadata_service_is_reached_where_the_provider_asks_it(self):
        for provider, addresses in [("aws", ["169.254.169.254/32", "fd00:ec2::254/128", "169.254.170.23/32", "fd00:ec2::23/128"]), ("digitalocean", ["169.254.169.254/32"]), ("example", [])]:
            policy, = of_kind(helm.objects_of({"provider": provider, "hostNetwork": False, "configureCloudRoutes": False,
                                               "networkPolicy": {"enabled": True}}), "NetworkPolicy")
            reached = [rule for rule in policy["spec"]["egress"] if "to" in rule]
            with self.subTest(provider):
                self.assertEqual([block["ipBlock"]["cidr"] for rule in reached for block in rule["to"]], addresses)
                self.assertTrue(all(rule["ports"] == [{"port": 80}] for rule in reached))

    def test_all_objects_have_the_annotations_of_the_values_and_their_own(self):
        monitor = {"enabled": True}
        values = {"annotations": {"team": "a", "x": "z"}, "serviceAccount": {"annotations": {"team": "b"}}, "useServiceAccountCredentials": True,
                  "metricsService": {"annotations": {"scrape": "true"}}, "digitalocean": {"token": "dop_v1_a"}, "serviceMonitor": monitor,
                  "prometheusRule": monitor, "dashboard": monitor, "networkPolicy": monitor, "hostNetwork": False}
        for kind, recommended in [("Deployment", True), ("DaemonSet", False)]:
            objects = helm.objects_of({"provider": "digitalocean", "kind": kind, "recommendedLabels": recommended, **values})
            own = {"ServiceAccount": {"team": "b"}, "Service": {"scrape": "true"}}
            for item in objects:
                with self.subTest(kind=item["kind"], name=item["metadata"]["name"]):
                    self.assertEqual(item["metadata"]["annotations"], {"team": "a", "x": "z", **own.get(item["kind"], {})})
            workload, = of_kind(objects, kind)
            self.assertNotIn("annotations", workload["spec"]["template"]["metadata"])

    def test_a_map_that_is_null_is_an_empty_one(self):
        names = ["labels", "podLabels", "annotations", "podAnnotations", "selectorLabels", "securityContext", "podSecurityContext", "nodeSelector",
                 "serviceAccount.annotations", "metricsService.annotations", "serviceMonitor.labels"]
        empty, null = (helm.template("-f", CHART / "ci/digitalocean-values.yaml", "--set", "serviceMonitor.enabled=true",
                                     *itertools.chain.from_iterable(("--set-json", f"{name}={value}") for name in names)) for value in ["{}", "null"])
        self.assertEqual(null, empty)

    def test_a_service_for_metrics_needs_no_operator(self):
        objects = helm.objects_of({"provider": "digitalocean", "metricsService": {"enabled": True, "annotations": {"prometheus.io/scrape": "true"}}})
        service, = of_kind(objects, "Service")
        self.assertEqual(service["metadata"]["annotations"], {"prometheus.io/scrape": "true"})
        self.assertEqual(of_kind(objects, "ServiceMonitor"), [])
        self.assertEqual(of_kind(helm.objects_of({"provider": "digitalocean"}), "Service"), [])

    def test_relabelings_come_after_the_one_of_the_job(self):
        mine, dropped = {"targetLabel": "job", "replacement": "mine"}, {"action": "labeldrop", "regex": "pod"}
        objects = helm.objects_of({"provider": "digitalocean", "serviceMonitor": {
            "enabled": True, "scrapeTimeout": "5s", "relabelings": [mine], "metricRelabelings": [dropped]}})
        endpoint, = of_kind(objects, "ServiceMonitor")[0]["spec"]["endpoints"]
        self.assertEqual((endpoint["scrapeTimeout"], endpoint["relabelings"][1:], endpoint["metricRelabelings"]), ("5s", [mine], [dropped]))

    def test_a_serving_certificate_is_a_secret_that_is_mounted(self):
        objects = helm.objects_of({"provider": "digitalocean", "servingCertificate": {"secret": "endpoint"}, "serviceMonitor": {
            "enabled": True, "tlsConfig": {"serverName": "ccm.example.com"}}})
        pod, = pods(objects)
        container, = pod["containers"]
        self.assertIn("--tls-cert-file=/etc/serving-certificate/tls.crt", container["args"])
        self.assertIn("--tls-private-key-file=/etc/serving-certificate/tls.key", container["args"])
        volume, = [item for item in pod["volumes"] if item["name"] == "serving-certificate"]
        self.assertEqual(volume["secret"], {"secretName": "endpoint", "defaultMode": 0o440})
        monitor, = of_kind(objects, "ServiceMonitor")
        self.assertEqual(monitor["spec"]["endpoints"][0]["tlsConfig"], {"serverName": "ccm.example.com"})

    def test_a_secret_of_the_values_is_made_and_mounted(self):
        for values, key, text, volume in [
                ({"provider": "digitalocean", "digitalocean": {"token": "dop_v1_a"}}, "access-token", "dop_v1_a", "token"),
                ({"provider": "openstack", "cloudConfig": {"contents": "[Global]\nuse-clouds = true\n"}}, "cloud.conf",
                 "[Global]\nuse-clouds = true\n", "cloud-config")]:
            with self.subTest(values):
                objects = helm.objects_of(values)
                secret, = of_kind(objects, "Secret")
                self.assertEqual(secret["stringData"], {key: text})
                mounted, = [item for item in pods(objects)[0]["volumes"] if item["name"] == volume]
                self.assertEqual(mounted["secret"]["secretName"], secret["metadata"]["name"])
        args = pods(helm.objects_of({"provider": "openstack", "cloudConfig": {"contents": "  [Global]\n"}}))[0]["containers"][0]["args"]
        self.assertIn("--cloud-config=/etc/config/cloud.conf", args)

    def test_the_chart_says_what_a_store_of_charts_shows(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertTrue(chart["maintainers"][0]["name"])
        self.assertTrue(chart["icon"].startswith("data:image/svg+xml;base64,"))
        readme = (CHART / "README.md").read_text()
        for name in yaml.safe_load((CHART / "values.yaml").read_text()):
            self.assertIn(f"`{name}", readme, "deploy/chart/README.md has a row for each value")

    def test_replicas_are_spread_and_one_stays_while_nodes_are_drained(self):
        objects = helm.objects("-f", CHART / "ci/digitalocean-values.yaml")
        deployment, = of_kind(objects, "Deployment")
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        pod, = pods(objects)
        self.assertEqual(deployment["spec"]["replicas"], 2)
        self.assertEqual([rule["topologyKey"] for rule in pod["topologySpreadConstraints"]],
                         ["topology.kubernetes.io/zone", "kubernetes.io/hostname"])
        budget, = of_kind(objects, "PodDisruptionBudget")
        for selector in [deployment["spec"]["selector"], budget["spec"]["selector"]] + [
                rule["labelSelector"] for rule in pod["topologySpreadConstraints"]]:
            self.assertTrue(selector["matchLabels"].items() <= labels.items())
        alone = helm.objects("-f", CHART / "ci/digitalocean-values.yaml", "--set", "replicas=1")
        self.assertEqual(of_kind(alone, "PodDisruptionBudget"), [])

    def test_alerts_and_dashboard_are_those_of_the_repository(self):
        objects = helm.objects("-f", CHART / "ci/digitalocean-all-values.yaml")
        rules, = of_kind(objects, "PrometheusRule")
        self.assertEqual(rules["spec"], yaml.safe_load((ROOT / "deploy/alerts/cloud-controller-manager.rules.yaml").read_text()))
        dashboard, = [item for item in of_kind(objects, "ConfigMap")]
        self.assertEqual(json.loads(dashboard["data"]["cloud-controller-manager.json"]),
                         json.loads((ROOT / "deploy/grafana/cloud-controller-manager.json").read_text()))
        monitor, = of_kind(objects, "ServiceMonitor")
        service, = of_kind(objects, "Service")
        self.assertTrue(monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items())
        endpoint, = monitor["spec"]["endpoints"]
        self.assertEqual(endpoint["port"], service["spec"]["ports"][0]["name"])
        pod, = pods(objects)
        self.assertEqual(pod["containers"][0]["ports"], [{"name": "https", "containerPort": 10258}])

    def test_a_package_of_the_chart_has_alerts_and_dashboard_inside(self):
        import tarfile
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(helm("package", CHART, "-d", folder).returncode, 0)
            with tarfile.open(folder + "/cloud-controller-manager-0.1.0.tgz") as package:
                names = {member.name: member for member in package.getmembers()}
            for name in ["accounts.json", "alerts.yaml", "dashboard.json", "rights.json"]:
                self.assertTrue(names["cloud-controller-manager/files/" + name].isfile())
            self.assertFalse([name for name in names if "/ci/" in name or "write_rights" in name])


unittest.main(verbosity=2)
