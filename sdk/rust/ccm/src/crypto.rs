//! Digests, signatures and random bytes, as the log-in to a cloud needs them.
use crate::numbers::numbers;
use crate::ffi::{self, borrow_bytes};
use crate::host::call;
use crate::{Class, Code, Error, Host, Result};
use ccm_sys::*;

numbers! {
    /// As JWS names them.
    Signature, else Rs256 {
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        Rs256 = CCM_SIGN_RS256,
        /// RSASSA-PSS with SHA-256.
        Ps256 = CCM_SIGN_PS256,
        /// ECDSA with P-256 and SHA-256; the signature is r and s, 32 bytes each.
        Es256 = CCM_SIGN_ES256,
    }
}

/// Calls a function that fills a buffer and gives the whole length.
fn filled(size: usize, fill: impl Fn(*mut u8, usize) -> Option<i64>) -> Result<Vec<u8>> {
    let mut out = vec![0; size];
    loop {
        let length = fill(out.as_mut_ptr(), out.len()).ok_or_else(|| Error::missing(CCM_HOST_CRYPTO))?;
        let needed = usize::try_from(length).map_err(|_| {
            let code = Code::from_number(i32::try_from(-length).unwrap_or(CCM_CODE_UNKNOWN));
            Error::new(code, Class::None, format!("the host's cryptography failed: {:?}", code))
        })?;
        if needed <= out.len() {
            out.truncate(needed);
            return Ok(out);
        }
        out.resize(needed, 0);
    }
}

impl Host {
    pub fn sha256(&self, message: &[u8]) -> Result<Vec<u8>> {
        filled(32, |out, size| call!(self, crypto.hash(CCM_DIGEST_SHA256, borrow_bytes(message), out, size)))
    }

    pub fn hmac_sha256(&self, key: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        let (key, message) = (borrow_bytes(key), borrow_bytes(message));
        filled(32, |out, size| call!(self, crypto.hmac(CCM_DIGEST_SHA256, key, message, out, size)))
    }

    /// `key_pem` is the private key: PKCS #8, PKCS #1 or SEC 1; not encrypted.
    pub fn sign(&self, signature: Signature, key_pem: &str, message: &[u8]) -> Result<Vec<u8>> {
        let request = ccm_sign_request {
            algorithm: signature.number(),
            key: ffi::borrow(key_pem),
            message: borrow_bytes(message),
            ..ccm_sign_request::default()
        };
        filled(512, |out, size| call!(self, crypto.sign(&request, out, size)))
    }

    /// Random bytes, fit for keys.
    pub fn random(&self, count: usize) -> Result<Vec<u8>> {
        filled(count, |out, size| call!(self, crypto.random(out, size)))
    }
}
