//! The C declarations of ccm/abi/*.h that a provider needs, by hand. Copy this file into a crate of your own; further
//! interfaces are written alike. A test compares names, types, places and values with the C headers, which also say what
//! everything means.
#![allow(dead_code)]

use std::os::raw::{c_char, c_void};

pub const CCM_ABI_MINOR: u32 = 0;
pub const CCM_PROVIDER: &str = "ccm.provider/1";
pub const CCM_CLOUD_INSTANCES: &str = "ccm.cloud.instances/1";
pub const CCM_HOST_CONFIG: &str = "ccm.host.config/1";
pub const CCM_HOST_LOG: &str = "ccm.host.log/1";

pub const CCM_CODE_OK: i32 = 0;
pub const CCM_CODE_INVALID_ARGUMENT: i32 = 3;
pub const CCM_CODE_NOT_FOUND: i32 = 5;
pub const CCM_CODE_UNIMPLEMENTED: i32 = 12;
pub const CCM_CODE_INTERNAL: i32 = 13;
pub const CCM_CODE_UNAVAILABLE: i32 = 14;
pub const CCM_CLASS_NONE: i32 = 0;
pub const CCM_CLASS_UNAVAILABLE: i32 = 6;
pub const CCM_CLASS_UNSUPPORTED: i32 = 9;
pub const CCM_INSTANCE_RUNNING: i32 = 1;
pub const CCM_INSTANCE_SHUTDOWN: i32 = 2;
pub const CCM_LOG_INFO: i32 = 0;

pub enum CcmObject {}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CcmStr {
    pub ptr: *const c_char,
    pub len: usize,
}

#[repr(C)]
pub struct CcmKeyValue {
    pub key: CcmStr,
    pub value: CcmStr,
}

#[repr(C)]
pub struct CcmInterface {
    pub this: *mut c_void,
    pub table: *const c_void,
}

