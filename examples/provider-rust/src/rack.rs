//! The machines file, and machines in the form in which they cross.
use crate::ccm::*;
use std::os::raw::c_char;

/// Why an operation failed: code and class of ccm/abi/status.h, and a message for people.
pub struct Failure {
    pub code: i32,
    pub error_class: i32,
    pub reason: &'static str,
    pub message: String,
}

impl Failure {
    pub fn internal(message: &str) -> Failure {
        Failure { code: CCM_CODE_INTERNAL, error_class: CCM_CLASS_NONE, reason: "", message: message.to_string() }
    }

    pub fn no_file() -> Failure {
        let message = "--cloud-config must name a file with a machine in each line: SERIAL HOST ADDRESS MODEL ROW on|off";
        Failure { code: CCM_CODE_INVALID_ARGUMENT, error_class: CCM_CLASS_NONE, reason: "", message: message.to_string() }
    }

    /// The host asked for something that this provider does not know.
    pub fn unknown_request() -> Failure {
        let message = "the request has a part that this provider does not know".to_string();
        Failure { code: CCM_CODE_UNIMPLEMENTED, error_class: CCM_CLASS_UNSUPPORTED, reason: "UnknownRequest", message }
    }

    fn line(number: usize) -> Failure {
        let message = format!("line {} is not SERIAL HOST ADDRESS MODEL ROW on|off", number);
        Failure { code: CCM_CODE_UNAVAILABLE, error_class: CCM_CLASS_UNAVAILABLE, reason: "", message }
    }
}

pub struct Machine<'a> {
    provider_id: String,
    zone: String,
    serial: &'a str,
    host: &'a str,
    address: &'a str,
    model: &'a str,
    on: bool,
}

/// All machines, or a failure: never a part, which would look like vanished machines.
pub fn parse(text: &str) -> Result<Vec<Machine<'_>>, Failure> {
    let mut machines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [serial, host, address, model, row, power] if power == "on" || power == "off" => {
                machines.push(Machine {
                    provider_id: format!("rack://{}", serial),
                    zone: format!("row-{}", row),
                    serial,
                    host,
                    address,
                    model,
                    on: power == "on",
                })
            }
            _ => return Err(Failure::line(index + 1)),
        }
    }
    Ok(machines)
}

/// Borrows: valid as long as the text.
impl From<&str> for CcmStr {
    fn from(text: &str) -> CcmStr {
        CcmStr { ptr: text.as_ptr() as *const c_char, len: text.len() }
    }
}

/// Calls `use_list` with the machines as the ABI wants them; they live until it returned.
pub fn with_list(machines: &[Machine], use_list: impl FnOnce(&CcmInstanceList)) {
    let addresses: Vec<[CcmNodeAddress; 2]> = machines
        .iter()
        .map(|machine| {
            [
                CcmNodeAddress { r#type: "InternalIP".into(), address: machine.address.into() },
                CcmNodeAddress { r#type: "Hostname".into(), address: machine.host.into() },
            ]
        })
        .collect();
    let labels: Vec<CcmKeyValue> = machines
        .iter()
        .map(|machine| CcmKeyValue { key: "rack.example.com/serial".into(), value: machine.serial.into() })
        .collect();
    let instances: Vec<CcmInstance> = machines
        .iter()
        .enumerate()
        .map(|(index, machine)| CcmInstance {
            size: std::mem::size_of::<CcmInstance>() as u32,
            // A machine that is switched off still exists; only "terminated" would lose its Node.
            state: if machine.on { CCM_INSTANCE_RUNNING } else { CCM_INSTANCE_SHUTDOWN },
            provider_id: machine.provider_id.as_str().into(),
            name: machine.host.into(),
            instance_type: machine.model.into(),
            zone: machine.zone.as_str().into(),
            region: "cellar".into(),
            addresses: addresses[index].as_ptr(),
            address_count: addresses[index].len(),
            labels: &labels[index],
            label_count: 1,
        })
        .collect();
    let pointers: Vec<*const CcmInstance> = instances.iter().map(|instance| instance as *const _).collect();
    use_list(&CcmInstanceList {
        size: std::mem::size_of::<CcmInstanceList>() as u32,
        flags: 0,
        instances: pointers.as_ptr(),
        count: pointers.len(),
        unknown_prefixes: std::ptr::null(),
        unknown_prefix_count: 0,
    });
}
