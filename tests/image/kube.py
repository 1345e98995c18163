"""A real kube-apiserver, as tests/kube-apiserver/build.sh makes it, and a cloud for it: what running.Sandbox is alone."""
import json
import os
import pathlib
import shutil
import ssl
import subprocess

import running

SERVERS = pathlib.Path(__file__).resolve().parents[1] / "kube-apiserver"
PROGRAM = os.environ.get("CCM_KUBE_APISERVER", "")


class Kube(running.Server):
    """Holds a Node for each machine of the cloud. The kubeconfig in the box is that of a service account with the rights that
    ccmctl prints for these flags, and no others."""

    def __init__(self, test, folder, box, sandbox, ccmctl, machines, *flags):
        folder.mkdir()
        log = folder / "log"
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen([PROGRAM, "--directory", folder], stdout=out, stderr=out)
        test.addCleanup(process.wait)
        test.addCleanup(process.terminate)
        cloud = running.Sandbox(test, sandbox, box, "--nodes", str(machines))
        running.await_it(180, lambda: (folder / "ready").exists() or process.poll() is not None, log.read_text)
        if process.poll() is not None:
            raise AssertionError(log.read_text())
        context = ssl.create_default_context(cafile=folder / "ca.crt")
        context.load_cert_chain(folder / "admin.crt", folder / "admin.key")
        super().__init__(json.loads((folder / "ready").read_text())["server"], context)
        rights = subprocess.run([*map(str, ccmctl), "rbac", "-o", "json", *flags], check=True, capture_output=True).stdout
        subprocess.run([SERVERS / "apply", folder], input=rights, check=True)
        shutil.copy(folder / "manager.kubeconfig", box / "kubeconfig")
        (box / "kubeconfig").chmod(0o644)
        for name in cloud.nodes():
            self.join(name)

    def manager_may(self, verb, resource):
        """Whether the service account may do that with all of these resources, by the server's own word."""
        review = self.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": {
                "user": "system:serviceaccount:kube-system:cloud-controller-manager",
                "resourceAttributes": {"verb": verb, "resource": resource}}})
        return review["status"]["allowed"]
