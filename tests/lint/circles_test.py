#!/usr/bin/env python3
"""circles.py finds what it is there to find, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import circles


class CirclesTest(unittest.TestCase):
    def findings(self, **files):
        """In a tree with these files: "__" stands for "/", "_D_" for "."."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, name.replace("__", "/").replace("_D_", "."))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return circles.check(root)

    def rust(self, **modules):
        return self.findings(**{f"sdk__rust__ccm__src__{name}_D_rs": text for name, text in modules.items()})

    def test_modules_by_their_name(self):
        self.assertEqual(self.rust(lib="", a="use crate::b;", b="use crate::{c, d};", c="", d="use crate::c::One;"), [])
        self.assertEqual(self.rust(lib="", a="use crate::b;", b="use crate::c::{self, One};", c="fn f() { crate::b::g() }"),
                         ["a circle: b -> c -> b"])

    def test_modules_by_what_lib_hands_out(self):
        self.assertEqual(self.rust(lib="pub use a::{A1, A2};\npub use b::B;", a="use crate::B;", b="use crate::{A2, Nothing};"),
                         ["a circle: a -> b -> a"])
        self.assertEqual(self.rust(lib="pub use a::A;", a="use crate::A;", b="use crate::A;"), [])

    def test_headers(self):
        self.assertEqual(self.findings(sdk__include__ccm__a_D_hpp="#include <ccm/b.hpp>", sdk__include__ccm__b_D_hpp="#include <string>"), [])
        self.assertEqual(self.findings(sdk__include__ccm__a_D_hpp="#include <ccm/b.hpp>", sdk__include__ccm__b_D_hpp="#include <ccm/a.hpp>"),
                         ["a circle: sdk/include/ccm/a.hpp -> sdk/include/ccm/b.hpp -> sdk/include/ccm/a.hpp"])
        self.assertEqual(self.findings(core__net__a_D_hpp='#include "core/net/b.hpp"', core__net__b_D_hpp='#include "a.hpp"'),
                         ["a circle: core/net/a.hpp -> core/net/b.hpp -> core/net/a.hpp"])

    def test_what_two_use_is_no_circle(self):
        self.assertEqual(self.rust(lib="", a="use crate::{b, c};", b="use crate::d;", c="use crate::d;", d=""), [])


if __name__ == "__main__":
    unittest.main()
