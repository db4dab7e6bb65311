use crate::host::Host;
use giornata_test_model::Model;
use giornata_test_model::compare::Kernel;
use giornata_test_model::random::*;
#[test]
fn debug() {
    let scope = Scope {
        deadlines: false,
        ..Scope::ALL
    };
    let seed: u64 = std::env::var("DS").unwrap().parse().unwrap();
    let menu = match std::env::var("DM").unwrap().as_str() {
        "m" => Menu::Mailboxes,
        "c" => Menu::Calls,
        "a" => Menu::All,
        "l" => Menu::Lives,
        _ => Menu::Locks,
    };
    let system = system(&mut Dice(seed), menu, scope);
    let mut dice = Dice(!seed);
    let steps: Vec<u64> = (0..150).map(|_| dice.word()).collect();
    let mut model = Model::new(&system);
    let mut host = Host::new(&system);
    let mut program = Program::new(menu, scope, system.threads.len());
    for s in steps {
        let Some((event, now)) = program.next(&mut Dice(s), &mut model) else {
            break;
        };
        println!("{now} {:?}: {event:?}", model.runs());
        let e = Kernel::apply(&mut model, &event, now);
        let o = host.apply(&event, now);
        for object in 0..system.objects.len() {
            let own = host.rig.object(object).owner().map(|t| t.number());
            print!("{object}:{own:?} ");
        }
        println!(
            "\n   {:?} {:?}\n   {:?} {:?}",
            o.runs, o.resumption, e.runs, e.resumption
        );
        if o.runs != e.runs {
            break;
        }
    }
}
