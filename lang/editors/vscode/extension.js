// Starts `giornata language-server` for Giotto and Psi programs.
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const server = { command: "giornata", args: ["language-server"] };
  client = new LanguageClient("giornata", "Giornata", server, {
    documentSelector: [{ language: "giotto" }, { language: "psi" }],
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
