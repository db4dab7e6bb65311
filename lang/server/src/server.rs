//! Requests and what is answered.

use std::collections::BTreeMap;
use std::fmt;

use giornata_lang::index::{Kind, Symbol};
use giornata_lang::{Code, Language, Severity};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Notification as _,
    PublishDiagnostics,
};
use lsp_types::request::{
    DocumentSymbolRequest, GotoDefinition, HoverRequest, References, Request as _,
};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    HoverProviderCapability, Location, MarkupContent, MarkupKind, NumberOrString, OneOf,
    PublishDiagnosticsParams, ReferenceParams, ServerCapabilities, SymbolInformation, SymbolKind,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde_json::Value;

use crate::place::Text;

/// Why a server stopped before its editor said so.
#[derive(Debug)]
pub struct Stopped(String);

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Stopped {}

/// Serves an editor over the standard input and output until it says `exit`.
///
/// # Errors
/// The editor does not keep to the protocol, or is gone.
pub fn serve() -> Result<(), Stopped> {
    let (connection, threads) = Connection::stdio();
    let served = serve_over(&connection);
    drop(connection);
    served.and(threads.join().map_err(stopped))
}

/// Serves an editor over a connection.
///
/// # Errors
/// As of [`serve`].
pub fn serve_over(connection: &Connection) -> Result<(), Stopped> {
    let capabilities = serde_json::to_value(capabilities()).map_err(stopped)?;
    connection.initialize(capabilities).map_err(stopped)?;
    let mut server = Server {
        connection,
        texts: BTreeMap::new(),
    };
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request).map_err(stopped)? {
                    return Ok(());
                }
                server.answer(request)?;
            }
            Message::Notification(notification) => server.take(notification)?,
            Message::Response(_) => {}
        }
    }
    Ok(())
}

fn stopped(error: impl fmt::Display) -> Stopped {
    Stopped(error.to_string())
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

struct Server<'c> {
    connection: &'c Connection,
    /// The open texts, by their addresses.
    texts: BTreeMap<String, Text>,
}