#[repr(C)]
pub struct CcmStatus {
    pub size: u32,
    pub code: i32,
    pub error_class: i32,
    pub flags: u32,
    pub retry_after_ms: i64,
    pub reason: CcmStr,
    pub message: CcmStr,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CcmCtx {
    pub id: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CcmCallback {
    pub r#fn: Option<unsafe extern "C" fn(*mut c_void)>,
    pub drop: Option<unsafe extern "C" fn(*mut c_void)>,
    pub owner: *mut c_void,
}

pub type CcmCompletionFn =
    Option<unsafe extern "C" fn(*mut c_void, u64, *const CcmStatus, *const c_void)>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CcmCompletion {
    pub r#fn: CcmCompletionFn,
    pub owner: *mut c_void,
    pub operation: u64,
}

#[repr(C)]
pub struct CcmHost {
    pub size: u32,
    pub abi_minor: u32,
    pub flags: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub get_interface:
        Option<unsafe extern "C" fn(*mut c_void, *const c_char, *mut CcmInterface) -> u32>,
}

#[repr(C)]
pub struct CcmComponent {
    pub size: u32,
    pub reserved: u32,
    pub this: *mut c_void,
    pub get_interface:
        Option<unsafe extern "C" fn(*mut c_void, *const c_char, *mut CcmInterface) -> u32>,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct CcmOpenRequest {
    pub size: u32,
    pub flags: u32,
    pub host: *const CcmHost,
}

#[repr(C)]
pub struct CcmCreateRequest {
    pub size: u32,
    pub flags: u32,
    pub host: *const CcmHost,
    pub component: CcmStr,
}

#[repr(C)]
pub struct CcmPlugin {
    pub size: u32,
    pub abi_minor: u32,
    pub manifest: CcmStr,
    pub open: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmOpenRequest, CcmCompletion)>,
    pub create: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmCreateRequest, CcmCompletion)>,
    pub close: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct CcmInitializeRequest {
    pub size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct CcmShutdownRequest {
    pub size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct CcmLimitsRequest {
    pub size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct CcmProvider {
    pub size: u32,
    pub reserved: u32,
    pub initialize: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmInitializeRequest, CcmCompletion)>,
    pub has_cluster_id: Option<unsafe extern "C" fn(*mut c_void) -> u32>,
    pub shutdown: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmShutdownRequest, CcmCompletion)>,
}

#[repr(C)]
pub struct CcmNodeAddress {
    pub r#type: CcmStr,
    pub address: CcmStr,
}

#[repr(C)]
pub struct CcmInstance {
    pub size: u32,
    pub state: i32,
    pub provider_id: CcmStr,
    pub name: CcmStr,
    pub instance_type: CcmStr,
    pub zone: CcmStr,
    pub region: CcmStr,
    pub addresses: *const CcmNodeAddress,
    pub address_count: usize,
    pub labels: *const CcmKeyValue,
    pub label_count: usize,
}

#[repr(C)]
pub struct CcmInstanceList {
    pub size: u32,
    pub flags: u32,
    pub instances: *const *const CcmInstance,
    pub count: usize,
    pub unknown_prefixes: *const CcmStr,
    pub unknown_prefix_count: usize,
}

#[repr(C)]
pub struct CcmNodeIdentity {
    pub size: u32,
    pub flags: u32,
    pub name: CcmStr,
    pub provider_id: CcmStr,
    pub node: *const CcmObject,
    pub max_age_ms: i64,
}

#[repr(C)]
pub struct CcmListInstancesRequest {
    pub size: u32,
    pub flags: u32,
}

#[repr(C)]
pub struct CcmDescribeInstancesRequest {
    pub size: u32,
    pub flags: u32,
    pub nodes: *const *const CcmNodeIdentity,
    pub node_count: usize,
}

#[repr(C)]
pub struct CcmGetInstanceRequest {
    pub size: u32,
    pub flags: u32,
    pub node: *const CcmNodeIdentity,
}

#[repr(C)]
pub struct CcmCloudInstances {
    pub size: u32,
    pub reserved: u32,
    pub list: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmListInstancesRequest, CcmCompletion)>,
    pub describe:
        Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmDescribeInstancesRequest, CcmCompletion)>,
    pub get: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmGetInstanceRequest, CcmCompletion)>,
    pub limits: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmLimitsRequest, CcmCompletion)>,
}

#[repr(C)]
pub struct CcmHostConfig {
    pub size: u32,
    pub reserved: u32,
    pub flag: Option<unsafe extern "C" fn(*mut c_void, CcmStr, *mut CcmStr) -> u32>,
    pub flag_given: Option<unsafe extern "C" fn(*mut c_void, CcmStr) -> u32>,
    pub cloud_config: Option<unsafe extern "C" fn(*mut c_void, *mut CcmStr) -> u32>,
    pub secret: Option<unsafe extern "C" fn(*mut c_void, CcmStr, *mut c_char, usize) -> i64>,
    pub on_change: Option<unsafe extern "C" fn(*mut c_void, CcmCallback) -> u32>,
    pub rejected: Option<unsafe extern "C" fn(*mut c_void, CcmStr, CcmStr)>,
    pub accepted: Option<unsafe extern "C" fn(*mut c_void, CcmStr)>,
}

#[repr(C)]
pub struct CcmLogRecord {
    pub size: u32,
    pub level: i32,
    pub message: CcmStr,
    pub pairs: *const CcmKeyValue,
    pub pair_count: usize,
    pub file: CcmStr,
    pub line: u32,
    pub reserved: u32,
}

#[repr(C)]
pub struct CcmHostLog {
    pub size: u32,
    pub reserved: u32,
    pub enabled: Option<unsafe extern "C" fn(*mut c_void, i32) -> u32>,
    pub write: Option<unsafe extern "C" fn(*mut c_void, CcmCtx, *const CcmLogRecord)>,
}
