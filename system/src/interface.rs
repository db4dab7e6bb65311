//! The interface of a program that may be replaced: the module that it boots
//! with, and beside its symbols those of the other modules that may come.
//!
//! What microcode may name is fixed when a system is built; which of it a
//! module names, and what its code does with it, is the module's own.

use crate::amend::rewrite;
use giornata_abi::module::{
    DriverSymbol, Module, ModuleWriter, NameSymbol, PortList, PortSymbol, TaskSymbol,
};

/// Two modules mean different things by one name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{name}` is another in {other}: its {difference} differ")]
pub(crate) struct Conflict {
    what: &'static str,
    name: String,
    other: String,
    difference: &'static str,
}

/// `base` with the symbols of `others` that it lacks, behind its own; its code
/// stays as it is. O(symbols^2).
pub(crate) fn unite(base: &Module<'_>, others: &[Module<'_>]) -> Result<Vec<u8>, Conflict> {
    let mut united = rewrite(base);
    for other in others {
        Addition {
            united: &mut united,
            other,
            ports: Vec::new(),
        }
        .add()?;
    }
    Ok(united.finish())
}

struct Addition<'a, 'm> {
    united: &'a mut ModuleWriter,
    other: &'a Module<'m>,
    /// The other's port index to the united one.
    ports: Vec<u16>,
}

impl Addition<'_, '_> {
    fn add(mut self) -> Result<(), Conflict> {
        for port in self.other.ports() {
            let index = self.port(port)?;
            self.ports.push(index);
        }
        for task in self.other.tasks() {
            self.task(task)?;
        }
        for driver in self.other.drivers() {
            self.driver(driver);
        }
        let interrupts = self.other.interrupts();
        for name in interrupts.map(|symbol| self.other.text(symbol.name)) {
            let name = self.united.text(name);
            add_name(&mut self.united.interrupts, name);
        }
        for name in self
            .other
            .mailboxes()
            .map(|symbol| self.other.text(symbol.name))
        {
            let name = self.united.text(name);
            add_name(&mut self.united.mailboxes, name);
        }
        Ok(())
    }

    fn conflict<T>(
        &self,
        what: &'static str,
        name: &str,
        difference: &'static str,
    ) -> Result<T, Conflict> {
        Err(Conflict {
            what,
            name: name.into(),
            other: self.other.text(self.other.header().source).into(),
            difference,
        })
    }

    fn port(&mut self, port: PortSymbol) -> Result<u16, Conflict> {
        let text = self.other.text(port.name);
        let name = self.united.text(text);
        let type_name = self.united.text(self.other.text(port.type_name));
        let wanted = PortSymbol {
            name,
            type_name,
            ..port
        };
        let known = self.united.ports.iter().position(|p| p.name == name);
        match known.and_then(|index| Some((index, *self.united.ports.get(index)?))) {
            Some((index, known)) if known == wanted => Ok(index as u16),
            Some(_) => self.conflict("port", text, "types or kinds"),
            None => {
                self.united.ports.push(wanted);
                Ok(self.united.ports.len() as u16 - 1)
            }
        }
    }

    fn list(&mut self, list: PortList) -> PortList {
        let map = |local| self.ports.get(local as usize).copied();
        let ports: Vec<u16> = self.other.list(list).filter_map(map).collect();
        self.united.shared_list(&ports)
    }

    fn task(&mut self, task: TaskSymbol) -> Result<(), Conflict> {
        let text = self.other.text(task.name);
        let [name, function] =
            [task.name, task.function].map(|name| self.united.text(self.other.text(name)));
        let [inputs, outputs, states] =
            [task.inputs, task.outputs, task.states].map(|list| self.list(list));
        let wanted = TaskSymbol {
            name,
            function,
            inputs,
            outputs,
            states,
            ..task
        };
        let known = self.united.tasks.iter().position(|t| t.name == name);
        let Some(known) = known.and_then(|index| self.united.tasks.get_mut(index)) else {
            self.united.tasks.push(wanted);
            return Ok(());
        };
        // how long it may take and how urgent it is are the code's own affair
        let agreed = TaskSymbol {
            wcet: wanted.wcet,
            priority: wanted.priority,
            ..*known
        };
        if agreed != wanted {
            return self.conflict("task", text, "functions or ports");
        }
        known.wcet = known.wcet.max(wanted.wcet);
        Ok(())
    }

    /// Drivers are what they do: a name may stand for several.
    fn driver(&mut self, driver: DriverSymbol) {
        let [name, function] =
            [driver.name, driver.function].map(|name| self.united.text(self.other.text(name)));
        let [reads, writes] = [driver.reads, driver.writes].map(|list| self.list(list));
        let wanted = DriverSymbol {
            name,
            function,
            reads,
            writes,
            ..driver
        };
        let is_same = |known: &DriverSymbol| {
            (known.kind, known.function, known.reads, known.writes)
                == (wanted.kind, wanted.function, wanted.reads, wanted.writes)
        };
        if !self.united.drivers.iter().any(is_same) {
            self.united.drivers.push(wanted);
        }
    }
}

fn add_name(names: &mut Vec<NameSymbol>, name: giornata_abi::module::Name) {
    if !names.iter().any(|known| known.name == name) {
        names.push(NameSymbol { name });
    }
}
