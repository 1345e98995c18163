//! plugin.json in the ELF note, from which the host and `ccmctl plugin inspect` read it without running code.
use ccm_sys::*;
use std::os::raw::c_char;

/// Is replaced by the version of the author's crate.
const VERSION: &[u8] = b"@PROJECT_VERSION@";

const fn begins_with(text: &[u8], place: usize, what: &[u8]) -> bool {
    if text.len() - place < what.len() {
        return false;
    }
    let mut i = 0;
    while i < what.len() {
        if text[place + i] != what[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The bytes of the manifest with the version in its place.
pub const fn length(text: &str, version: &str) -> usize {
    let text = text.as_bytes();
    let (mut length, mut place) = (0, 0);
    while place < text.len() {
        let found = begins_with(text, place, VERSION);
        length += if found { version.len() } else { 1 };
        place += if found { VERSION.len() } else { 1 };
    }
    length
}

/// The length of the note's text: with a NUL, in whole words.
pub const fn padded(length: usize) -> usize {
    (length + 1 + 3) / 4 * 4
}

/// An ELF note (ccm/abi/plugin.h).
#[repr(C, align(4))]
pub struct Note<const SIZE: usize> {
    name_size: u32,
    text_size: u32,
    kind: u32,
    name: [u8; 4],
    text: [u8; SIZE],
}

impl<const SIZE: usize> Note<SIZE> {
    pub const fn new(text: &str, version: &str) -> Note<SIZE> {
        let length = length(text, version);
        let (text, version) = (text.as_bytes(), version.as_bytes());
        let mut to = [0; SIZE];
        let (mut end, mut place) = (0, 0);
        while place < text.len() {
            if begins_with(text, place, VERSION) {
                let mut i = 0;
                while i < version.len() {
                    to[end] = version[i];
                    end += 1;
                    i += 1;
                }
                place += VERSION.len();
            } else {
                to[end] = text[place];
                end += 1;
                place += 1;
            }
        }
        Note { name_size: 4, text_size: length as u32 + 1, kind: CCM_NOTE_TYPE_MANIFEST as u32, name: *b"ccm\0", text: to }
    }

    pub const fn text(&self) -> ccm_str {
        ccm_str { ptr: &self.text as *const u8 as *const c_char, len: self.text_size as usize - 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str, version: &str) -> String {
        let note = Note::<64>::new(text, version);
        unsafe { crate::ffi::string(note.text()) }
    }

    #[test]
    fn the_version_is_put_in_its_place() {
        assert_eq!(text_of("{\"version\": \"@PROJECT_VERSION@\"}", "1.20.3"), "{\"version\": \"1.20.3\"}");
        assert_eq!(text_of("@PROJECT_VERSION@@PROJECT_VERSION@", "1"), "11");
        assert_eq!(text_of("@PROJECT_VERSION", "1"), "@PROJECT_VERSION");
        assert_eq!(text_of("", "1"), "");
    }

    #[test]
    fn a_note_is_whole_words() {
        assert_eq!([padded(0), padded(3), padded(4)], [4, 4, 8]);
        assert_eq!(std::mem::size_of::<Note<8>>(), 24);
    }
}
