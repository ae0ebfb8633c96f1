// The official clients, each started against a `kota serve` of its own and brought to one shape:
// what they do differently (names of options, where the revision is said) ends in this file.

import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";

const MODERN = "2026-07-28";
const ABOUT = { name: "interop", version: "1.0.0" };

function server(dir) {
	return {
		command: process.env.KOTA ?? "kota",
		args: ["serve"],
		env: { ...process.env, KOTA_MEMORY_DIR: dir, KOTA_MEMORY_GIT: "own" },
		stderr: "inherit",
	};
}

async function open(client, transport, revision) {
	const faults = [];

	client.onerror = (fault) => faults.push(fault);
	await client.connect(transport);
	return { client, faults, revision: revision() };
}

function openV1(dir) {
	const client = new ClientV1(ABOUT);
	const transport = new StdioV1(server(dir));
	let revision;

	// SDK v1 tells the transport alone which revision the handshake settled on.
	transport.setProtocolVersion = (version) => { revision = version; };
	return open(client, transport, () => revision);
}

function openV2(dir, mode) {
	const client = new ClientV2(ABOUT, { versionNegotiation: { mode } });

	return open(client, new StdioV2(server(dir)), () => client.getNegotiatedProtocolVersion());
}

// open(dir) starts a server over the store in dir and resolves to {client, faults, revision}.
export const clients = [
	{ name: "sdk 1, handshake", revision: "2025-11-25", open: openV1 },
	{ name: "sdk 2, handshake", revision: "2025-11-25", open: (dir) => openV2(dir, "legacy") },
	{ name: "sdk 2, modern", revision: MODERN, open: (dir) => openV2(dir, { pin: MODERN }) },
	{ name: "sdk 2, probing", revision: MODERN, open: (dir) => openV2(dir, "auto") },
];
