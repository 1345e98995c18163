//! A whole cloud provider: the machines of a rack, one in each line of the file that --cloud-config names.
use ccm::{Ctx, Error, Host, Instance, InstanceList, InstanceState, ListInstances, NodeAddress, Provider, Result, Task};

#[cfg(test)]
mod tests;

struct Rack {
    host: Host,
}

impl Provider for Rack {
    fn new(host: Host) -> Result<Rack> {
        Ok(Rack { host })
    }

    /// Refuses a configuration that nobody can read, before anything depends on it.
    fn initialize(&self, ctx: Ctx) -> Task<'_, ()> {
        Box::pin(async { self.list_instances(ctx).await.map(|_| ()) })
    }
}

impl ListInstances for Rack {
    /// All machines or an error: never a part, which would look like vanished machines. The host answers every controller
    /// from this one listing.
    fn list_instances(&self, _ctx: Ctx) -> Task<'_, InstanceList> {
        Box::pin(async {
            let form = "SERIAL HOST ADDRESS MODEL ROW on|off";
            let no_file = || Error::invalid_config(format!("--cloud-config must name a file with a machine in each line: {form}"));
            let text = self.host.cloud_config().ok_or_else(no_file)?;
            let mut instances = Vec::new();
            for (index, line) in text.lines().enumerate() {
                match line.split_whitespace().collect::<Vec<_>>()[..] {
                    [] => {}
                    [first, ..] if first.starts_with('#') => {}
                    [serial, host, address, model, row, power @ ("on" | "off")] => instances.push(Instance {
                        // One that is switched off still exists; only `Terminated` would lose its Node.
                        state: if power == "on" { InstanceState::Running } else { InstanceState::Shutdown },
                        provider_id: format!("rack://{serial}"),
                        name: host.into(),
                        instance_type: model.into(),
                        zone: format!("row-{row}"),
                        region: "cellar".into(),
                        addresses: vec![NodeAddress::internal_ip(address), NodeAddress::hostname(host)],
                        labels: [("rack.example.com/serial".into(), serial.into())].into(),
                        ..Instance::default()
                    }),
                    _ => return Err(Error::unavailable(format!("line {} is not {form}", index + 1))),
                }
            }
            Ok(instances.into())
        })
    }
}

ccm::plugin!("rack" => Rack);
