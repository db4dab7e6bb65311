//! Matching of a module's symbols with those of an interface.

use giornata_abi::module::{
    DriverKind, DriverSymbol, Module, Name, NameSymbol, PortList, PortSymbol, TaskSymbol,
};

use super::error::{Difference, LinkError, SymbolKind};
use super::linked::{Maps, look_up};

/// A module and the interface that its symbols are looked up in.
pub(super) struct Matcher<'m, 'i> {
    pub(super) module: Module<'m>,
    pub(super) interface: Module<'i>,
}

impl<'m> Matcher<'m, '_> {
    /// Fills the map. Ports come first: the port lists of tasks and drivers are
    /// compared through their map.
    pub(super) fn match_all(
        &self,
        maps: Maps<&'m mut [u16]>,
    ) -> Result<Maps<&'m [u16]>, LinkError<'m>> {
        let (own, theirs) = (&self.module, &self.interface);
        self.match_table(
            SymbolKind::Port,
            maps.ports,
            own.ports(),
            || theirs.ports(),
            |p: &PortSymbol| p.name,
            |a, b| self.port_difference(a, b),
        )?;
        let ports: &[u16] = maps.ports;
        self.match_table(
            SymbolKind::Task,
            maps.tasks,
            own.tasks(),
            || theirs.tasks(),
            |t: &TaskSymbol| t.name,
            |a, b| self.task_difference(ports, a, b),
        )?;
        self.match_table(
            SymbolKind::Driver,
            maps.drivers,
            own.drivers(),
            || theirs.drivers(),
            |d: &DriverSymbol| d.name,
            |a, b| self.driver_difference(ports, a, b),
        )?;
        let name = |symbol: &NameSymbol| symbol.name;
        self.match_table(
            SymbolKind::Interrupt,
            maps.interrupts,
            own.interrupts(),
            || theirs.interrupts(),
            name,
            |_, _| None,
        )?;
        self.match_table(
            SymbolKind::Mailbox,
            maps.mailboxes,
            own.mailboxes(),
            || theirs.mailboxes(),
            name,
            |_, _| None,
        )?;
        Ok(Maps {
            tasks: maps.tasks,
            drivers: maps.drivers,
            ports,
            interrupts: maps.interrupts,
            mailboxes: maps.mailboxes,
        })
    }

    /// Fills one part of the map.
    fn match_table<T, I: Iterator<Item = T>>(
        &self,
        kind: SymbolKind,
        map: &mut [u16],
        own: impl Iterator<Item = T>,
        theirs: impl Fn() -> I,
        name: impl Fn(&T) -> Name,
        difference: impl Fn(&T, &T) -> Option<Difference>,
    ) -> Result<(), LinkError<'m>> {
        for (index, symbol) in own.enumerate() {
            let taken = map.get(..index).unwrap_or(&[]);
            let found = self.find_match(kind, taken, &symbol, theirs(), &name, &difference)?;
            *map.get_mut(index).ok_or(LinkError::MapTooShort)? = found;
        }
        Ok(())
    }

    /// The first symbol with the name and the meaning of `symbol` that is not
    /// taken; for a driver the first with its meaning, whatever its name.
    fn find_match<T>(
        &self,
        kind: SymbolKind,
        taken: &[u16],
        symbol: &T,
        candidates: impl Iterator<Item = T>,
        name: impl Fn(&T) -> Name,
        difference: impl Fn(&T, &T) -> Option<Difference>,
    ) -> Result<u16, LinkError<'m>> {
        let text = self.module.text(name(symbol));
        let mut differs = None;
        for (index, candidate) in (0u16..).zip(candidates) {
            let same_name = self.interface.text(name(&candidate)) == text;
            let is_free = same_name && !taken.contains(&index);
            if kind != SymbolKind::Driver && !is_free {
                continue;
            }
            match difference(symbol, &candidate) {
                None => return Ok(index),
                Some(what) if same_name => differs = differs.or(Some(what)),
                Some(_) => {}
            }
        }
        Err(differs.map_or(LinkError::Missing(kind, text), |what| {
            LinkError::Differs(kind, text, what)
        }))
    }

    fn same_text(&self, own: Name, theirs: Name) -> bool {
        self.module.text(own) == self.interface.text(theirs)
    }

    /// Whether a port list of the module, mapped, equals one of the interface.
    fn same_ports(&self, ports: &[u16], own: PortList, theirs: PortList) -> bool {
        let mapped = self.module.list(own).map(|port| look_up(ports, port));
        own.count == theirs.count && mapped.eq(self.interface.list(theirs))
    }

    fn port_difference(&self, own: &PortSymbol, theirs: &PortSymbol) -> Option<Difference> {
        let same_type = self.same_text(own.type_name, theirs.type_name)
            && (own.value_type, own.size) == (theirs.value_type, theirs.size);
        first_false([
            (own.kind == theirs.kind, Difference::Kind),
            (same_type, Difference::Type),
        ])
    }

    fn task_difference(
        &self,
        ports: &[u16],
        own: &TaskSymbol,
        theirs: &TaskSymbol,
    ) -> Option<Difference> {
        let same = |a, b| self.same_ports(ports, a, b);
        first_false([
            (
                self.same_text(own.function, theirs.function),
                Difference::Function,
            ),
            (same(own.inputs, theirs.inputs), Difference::Reads),
            (same(own.outputs, theirs.outputs), Difference::Writes),
            (same(own.states, theirs.states), Difference::States),
        ])
    }

    fn driver_difference(
        &self,
        ports: &[u16],
        own: &DriverSymbol,
        theirs: &DriverSymbol,
    ) -> Option<Difference> {
        let same = |a, b| self.same_ports(ports, a, b);
        let copies = own.kind == DriverKind::Copy as u32;
        first_false([
            (own.kind == theirs.kind, Difference::Kind),
            (
                copies || self.same_text(own.function, theirs.function),
                Difference::Function,
            ),
            (same(own.reads, theirs.reads), Difference::Reads),
            (same(own.writes, theirs.writes), Difference::Writes),
        ])
    }
}

/// The difference of the first check that fails.
fn first_false<const N: usize>(checks: [(bool, Difference); N]) -> Option<Difference> {
    let failed = checks.into_iter().find(|(holds, _)| !holds);
    failed.map(|(_, what)| what)
}
