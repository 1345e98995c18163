//! Flags, --cloud-config, secrets.
use crate::callback::{callback, drop_callback};
use crate::ffi;
use crate::host::call;
use crate::Host;
use std::os::raw::c_char;
use std::sync::Arc;

impl Host {
    /// Keeps a copy of --cloud-config. The host's bytes may go away with the next change, which it tells in [serial]; so they
    /// are read there alone, and everybody else gets the copy.
    pub(crate) fn watch_config(&self) {
        self.read_config();
        let host = self.clone();
        let changed = callback(move || {
            host.read_config();
            let listeners = host.0.config.lock().unwrap().listeners.clone();
            for listener in listeners {
                host.logged("on_config_change", || listener());
            }
        });
        if call!(self, config.on_change(changed)).is_none() {
            drop_callback(changed);
        }
    }

    fn read_config(&self) {
        let mut text = ffi::none();
        let found = call!(self, config.cloud_config(&mut text)).unwrap_or(0) != 0;
        self.0.config.lock().unwrap().text = if found { Some(unsafe { ffi::string(text) }) } else { None };
    }

    /// The value in force of a flag, named without dashes: one of the host's, or of those that plugin.json declares.
    pub fn flag(&self, name: &str) -> Option<String> {
        let mut value = ffi::none();
        let found = call!(self, config.flag(ffi::borrow(name), &mut value)).unwrap_or(0) != 0;
        if found { Some(unsafe { ffi::string(value) }) } else { None }
    }

    /// Whether the user gave the flag, rather than leaving its default.
    pub fn flag_given(&self, name: &str) -> bool {
        call!(self, config.flag_given(ffi::borrow(name))).unwrap_or(0) != 0
    }

    /// The content of --cloud-config as it is now; `None` when the flag is empty.
    pub fn cloud_config(&self) -> Option<String> {
        self.0.config.lock().unwrap().text.clone()
    }

    /// Has the function called each time that --cloud-config has changed, for which the host looks every 10 s. It must
    /// return within 10 ms.
    pub fn on_config_change(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.0.config.lock().unwrap().listeners.push(Arc::new(listener));
    }

    /// Tells the operator that the configuration as it is now in `file` (empty: in --cloud-config) cannot be used, and that
    /// the one from before stays in force. The reason says where the fault is and what to do.
    pub fn config_rejected(&self, file: &str, reason: &str) {
        call!(self, config.rejected(ffi::borrow(file), ffi::borrow(reason)));
    }

    /// Takes back what `config_rejected` said of that file: it is in force as it is now.
    pub fn config_accepted(&self, file: &str) {
        call!(self, config.accepted(ffi::borrow(file)));
    }

    /// The file that the environment variable NAME_FILE points to, or the variable NAME; read each time, so that rotation
    /// needs no restart. Never log it.
    pub fn secret(&self, name: &str) -> Option<String> {
        let mut buffer = vec![0u8; 512];
        loop {
            let place = buffer.as_mut_ptr() as *mut c_char;
            let length = call!(self, config.secret(ffi::borrow(name), place, buffer.len())).unwrap_or(-1);
            let found = usize::try_from(length).ok();
            let value = found.filter(|length| *length <= buffer.len());
            let value = value.map(|length| String::from_utf8_lossy(&buffer[..length]).into_owned());
            // No memory that is given back keeps the secret; a plain fill of memory that dies may be left out.
            for byte in &mut buffer {
                unsafe { std::ptr::write_volatile(byte, 0) };
            }
            match found {
                Some(length) if length > buffer.len() => buffer.resize(length, 0),
                _ => return value,
            }
        }
    }
}
