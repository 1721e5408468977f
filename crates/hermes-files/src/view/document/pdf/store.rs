//! All objects of a file, found by looking for them.
//!
//! A PDF has tables that say where each object is. They are not used: reading the file from front
//! to back and keeping the last definition of each number gives the same for a sound file, works
//! for one whose tables are broken, and cannot be led in circles.

use std::cell::Cell;
use std::collections::HashMap;

use memchr::memmem;

use super::filter;
use super::lexer::{Lexer, is_space};
use super::object::{Dict, Object, Stream};

/// Most bytes unpacked from one file, each time something is unpacked counted.
pub(super) const MAX_UNPACKED_BYTES: usize = 128 * 1024 * 1024;
/// Most values in one file, those inside of others included; each takes memory.
const MAX_PARTS: usize = 4_000_000;
/// References to references to references.
const MAX_HOPS: usize = 16;

/// The objects of one file.
#[derive(Debug)]
pub(super) struct ObjectStore<'a> {
    bytes: &'a [u8],
    objects: HashMap<u32, Object>,
    parts: usize,
    unpackable: Cell<usize>,
}

impl<'a> ObjectStore<'a> {
    /// Finds the objects; `None` when this is no PDF or its content is encrypted. At most `unpackable`
    /// bytes are ever unpacked.
    pub(super) fn read(bytes: &'a [u8], unpackable: usize) -> Option<Self> {
        let start = &bytes[..bytes.len().min(1024)];
        memmem::find(start, b"%PDF-")?;
        if memmem::find(bytes, b"/Encrypt").is_some() {
            return None;
        }
        let unpackable = Cell::new(unpackable);
        let mut store = Self { bytes, objects: HashMap::new(), parts: 0, unpackable };
        store.scan();
        Some(store)
    }

    fn scan(&mut self) {
        let finder = memmem::Finder::new(b"obj");
        let mut position = 0;
        while let Some(found) = finder.find(&self.bytes[position..]) {
            let at = position + found;
            position = at + 3;
            let Some(id) = id_before(self.bytes, at) else { continue };
            let mut lexer = Lexer::new(self.bytes, position);
            let object = lexer.object();
            lexer.skip_space();
            let object = match object {
                Some(Object::Dict(dict)) if lexer.accept(b"stream") => {
                    let (stream, end) = self.stream_at(*dict, lexer.position);
                    position = end;
                    self.add_members(&stream);
                    Some(Object::Stream(Box::new(stream)))
                }
                other => {
                    // Also after damage: what was looked at once is not looked at again.
                    position = lexer.position.clamp(position, self.bytes.len());
                    other
                }
            };
            self.parts += lexer.parts;
            if self.is_partial() {
                return;
            }
            self.objects.extend(object.map(|object| (id, object)));
        }
    }

    /// The data behind the word `stream`, and where it ends.
    fn stream_at(&self, dict: Dict, word_end: usize) -> (Stream, usize) {
        let rest = &self.bytes[word_end..];
        let start = word_end
            + match rest {
                [b'\r', b'\n', ..] => 2,
                [b'\n' | b'\r', ..] => 1,
                _ => 0,
            };
        let stated = dict.get("Length").and_then(Object::integer).and_then(|length| {
            let end = start.checked_add(length as usize)?;
            let after = self.bytes.get(end..)?;
            let space = after.iter().take(4).take_while(|byte| is_space(**byte)).count();
            after[space..].starts_with(b"endstream").then_some(end)
        });
        let end = stated.unwrap_or_else(|| {
            let rest = &self.bytes[start..];
            start + memmem::find(rest, b"endstream").unwrap_or(rest.len())
        });
        (Stream { dict, place: start..end }, end)
    }

