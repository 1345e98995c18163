//! Objects of the fake host: parsed JSON that is reference counted.
use ccm::ffi;
use ccm::sys::*;
use ccm::ValueKind;
use std::sync::atomic::{AtomicUsize, Ordering};

pub struct Node {
    pub kind: ValueKind,
    /// A string's content, or the text of a boolean or number.
    pub text: String,
    /// The elements of an array, with empty names, or the members of an object.
    pub children: Vec<(String, usize)>,
}

/// A ccm_object points to one. A position in it is the place of a node; the root comes last.
pub struct FakeObject {
    pub nodes: Vec<Node>,
    pub json: String,
    references: AtomicUsize,
}

impl FakeObject {
    /// An object with one reference; None for what is no JSON object.
    pub fn parse(text: &[u8]) -> Option<*const ccm_object> {
        let json = String::from_utf8_lossy(text).into_owned();
        let mut parser = Parser { rest: json.trim(), nodes: Vec::new() };
        let root = parser.value()?;
        if !parser.rest.is_empty() || parser.nodes[root].kind != ValueKind::Object {
            return None;
        }
        let nodes = parser.nodes;
        let made = FakeObject { nodes, json, references: AtomicUsize::new(1) };
        Some(Box::into_raw(Box::new(made)) as *const ccm_object)
    }

    /// # Safety
    /// The object is one of `parse`, and a reference to it is held.
    pub unsafe fn of<'a>(object: *const ccm_object) -> &'a FakeObject {
        &*(object as *const FakeObject)
    }

    pub fn retain(&self) {
        self.references.fetch_add(1, Ordering::SeqCst);
    }

    /// # Safety
    /// As `of`; the reference is gone then.
    pub unsafe fn release(object: *const ccm_object) {
        if FakeObject::of(object).references.fetch_sub(1, Ordering::SeqCst) == 1 {
            drop(Box::from_raw(object as *mut FakeObject));
        }
    }

    pub fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    pub fn find(&self, from: usize, pointer: &str) -> Option<usize> {
        let mut place = from;
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let node = &self.nodes[place];
            place = match node.kind {
                ValueKind::Array => node.children.get(step.parse::<usize>().ok()?)?.1,
                _ => node.children.iter().find(|(name, _)| *name == step)?.1,
            };
        }
        Some(place)
    }

    pub fn equal(&self, place: usize, other: &FakeObject, there: usize) -> bool {
        let (left, right) = (&self.nodes[place], &other.nodes[there]);
        left.kind == right.kind
            && left.text == right.text
            && left.children.len() == right.children.len()
            && (left.children.iter().zip(&right.children))
                .all(|((name, here), (other_name, there))| name == other_name && self.equal(*here, other, *there))
    }
}

/// Whether a manifest says "nonblocking": true.
///
/// # Safety
/// `manifest` is a text.
pub unsafe fn nonblocking(manifest: ccm_str) -> bool {
    let object = FakeObject::parse(ffi::bytes(manifest)).expect("the manifest is no JSON object");
    let root = FakeObject::of(object);
    let found = root.find(root.root(), "/nonblocking").map_or(false, |place| root.nodes[place].text == "true");
    FakeObject::release(object);
    found
}

struct Parser<'a> {
    rest: &'a str,
    nodes: Vec<Node>,
}

impl Parser<'_> {
    fn take(&mut self, text: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(text)?.trim_start();
        Some(())
    }

    fn add(&mut self, kind: ValueKind, text: String, children: Vec<(String, usize)>) -> Option<usize> {
        self.nodes.push(Node { kind, text, children });
        Some(self.nodes.len() - 1)
    }

    fn value(&mut self) -> Option<usize> {
        for (word, kind) in [("null", ValueKind::Null), ("true", ValueKind::Boolean), ("false", ValueKind::Boolean)] {
            if self.take(word).is_some() {
                let text = if kind == ValueKind::Null { "" } else { word };
                return self.add(kind, text.to_string(), Vec::new());
            }
        }
        match self.rest.chars().next()? {
            '"' => {
                let text = self.string()?;
                self.add(ValueKind::String, text, Vec::new())
            }
            '[' => {
                let elements = self.list('[', ']', |parser| Some((String::new(), parser.value()?)))?;
                self.add(ValueKind::Array, String::new(), elements)
            }
            '{' => {
                let members = self.list('{', '}', |parser| {
                    let name = parser.string()?;
                    parser.take(":")?;
                    Some((name, parser.value()?))
                })?;
                self.add(ValueKind::Object, String::new(), members)
            }
            _ => {
                let end = self.rest.find(|letter: char| !letter.is_ascii_digit() && !"+-.eE".contains(letter));
                let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                number.parse::<f64>().ok()?;
                let number = number.to_string();
                self.rest = rest.trim_start();
                self.add(ValueKind::Number, number, Vec::new())
            }
        }
    }

    fn list<T>(&mut self, begin: char, end: char, element: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.take(&begin.to_string())?;
        let mut all = Vec::new();
        while self.take(&end.to_string()).is_none() {
            if !all.is_empty() {
                self.take(",")?;
            }
            all.push(element(self)?);
        }
        Some(all)
    }

    fn string(&mut self) -> Option<String> {
        self.rest = self.rest.strip_prefix('"')?;
        let mut text = String::new();
        loop {
            let mut letters = self.rest.chars();
            let letter = letters.next()?;
            self.rest = letters.as_str();
            match letter {
                '"' => break,
                '\\' => text.push(self.escaped()?),
                _ => text.push(letter),
            }
        }
        self.rest = self.rest.trim_start();
        Some(text)
    }

    fn escaped(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let (digits, rest) = (self.rest.get(..4)?, self.rest.get(4..)?);
                self.rest = rest;
                // Halves of a pair are not put together.
                char::from_u32(u32::from_str_radix(digits, 16).ok()?).unwrap_or('\u{fffd}')
            }
            other => other,
        })
    }
}
