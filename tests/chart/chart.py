"""Shared by the tests of the chart: helm, its values files, and the objects that it renders."""
import pathlib
import shutil
import subprocess
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "deploy" / "chart"
VALUES = sorted((CHART / "ci").glob("*-values.yaml"))


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


class Helm:
    def __init__(self, program):
        self.program = program

    def __call__(self, *arguments, **options):
        return run(self.program, *arguments, **options)

    def template(self, *arguments, chart=CHART):
        """The text; a failure is a fault of the test."""
        ended = self("template", "ccm", chart, "--namespace=kube-system", *arguments)
        if ended.returncode != 0:
            raise AssertionError("helm template %s\n%s" % (" ".join(map(str, arguments)), ended.stderr))
        return ended.stdout

    def objects(self, *arguments, chart=CHART):
        return [document for document in yaml.safe_load_all(self.template(*arguments, chart=chart)) if document]

    def objects_of(self, values, chart=CHART):
        """With these values, as a dictionary, instead of a file. An image is named where they name none."""
        values = {"image": {"repository": "cloud-controller-manager"}, **values}
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(values, file)
            file.flush()
            return self.objects("-f", file.name, chart=chart)

    def notes(self, values):
        """What is said after the installation; helm shows it only with a cluster, so here it is in an object of a copy of the chart."""
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "chart"
            shutil.copytree(CHART, copy)
            (copy / "templates/notes.yaml").write_text(
                'kind: Notes\ntext: |\n  {{- include (print .Template.BasePath "/NOTES.txt") . | nindent 2 }}\n')
            notes, = of_kind(self.objects_of(values, copy), "Notes")
            return notes["text"]


def of_kind(objects, kind):
    return [item for item in objects if item["kind"] == kind]


def pods(objects):
    """The specifications of all Pods that come from these objects."""
    return [item["spec"] if item["kind"] == "Pod" else item["spec"]["template"]["spec"]
            for item in objects if item["kind"] in ("Pod", "Deployment", "DaemonSet")]
