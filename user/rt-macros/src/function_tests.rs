use super::*;

/// The first message about a function under an attribute.
fn refusal(kind: Kind, source: &str) -> String {
    match read(kind, source.parse().unwrap()) {
        Ok(_) => panic!("accepted: {source}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn inputs_outputs_and_states_are_told_apart() {
    let source = "fn f(a: &f32, b: &mut Pose, #[state(Pid::new)] c: &mut Pid) {}";
    let function = read(Kind::Task, source.parse().unwrap()).unwrap();
    let roles: Vec<&str> = function
        .parameters
        .iter()
        .map(|parameter| match parameter.role {
            Role::Input => "input",
            Role::Output => "output",
            Role::State(_) => "state",
        })
        .collect();
    assert_eq!(roles, ["input", "output", "state"]);
    assert!(
        !function
            .item
            .to_token_stream()
            .to_string()
            .contains("state")
    );
}

#[test]
fn a_value_parameter_is_told_how_to_be_written() {
    assert_eq!(
        refusal(Kind::Task, "fn f(x: f32) {}"),
        "`x` is passed by value: an input is `x: &f32`, an output `x: &mut f32`"
    );
}

#[test]
fn what_has_no_fixed_size_is_refused_with_a_mend() {
    assert_eq!(
        refusal(Kind::Driver, "fn f(x: &[u8]) {}"),
        "`x` has no fixed size: write `[u8; N]`"
    );
    assert_eq!(
        refusal(Kind::Driver, "fn f(x: &mut str) {}"),
        "`x` has no fixed size: write `[u8; N]`"
    );
    assert!(refusal(Kind::Driver, "fn f(x: &dyn Plant) {}").contains("name the type"));
    assert!(refusal(Kind::Driver, "fn f(x: &&u8) {}").contains("pass the value"));
    assert!(refusal(Kind::Driver, "fn f(x: &*const u8) {}").contains("an address"));
}

#[test]
fn functions_that_cannot_be_started_are_refused() {
    for (source, what) in [
        ("async fn f() {}", "remove `async`"),
        ("unsafe fn f() {}", "put the unsafe part into a block"),
        ("extern \"C\" fn f() {}", "remove `extern`"),
        ("fn f<T>(x: &T) {}", "name the types"),
        ("fn f<'a>(x: &'a f32) {}", "leave lifetimes out"),
        ("fn f() where u8: Copy {}", "remove the `where` clause"),
        ("fn f(&self) {}", "instead of `self`"),
        ("fn f(x: &'static f32) {}", "remove the lifetime `'static`"),
    ] {
        assert!(
            refusal(Kind::Task, source).contains(what),
            "{source}: {}",
            refusal(Kind::Task, source)
        );
    }
}

#[test]
fn states_need_an_initialiser_and_mut() {
    assert!(refusal(Kind::Task, "fn f(#[state] s: &mut u8) {}").contains("#[state(Type::new)]"));
    assert!(refusal(Kind::Task, "fn f(#[state(new)] s: &u8) {}").contains("write `&mut`"));
    assert!(
        refusal(Kind::Task, "fn f(#[state(a)] #[state(b)] s: &mut u8) {}").contains("remove one")
    );
}

#[test]
fn only_drivers_answer() {
    assert!(refusal(Kind::Task, "fn f() -> f32 { 0.0 }").contains("`result: &mut T`"));
    assert!(refusal(Kind::Thread, "fn f() -> bool { true }").contains("nobody waits"));
    assert!(refusal(Kind::Driver, "fn f() -> ! { loop {} }").contains("within its budget"));
    assert!(read(Kind::Thread, "fn f() -> ! { loop {} }".parse().unwrap()).is_ok());
    assert!(read(Kind::Task, "fn f() -> () {}".parse().unwrap()).is_ok());
    let guard = read(
        Kind::Driver,
        "fn f(x: &f32) -> bool { true }".parse().unwrap(),
    )
    .unwrap();
    assert!(matches!(guard.answer, Answer::Output(_)));
    let word = read(Kind::Driver, "fn f() -> usize { 1 }".parse().unwrap()).unwrap();
    assert!(matches!(word.answer, Answer::Word));
}

#[test]
fn a_thread_takes_its_control_page_or_nothing() {
    assert!(refusal(Kind::Thread, "fn f(x: &f32) {}").contains("`control: Control`"));
    assert!(
        refusal(Kind::Thread, "fn f(c: Control, d: Control) {}").contains("remove this parameter")
    );
    assert!(
        read(
            Kind::Thread,
            "fn f(c: giornata_rt::Control) {}".parse().unwrap()
        )
        .is_ok()
    );
}

#[test]
fn every_wrong_parameter_is_reported_at_once() {
    let Err(error) = read(
        Kind::Task,
        "fn f(x: f32, y: u8, z: &i8) -> u8 { 0 }".parse().unwrap(),
    ) else {
        panic!("accepted");
    };
    assert_eq!(error.into_iter().count(), 3);
}

#[test]
fn attributes_take_no_arguments_and_want_a_function() {
    let text = expand(
        Kind::Task,
        "period = 5".parse().unwrap(),
        "fn f() {}".parse().unwrap(),
    )
    .to_string();
    assert!(
        text.contains("compile_error") && text.contains("system file") && text.contains("fn f")
    );
    assert!(refusal(Kind::Driver, "struct S;").contains("`#[driver]` belongs before a function"));
}
