//! The cluster's own identity, for marks in the cloud.
use crate::call::Call;
use crate::ffi;
use crate::host::call;
use crate::{Code, Ctx, Host, Result};
use ccm_sys::*;
use std::time::Duration;

impl Host {
    /// The UID of the namespace kube-system: no other cluster has it, while --cluster-name is "kubernetes" in most of them. It
    /// is asked for once. Empty when the manager may not read that namespace, for which plugin.json asks with "rbac"
    /// ([{"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["get"]}]). An error is
    /// what kept the API server from answering.
    pub async fn cluster_uid(&self, ctx: &Ctx) -> Result<String> {
        let known = self.0.cluster_uid.lock().unwrap().clone();
        if let Some(uid) = known {
            return Ok(uid);
        }
        let ctx = ctx.with_timeout(Duration::from_secs(10));
        let uid = match self.begin_get(&ctx).await {
            Ok(uid) => uid,
            Err(error) if error.code == Code::PermissionDenied || error.code == Code::NotFound => String::new(),
            Err(mut error) => {
                error.message = format!("the UID of the namespace kube-system: {}", error.message);
                return Err(error);
            }
        };
        *self.0.cluster_uid.lock().unwrap() = Some(uid.clone());
        Ok(uid)
    }

    fn begin_get(&self, ctx: &Ctx) -> Call<String> {
        let reference = ccm_kube_reference {
            resource: ffi::borrow("v1/namespaces"),
            name: ffi::borrow("kube-system"),
            ..ccm_kube_reference::default()
        };
        let request = ccm_kube_get_request { reference: &reference, ..ccm_kube_get_request::default() };
        let host = self.clone();
        Call::begin(ctx, CCM_HOST_KUBE, |ctx, done| call!(self, kube.get(ctx, &request, done)), move |result| {
            let (object, mut uid) = (result as *const ccm_object, ffi::borrow(""));
            let place = call!(host, object.find(object, ffi::borrow("/metadata/uid")));
            let found = place.and_then(|place| call!(host, object.text(place, &mut uid)));
            Ok(if found.unwrap_or(0) != 0 { unsafe { ffi::string(uid) } } else { String::new() })
        })
    }
}