impl Server<'_> {
    fn take(&mut self, notification: Notification) -> Result<(), Stopped> {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) else {
                    return Ok(());
                };
                self.set(opened.text_document.uri, opened.text_document.text)
            }
            DidChangeTextDocument::METHOD => {
                let changed = serde_json::from_value::<DidChangeTextDocumentParams>(params);
                let Ok(DidChangeTextDocumentParams {
                    text_document,
                    content_changes,
                }) = changed
                else {
                    return Ok(());
                };
                match content_changes.into_iter().next_back() {
                    Some(change) => self.set(text_document.uri, change.text),
                    None => Ok(()),
                }
            }
            DidCloseTextDocument::METHOD => {
                let closed = serde_json::from_value::<DidCloseTextDocumentParams>(params);
                let Ok(closed) = closed else { return Ok(()) };
                let uri = closed.text_document.uri;
                self.texts.remove(uri.as_str());
                self.publish(uri, Vec::new())
            }
            _ => Ok(()),
        }
    }

    /// Takes a text, and tells what the compiler finds in it.
    fn set(&mut self, uri: Uri, text: String) -> Result<(), Stopped> {
        let text = Text::new(text);
        let found = language(&uri).check(uri.as_str(), &text.text);
        let found = found.iter().map(|found| diagnostic(&uri, &text, found));
        let found = found.collect();
        self.texts.insert(uri.as_str().to_owned(), text);
        self.publish(uri, found)
    }

    fn publish(&self, uri: Uri, diagnostics: Vec<Diagnostic>) -> Result<(), Stopped> {
        let params = PublishDiagnosticsParams {
            uri,
            diagnostics,
            version: None,
        };
        let message = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
        self.send(Message::Notification(message))
    }

    fn send(&self, message: Message) -> Result<(), Stopped> {
        self.connection.sender.send(message).map_err(stopped)
    }

    fn answer(&self, request: Request) -> Result<(), Stopped> {
        let Request { id, method, params } = request;
        let answered = match method.as_str() {
            GotoDefinition::METHOD => serde_json::from_value(params).map(|p| self.definition(&p)),
            References::METHOD => serde_json::from_value(params).map(|p| self.references(&p)),
            HoverRequest::METHOD => serde_json::from_value(params).map(|p| self.hover(&p)),
            DocumentSymbolRequest::METHOD => {
                serde_json::from_value(params).map(|p| self.symbols(&p))
            }
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                let response = Response::new_err(id, code, format!("{method} is not served"));
                return self.send(Message::Response(response));
            }
        };
        let response = answered.map(|answer| Response::new_ok(id.clone(), answer));
        let response = response.unwrap_or_else(|why| wrong(id, &why));
        self.send(Message::Response(response))
    }

    /// What stands at a place: the text, its names, and the one of that place.
    fn at<R>(
        &self,
        place: &TextDocumentPositionParams,
        answer: impl FnOnce(&Text, &str, &Symbol) -> R,
    ) -> Option<R> {
        let uri = &place.text_document.uri;
        let (text, language) = (self.texts.get(uri.as_str())?, language(uri));
        let index = language.index(&text.text);
        let (symbol, _) = index.at(text.offset(place.position))?;
        let said = language.instants(&text.text, symbol).join("\n- ");
        Some(answer(text, &said, symbol))
    }

    fn definition(&self, params: &GotoDefinitionParams) -> Value {
        let place = &params.text_document_position_params;
        let found = self.at(place, |text, _, symbol| {
            let uri = place.text_document.uri.clone();
            let range = text.range(symbol.declared);
            GotoDefinitionResponse::Scalar(Location { uri, range })
        });
        serde_json::json!(found)
    }

    fn references(&self, params: &ReferenceParams) -> Value {
        let place = &params.text_document_position;
        let with_declaration = params.context.include_declaration;
        let found = self.at(place, |text, _, symbol| {
            let declared = with_declaration.then_some(&symbol.declared);
            let places = declared.into_iter().chain(&symbol.uses);
            let places = places.map(|span| Location {
                uri: place.text_document.uri.clone(),
                range: text.range(*span),
            });
            places.collect::<Vec<Location>>()
        });
        serde_json::json!(found)
    }

    fn hover(&self, params: &HoverParams) -> Value {
        let place = &params.text_document_position_params;
        let found = self.at(place, |_, said, symbol| {
            let of_type = symbol.type_name.as_ref();
            let of_type = of_type.map_or(String::new(), |name| format!(": {name}"));
            let kind = symbol.kind.name();
            let mut value = format!("```\n{kind} {}{of_type}\n```", symbol.name);
            if !said.is_empty() {
                value += &format!("\n- {said}");
            }
            let kind = MarkupKind::Markdown;
            Hover {
                contents: HoverContents::Markup(MarkupContent { kind, value }),
                range: None,
            }
        });
        serde_json::json!(found)
    }

    fn symbols(&self, params: &lsp_types::DocumentSymbolParams) -> Value {
        let uri = &params.text_document.uri;
        let Some(text) = self.texts.get(uri.as_str()) else {
            return Value::Null;
        };
        let index = language(uri).index(&text.text);
        let symbols = index.symbols.iter();
        let symbols = symbols.filter(|symbol| symbol.kind != Kind::Parameter);
        #[allow(
            deprecated,
            reason = "the structure has a field that nobody sets any more"
        )]
        let symbols = symbols.map(|symbol| SymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: Location {
                uri: uri.clone(),
                range: text.range(symbol.declared),
            },
            container_name: None,
        });
        serde_json::json!(DocumentSymbolResponse::Flat(symbols.collect()))
    }
}

/// The language of a text by its address.
fn language(uri: &Uri) -> Language {
    Language::of_file(uri.as_str()).unwrap_or(Language::Giotto)
}

fn wrong(id: RequestId, why: &serde_json::Error) -> Response {
    Response::new_err(id, ErrorCode::InvalidParams as i32, why.to_string())
}

fn kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Task => SymbolKind::FUNCTION,
        Kind::Driver | Kind::Job => SymbolKind::METHOD,
        Kind::Clock => SymbolKind::CONSTANT,
        Kind::Mode => SymbolKind::NAMESPACE,
        Kind::Parameter | Kind::State => SymbolKind::VARIABLE,
        Kind::Sensor
        | Kind::Actuator
        | Kind::Input
        | Kind::Output
        | Kind::Private
        | Kind::Export => SymbolKind::FIELD,
    }
}

fn diagnostic(uri: &Uri, text: &Text, found: &giornata_lang::Diagnostic) -> Diagnostic {
    let mut labels = found.labels.iter();
    let first = labels.next().map(|label| text.range(label.span));
    let related = labels.map(|label| DiagnosticRelatedInformation {
        location: Location {
            uri: uri.clone(),
            range: text.range(label.span),
        },
        message: label.text.clone(),
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: first.unwrap_or_default(),
        severity: Some(severity(found.code)),
        code: Some(NumberOrString::String(found.code.name().to_owned())),
        source: Some("giornata".to_owned()),
        message: format!("{found}\n{}", found.help),
        related_information: Some(related).filter(|related| !related.is_empty()),
        ..Diagnostic::default()
    }
}

fn severity(code: Code) -> DiagnosticSeverity {
    match code.severity() {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    }
}