    /// Adds the objects that are packed together in a stream.
    fn add_members(&mut self, stream: &Stream) {
        if stream.dict.get("Type").and_then(Object::name) != Some("ObjStm") {
            return;
        }
        let Some(first) = stream.dict.get("First").and_then(Object::integer) else { return };
        let Some(data) = self.unpack(stream) else { return };
        let mut index = Lexer::new(&data, 0);
        while index.position < first as usize && !self.is_partial() {
            let id = index.object().as_ref().and_then(Object::integer);
            let offset = index.object().as_ref().and_then(Object::integer);
            let (Some(id), Some(offset)) = (id, offset) else { return };
            let start = (first as usize).saturating_add(offset as usize);
            let mut lexer = Lexer::new(&data, start);
            let object = lexer.object();
            self.parts += lexer.parts;
            self.objects.extend(object.map(|object| (id, object)));
        }
    }

    /// The object itself, references followed.
    pub(super) fn resolve<'o>(&'o self, mut object: &'o Object) -> &'o Object {
        for _ in 0..MAX_HOPS {
            match object {
                Object::Reference(id) => object = self.objects.get(id).unwrap_or(&Object::Null),
                _ => return object,
            }
        }
        &Object::Null
    }

    /// A value of a dictionary, references followed.
    pub(super) fn get<'o>(&'o self, dict: &'o Dict, key: &str) -> &'o Object {
        dict.get(key).map_or(&Object::Null, |object| self.resolve(object))
    }

    /// The root of the tree all pages hang from. A file that was changed by appending may have
    /// several; the newest has the highest number.
    pub(super) fn page_tree(&self) -> Option<&Object> {
        self.of_type("Catalog").pop().and_then(|root| root.get("Pages"))
    }

    /// Dictionaries that say they are of a type, by number.
    pub(super) fn of_type(&self, name: &str) -> Vec<&Dict> {
        let is_of_type = |dict: &&Dict| dict.get("Type").and_then(Object::name) == Some(name);
        let dicts = self.objects.iter().filter_map(|(id, object)| Some((id, object.dict()?)));
        let mut found: Vec<_> = dicts.filter(|(_, dict)| is_of_type(dict)).collect();
        found.sort_by_key(|(id, _)| **id);
        found.into_iter().map(|(_, dict)| dict).collect()
    }

    /// The data of a stream, unpacked; `None` for pictures and when too much was unpacked already.
    pub(super) fn unpack(&self, stream: &Stream) -> Option<Vec<u8>> {
        let mut data = self.bytes.get(stream.place.clone())?.to_vec();
        self.charge(data.len());
        let filters = match self.get(&stream.dict, "Filter") {
            Object::Array(filters) => filters.as_slice(),
            filter @ Object::Name(_) => std::slice::from_ref(filter),
            _ => &[],
        };
        for filter in filters {
            let name = self.resolve(filter).name()?;
            data = filter::decode(name, &data, self.unpackable.get())?;
            self.charge(data.len());
        }
        (!self.is_exhausted()).then_some(data)
    }

    fn charge(&self, bytes: usize) {
        self.unpackable.set(self.unpackable.get().saturating_sub(bytes));
    }

    /// Whether there were more objects than are kept.
    pub(super) const fn is_partial(&self) -> bool {
        self.parts > MAX_PARTS
    }

    /// Whether nothing more can be unpacked.
    pub(super) fn is_exhausted(&self) -> bool {
        self.unpackable.get() == 0
    }
}

/// The number in `12 0 ` in front of the word `obj`.
fn id_before(bytes: &[u8], at: usize) -> Option<u32> {
    // Two numbers of at most ten and five digits, with a little white space.
    let before = &bytes[at.saturating_sub(24)..at];
    let mut fields = before.rsplit(|byte| is_space(*byte)).filter(|field| !field.is_empty());
    if !before.last().is_some_and(|byte| is_space(*byte) || byte.is_ascii_digit()) {
        return None;
    }
    let generation = fields.next()?;
    let number = fields.next()?;
    let digits = number.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let number = &number[number.len() - digits..];
    if !generation.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}
