//! Files that a configuration names.
use crate::call::Call;
use crate::callback::{callback, drop_callback};
use crate::ffi;
use crate::host::call;
use crate::{Ctx, Error, Host, Result};
use ccm_sys::*;

impl Host {
    /// A whole regular file at an absolute path, of at most 1 MiB, read outside of the host's own thread.
    pub async fn read_file(&self, ctx: &Ctx, path: &str) -> Result<Vec<u8>> {
        self.begin_read(ctx, path).await
    }

    fn begin_read(&self, ctx: &Ctx, path: &str) -> Call<Vec<u8>> {
        let request = ccm_read_file_request { path: ffi::borrow(path), ..ccm_read_file_request::default() };
        Call::begin(ctx, CCM_HOST_FILE, |ctx, done| call!(self, file.read(ctx, &request, done)), |result| {
            if result.is_null() {
                return Err(Error::internal("the host gave no file"));
            }
            unsafe { Ok(ffi::bytes(ffi::known(result as *const ccm_file).bytes).to_vec()) }
        })
    }

    /// Has the function called each time that the file at that absolute path has other content, appeared or vanished, within
    /// 10 s, until the outcome is dropped. It must return within 10 ms. `None` when the host refuses.
    pub fn watch_file(&self, path: &str, changed: impl Fn() + Send + Sync + 'static) -> Option<FileWatch> {
        let host = self.clone();
        let changed = callback(move || {
            host.logged("watch_file", &changed);
        });
        let registration = call!(self, file.watch(ffi::borrow(path), changed));
        if registration.is_none() {
            drop_callback(changed);
        }
        match registration {
            None | Some(0) => None,
            Some(registration) => Some(FileWatch { host: self.clone(), registration }),
        }
    }
}

/// The watch that `Host::watch_file` begins; it ends when this is dropped.
pub struct FileWatch {
    host: Host,
    registration: u64,
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        call!(self.host, file.unwatch(self.registration));
    }
}
