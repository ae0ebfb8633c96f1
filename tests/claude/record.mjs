#!/usr/bin/env node
// Stands between a client and `kota serve` and writes what they say to each other as a file for
// tests/sessions, without what is of the day and of the machine; any other command is only run.
//
// RECORD_KOTA is the program; RECORD_FILE gets the session, after those that are there already;
// RECORD_HIDE is a folder whose name is not to be seen. With RECORD_ERA=legacy the client is told
// that there is no server/discover, as an older server would, so that it falls back to the handshake.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { RECORD_KOTA: kota, RECORD_FILE: file, RECORD_HIDE: hidden, RECORD_ERA: era } = process.env;
const args = process.argv.slice(2);

if (args[0] !== "serve")
	process.exit(spawnSync(kota, args, { stdio: "inherit" }).status ?? 1);

// What another day would say differently, or what other tests have word for word.
const stands = {
	text: "<text>",
	version: "<text>",
	instructions: "<text>",
	created_at: "<time>",
	last_updated: "<time>",
	accessed_at: "<time>",
	hits: "<number>",
	tools: "<any>",
};

function scrub(key, value) {
	// "tools" is a capability, too.
	return key in stands && (key !== "tools" || Array.isArray(value)) ? stands[key] : value;
}

function hide(line) {
	return hidden ? line.replaceAll(hidden, "/somewhere") : line;
}

const server = spawn(kota, args, { stdio: ["pipe", "pipe", "inherit"] });
const before = existsSync(file) ? `${readFileSync(file, "utf8")}\n~\n` : "# As a real client has spoken, see tests/claude.\n\n";
const lines = [];

// The client may end this at any moment, so that each line is written at once.
function keep(line, place) {
	lines.splice(place, 0, line);
	writeFileSync(file, `${before}${lines.join("\n")}\n`);
}

function ask(line) {
	const { method, id } = JSON.parse(line);

	if (era === "legacy" && method === "server/discover") {
		const error = { code: -32601, message: "Method not found" };

		process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error }) + "\n");
		return;
	}
	keep(`> ${hide(line)}`, lines.length);
	server.stdin.write(line + "\n");
}

function answer(line) {
	const reply = JSON.parse(line);
	const asked = lines.findIndex((one) => one[0] === ">" && JSON.parse(one.slice(2)).id === reply.id);

	keep(`< ${hide(JSON.stringify(reply, scrub))}`, asked + 1);
	process.stdout.write(line + "\n");
}

createInterface({ input: process.stdin }).on("line", ask).on("close", () => server.stdin.end());
createInterface({ input: server.stdout }).on("line", answer);
server.on("exit", (status) => process.exit(status ?? 0));
