//! `giornata language-server` as an editor sees it: messages over its pipes.

use std::io::BufReader;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};

const PROGRAM: &str = "\
output u32 o := init;
task t() output (o) state () { schedule f(o) }
driver none() output () { if true() then dummy() }
start m { mode m() period 20 { taskfreq 2 do t(none); } }
";
const URI: &str = "file:///p.giotto";

struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    requests: i32,
}

impl Editor {
    fn start() -> Editor {
        let mut server = Command::new(env!("CARGO_BIN_EXE_giornata"))
            .arg("language-server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let from = BufReader::new(from);
        let mut editor = Editor {
            server,
            to,
            from,
            requests: 0,
        };
        let able = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(able["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor
    }

    fn tell(&mut self, method: &str, params: Value) {
        let message = Notification::new(method.to_owned(), params);
        Message::Notification(message).write(&mut self.to).unwrap();
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let request = Request::new(self.requests.into(), method.to_owned(), params);
        Message::Request(request).write(&mut self.to).unwrap();
        match Message::read(&mut self.from).unwrap() {
            Some(Message::Response(response)) => {
                assert!(response.error.is_none(), "{response:?}");
                response.result.unwrap_or_default()
            }
            other => panic!("{other:?}"),
        }
    }

    /// The findings that are told of a text.
    fn findings(&mut self) -> Value {
        match Message::read(&mut self.from).unwrap() {
            Some(Message::Notification(told)) => {
                assert_eq!(told.method, "textDocument/publishDiagnostics");
                told.params["diagnostics"].clone()
            }
            other => panic!("{other:?}"),
        }
    }

    fn open(&mut self, text: &str) -> Value {
        self.open_as(URI, text)
    }

    fn open_as(&mut self, uri: &str, text: &str) -> Value {
        let document = json!({ "uri": uri, "languageId": "any", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        self.findings()
    }

    fn change(&mut self, text: &str) -> Value {
        let document = json!({ "uri": URI, "version": 2 });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.tell("textDocument/didChange", params);
        self.findings()
    }

    fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        self.ask(method, params)
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

#[test]
fn findings_are_told_at_every_change() {
    let mut editor = Editor::start();
    assert_eq!(editor.open(PROGRAM), json!([]));
    let found = editor.change(&PROGRAM.replace("do t(", "do u("));
    assert_eq!(found[0]["code"], "giotto::unknown-task");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(
        found[0]["range"]["start"],
        json!({ "line": 3, "character": 45 })
    );
    assert_eq!(editor.change(PROGRAM), json!([]));
    // a text under way is no reason to stop
    editor.change(&PROGRAM[..60]);
    editor.end();
}

#[test]
fn a_name_leads_to_its_declaration_and_tells_its_instants() {
    let mut editor = Editor::start();
    editor.open(PROGRAM);
    // `t` of `taskfreq 2 do t(none)`
    let place = editor.at("textDocument/definition", 3, 45);
    assert_eq!(
        place["range"]["start"],
        json!({ "line": 1, "character": 5 })
    );
    let hover = editor.at("textDocument/hover", 3, 45);
    let text = hover["contents"]["value"].as_str().unwrap();
    for said in [
        "task t",
        "released at 0 ns, 10 ms, every 10 ms",
        "`o` written at 10 ms, 20 ms",
    ] {
        assert!(text.contains(said), "{text}");
    }
    let nothing = editor.at("textDocument/hover", 3, 0);
    assert_eq!(nothing, Value::Null);
    editor.end();
}

#[test]
fn a_program_of_windows_is_served_by_its_ending() {
    let mut editor = Editor::start();
    let uri = "file:///p.psi";
    let text = "task t {\n  f(); advance(1 ms);\n  g(); advance(2 ms);\n}\n";
    assert_eq!(editor.open_as(uri, text), json!([]));
    let found = editor.open_as(uri, &text.replace("2 ms", "0 ms"));
    assert_eq!(found[0]["code"], "psi::window");
    editor.open_as(uri, text);
    let position = json!({ "line": 0, "character": 5 });
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    let hover = editor.ask("textDocument/hover", params);
    let said = hover["contents"]["value"].as_str().unwrap();
    assert!(said.contains("`g` from 1 ms to 3 ms"), "{said}");
    editor.end();
}
