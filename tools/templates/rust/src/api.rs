//! The cloud's API: one request, and the meaning of its answer. Replace what is different in yours.
use ccm::{check_json, Class, Code, Ctx, Error, Host, HttpRequest, HttpResponse, Json, JsonLimits, Object, Result};

pub struct Api {
    pub host: Host,
}

impl Api {
    /// The answer, or `None` for a 404: the caller knows what that proves. Each request is named, for metrics and messages.
    /// The host repeats a GET by itself.
    pub async fn call(
        &self,
        ctx: &Ctx,
        operation: &str,
        method: &str,
        path: &str,
        body: Option<&Json>,
    ) -> Result<Option<HttpResponse>> {
        let url = self.host.flag("@NAME@-endpoint").unwrap_or_default() + path;
        // $@VARIABLE@_TOKEN, or the file that $@VARIABLE@_TOKEN_FILE names; read each time, so that it can rotate.
        let token = self.host.secret("@VARIABLE@_TOKEN").unwrap_or_default();
        let mut request =
            HttpRequest::new(method, url).operation(operation).header("authorization", format!("Bearer {token}"));
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = self.host.http(ctx, request).await?;
        if response.status == 404 {
            return Ok(None);
        }
        response.check(operation).map(Some)
    }

    /// A JSON text, such as the body of an answer.
    pub fn object(&self, operation: &str, json: &[u8]) -> Result<Object> {
        check_json(json, JsonLimits::default()).map_err(|beyond| unreadable(operation, &format!("the answer {beyond}")))?;
        self.host.parse(json).ok_or_else(|| unreadable(operation, "the answer is no JSON"))
    }
}

/// The cloud said something that cannot be used now.
pub fn unreadable(operation: &str, why: &str) -> Error {
    Error::new(Code::DataLoss, Class::Unavailable, format!("{operation}: {why}"))
}
