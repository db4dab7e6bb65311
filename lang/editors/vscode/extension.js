// Starts `giornata language-server` for Giotto programs.
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const server = { command: "giornata", args: ["language-server"] };
  client = new LanguageClient("giotto", "Giotto", server, {
    documentSelector: [{ language: "giotto" }],
  });
  return client.start();
};

exports.deactivate = () => client && client.stop();
