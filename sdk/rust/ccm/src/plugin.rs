//! The entry, and the component of a provider.
use crate::component::{Component, Tables};
use crate::ffi::{self, guarded};
use crate::operation::{operate, Completion};
use crate::{request, Error, Host, Provider, Result};
use ccm_sys::*;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

/// Exports a provider as the plugin's only component. `"mycloud"` is its name in plugin.json, which stands beside
/// Cargo.toml; `@PROJECT_VERSION@` in it is the crate's version.
///
/// ```ignore
/// ccm::plugin!("mycloud" => MyCloud);
/// ```
#[macro_export]
macro_rules! plugin {
    ($name:literal => $provider:ty) => {
        /// The plugin's entry, and the only symbol that it exports.
        #[no_mangle]
        pub extern "C" fn ccm_plugin_v1() -> *const $crate::sys::ccm_plugin {
            use $crate::{manifest, plugin};
            const MANIFEST: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/plugin.json"));
            const SIZE: usize = manifest::padded(manifest::length(MANIFEST, env!("CARGO_PKG_VERSION")));
            #[used]
            #[link_section = ".note.ccm"]
            static NOTE: manifest::Note<SIZE> = manifest::Note::new(MANIFEST, env!("CARGO_PKG_VERSION"));

            unsafe extern "C" fn create(
                _: *mut std::os::raw::c_void,
                _: $crate::sys::ccm_ctx,
                request: *const $crate::sys::ccm_create_request,
                done: $crate::sys::ccm_completion,
            ) {
                plugin::create::<$provider>($name, || $crate::__tables!($provider), request, done);
            }
            static PLUGIN: plugin::Entry = plugin::Entry::new(NOTE.text(), create);
            PLUGIN.get()
        }
    };
}

type Create = unsafe extern "C" fn(*mut c_void, ccm_ctx, *const ccm_create_request, ccm_completion);

/// The plugin, as the entry returns it. It holds pointers, but never changes.
pub struct Entry(ccm_plugin);
unsafe impl Sync for Entry {}

impl Entry {
    pub const fn new(manifest: ccm_str, create: Create) -> Entry {
        Entry(ccm_plugin {
            size: std::mem::size_of::<ccm_plugin>() as u32,
            abi_minor: CCM_ABI_MINOR,
            manifest,
            open: None,
            create: Some(create),
            close: None,
        })
    }

    pub const fn get(&self) -> *const ccm_plugin {
        &self.0
    }
}

/// # Safety
/// Called by the host as ccm_plugin.create.
pub unsafe fn create<P: Provider>(
    name: &str,
    tables: impl FnOnce() -> Tables,
    request: *const ccm_create_request,
    done: ccm_completion,
) {
    let completion = Completion::new(done);
    let made = guarded(|| make::<P>(name, tables, request)).unwrap_or_else(|cause| Err(Error::panicked(cause)));
    let _ = guarded(|| match made {
        Ok(component) => {
            let raw = ccm_component {
                self_: Box::into_raw(component) as *mut c_void,
                get_interface: Some(get_interface::<P>),
                destroy: Some(destroy::<P>),
                ..ccm_component::default()
            };
            completion.finish(&Ok(&raw as *const ccm_component as *const c_void), std::ptr::null());
        }
        Err(error) => completion.finish(&Err(error), std::ptr::null()),
    });
}

unsafe fn make<P: Provider>(
    name: &str,
    tables: impl FnOnce() -> Tables,
    request: *const ccm_create_request,
) -> Result<Box<Component<P>>> {
    let request = request::read(request, 0)?;
    let wanted = ffi::string(request.component);
    if wanted != name {
        let message = format!("this plugin has no component named \"{}\"", wanted);
        return Err(Error::new(crate::Code::NotFound, crate::Class::None, message));
    }
    let host = Host::new(request.host)?;
    host.watch_config();
    let made = guarded(|| P::new(host.clone())).unwrap_or_else(|cause| {
        host.log_panic("Provider::new", &cause);
        Err(Error::panicked(cause))
    });
    let provider = match made {
        Ok(provider) => Arc::new(provider),
        Err(error) => {
            host.end_jobs();
            host.close();
            return Err(error);
        }
    };
    let table = ccm_provider {
        initialize: Some(initialize::<P>),
        has_cluster_id: Some(has_cluster_id::<P>),
        shutdown: Some(shutdown::<P>),
        ..ccm_provider::default()
    };
    Ok(Box::new(Component { host, provider, table, tables: tables() }))
}

unsafe extern "C" fn destroy<P: Provider>(this: *mut c_void) {
    let Component { host, provider, .. } = *Box::from_raw(this as *mut Component<P>);
    host.end_jobs();
    host.logged("the end of the provider", || drop(provider));
    host.close();
}

unsafe extern "C" fn get_interface<P: Provider>(this: *mut c_void, id: *const c_char, out: *mut ccm_interface) -> ccm_bool {
    let component = &*(this as *const Component<P>);
    let id = CStr::from_ptr(id).to_str().unwrap_or("");
    let tables = &component.tables;
    let table = match id {
        CCM_PROVIDER => &component.table as *const ccm_provider as *const c_void,
        CCM_CLOUD_INSTANCES => place(&tables.instances),
        CCM_CLOUD_LOADBALANCERS => place(&tables.load_balancers),
        CCM_CLOUD_ROUTES => place(&tables.routes),
        CCM_CLOUD_OWNED => place(&tables.owned),
        _ => std::ptr::null(),
    };
    let offered = || id == CCM_PROVIDER || component.host.logged("offers", || component.provider.offers(id)) == Some(true);
    if table.is_null() || !offered() {
        return 0;
    }
    *out = ccm_interface { self_: this, table };
    1
}

fn place<T>(table: &Option<T>) -> *const c_void {
    table.as_ref().map_or(std::ptr::null(), |table| table as *const T as *const c_void)
}

unsafe extern "C" fn initialize<P: Provider>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_initialize_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.initialize(ctx));
}

unsafe extern "C" fn has_cluster_id<P: Provider>(this: *mut c_void) -> ccm_bool {
    let component = &*(this as *const Component<P>);
    component.host.logged("has_cluster_id", || component.provider.has_cluster_id()).unwrap_or(true).into()
}

unsafe extern "C" fn shutdown<P: Provider>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_shutdown_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.shutdown(ctx));
}
