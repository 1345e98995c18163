#!/usr/bin/env python3
"""description.json is what write_description makes, and has nothing but what the tests read."""
import json
import unittest
from importlib.machinery import SourceFileLoader
from pathlib import Path

HERE = Path(__file__).parent
script = SourceFileLoader("write_description", str(HERE / "write_description")).load_module()


class WriteDescriptionTest(unittest.TestCase):
    def test_nothing_is_in_the_file_that_the_script_leaves_out(self):
        document = json.loads((HERE / "description.json").read_text())
        made = script.Description(document).result()
        self.assertEqual(made["paths"], document["paths"])
        self.assertEqual(made["components"], document["components"])

    def test_types_and_limits_stay_and_prose_goes(self):
        operation = {"summary": "prose", "responses": {"200": {"description": "prose", "content": {"application/json": {
            "example": {"a": 1}, "schema": {"$ref": "#/components/schemas/thing"}}}}, "204": {"description": "prose"}}}
        thing = {"type": "object", "description": "prose", "required": ["size"], "properties": {
            "description": {"type": "string", "example": "prose"}, "size": {"type": "integer", "maximum": 3},
            "inner": {"$ref": "#/components/schemas/thing"}}}
        paths = {path: {} for path in script.PATHS} | {"/v2/account": {"get": operation, "x-note": "prose"}}
        made = script.Description({"info": {}, "paths": paths, "components": {"schemas": {"thing": thing, "other": {}}}}).result()
        reference = {"$ref": "#/components/schemas/thing"}
        self.assertEqual(made["paths"]["/v2/account"], {"get": {"responses": {
            "200": {"content": {"application/json": {"schema": reference}}}, "204": {}}}})
        self.assertEqual(made["components"], {"schemas": {"thing": {"type": "object", "required": ["size"], "properties": {
            "description": {"type": "string"}, "size": {"type": "integer", "maximum": 3}, "inner": reference}}}})


if __name__ == "__main__":
    unittest.main()
