//! Makes a Rust crate a cloud provider of the cloud controller manager: a plugin that the host loads.
//!
//! ```ignore
//! struct MyCloud { host: ccm::Host }
//!
//! impl ccm::Provider for MyCloud {
//!     fn new(host: ccm::Host) -> ccm::Result<Self> { Ok(MyCloud { host }) }
//! }
//! impl ccm::ListInstances for MyCloud {
//!     fn list_instances(&self, ctx: ccm::Ctx) -> ccm::Task<'_, ccm::InstanceList> {
//!         Box::pin(async move { ... })
//!     }
//! }
//! ccm::plugin!("mycloud" => MyCloud);
//! ```
//!
//! `Cargo.toml` says `crate-type = ["cdylib"]`, and plugin.json stands beside it. With "nonblocking": true operations run in
//! the host's own thread, where they wait for HTTP, timers and files of the host; without it they run on worker threads and
//! may block. Each is completed exactly once, by what its future gives: there is nothing to complete twice. A future that
//! goes on a second after its ctx has ended is dropped, and the operation fails. A panic in it is its failure.
//!
//! The process is the host's. A provider calls no `std::process::exit`, `set_var` or `set_current_dir`, and is not built with
//! `panic = "abort"`. The crate `ccm-testing` is a host for `cargo test`.

#[cfg(panic = "abort")]
compile_error!("a panic would end the manager: leave panic = \"abort\" out of the profile");

mod base64;
mod call;
mod callback;
mod cluster_uid;
mod component;
mod config;
mod crypto;
mod ctx;
mod error;
mod executor;
#[doc(hidden)]
pub mod ffi;
mod file;
mod host;
mod http;
mod instance_pages;
mod instances;
mod jobs;
mod join;
mod json;
mod json_limits;
mod load_balancer;
mod load_balancers;
mod log;
#[doc(hidden)]
pub mod manifest;
mod notices;
mod numbers;
mod object;
mod operation;
mod operations;
mod owned;
#[doc(hidden)]
pub mod plugin;
mod provider;
mod request;
mod routes;
#[doc(hidden)]
pub mod tables;
pub mod taints;
mod text;
mod time_text;
mod timer;
mod worker;

pub use base64::{base64_decode, base64_encode};
pub use ccm_sys as sys;
pub use crypto::Signature;
pub use ctx::{Ctx, Done};
pub use error::{reason, Class, Code, Error, Result};
pub use file::FileWatch;
pub use host::Host;
pub use http::{HttpClient, HttpClientOptions, HttpRequest, HttpResponse};
pub use instance_pages::{list_steadily, InstancePage};
pub use instances::{Instance, InstanceLimits, InstanceList, InstanceState, NodeAddress, NodeIdentity};
pub use join::{join_all, JoinAll};
pub use json::Json;
pub use json_limits::{check_json, JsonLimits};
pub use load_balancer::{Ingress, IngressPort, LoadBalancer, LoadBalancerState};
pub use load_balancers::{Backend, LoadBalancerLimits, Service, ServicePort};
pub use log::Level;
pub use notices::{Hint, Metric, MetricKind};
pub use object::{Object, Value, ValueKind};
pub use operation::Task;
pub use owned::OwnedObject;
pub use provider::{
    ClusterNames, DescribeInstances, GetInstance, ListInstances, LoadBalancers, ObserveLoadBalancer, OwnedObjects, Provider,
    Routes, UpdateLoadBalancer,
};
pub use routes::{Route, RouteLimits};
pub use text::{one_line, percent_encode, utf8_front, LONGEST_ANSWER_TEXT};
pub use time_text::{http_date, parse_duration, parse_http_date, parse_timestamp, timestamp};
