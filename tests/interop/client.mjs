// Drives `kota serve` with the official TypeScript clients: all eight tools in both eras, errors,
// and many writes at once. The clients check replies against the schemas that the server gave.
//
//	KOTA=/path/to/kota node client.mjs
//
// Prints a line a check that fails, a line a client, and leaves with 1 when something failed.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { clients } from "./connect.mjs";

const WRITES = 20;
const TOOLS = [
	"memory_set",
	"memory_get",
	"memory_update",
	"memory_list",
	"memory_list_archived",
	"memory_delete",
	"memory_clear_state",
	"memory_save_conversation_notes",
	"memory_search",
	"memory_analyze",
	"memory_history",
	"memory_revert",
	"memory_restore",
	"memory_gc",
	"memory_relate",
	"memory_promote",
	"memory_health",
	"memory_reinforce",
	"memory_optimize",
	"memory_consolidate",
	"memory_merge",
];

class Tally {
	constructor() {
		this.passed = 0;
		this.failed = 0;
	}

	check(what, good, got) {
		if (good) {
			this.passed++;
			return;
		}
		this.failed++;
		console.log(`FAILED ${what}: ${JSON.stringify(got)}`);
	}

	equal(what, got, expected) {
		this.check(what, isDeepStrictEqual(got, expected), { got, expected });
	}

	async rejects(what, promise, code) {
		try {
			this.check(what, false, await promise);
		} catch (error) {
			this.equal(what, error.code, code);
		}
	}

	add(other) {
		this.passed += other.passed;
		this.failed += other.failed;
	}

	toString() {
		return `${this.passed} passed, ${this.failed} failed`;
	}
}

async function inNewStore(body) {
	const dir = await mkdtemp(join(tmpdir(), "kota-interop-"));

	try {
		return await body(join(dir, "store"));
	} finally {
		await rm(dir, { recursive: true, force: true });
	}
}

// A reply says the same twice: as text and as structured content.
async function call(tally, client, name, args) {
	const result = await client.callTool({ name, arguments: args });

	tally.check(`${name} succeeds`, !result.isError, result);
	tally.equal(`${name}: text and structure`, JSON.parse(result.content[0].text),
		result.structuredContent);
	return result.structuredContent;
}

async function fails(tally, client, name, args, word) {
	const result = await client.callTool({ name, arguments: args });
	const text = result.content[0].text;

	tally.equal(`${name} refuses ${JSON.stringify(args)}`, result.isError, true);
	tally.check(`${name} names ${word}`, text.includes(word), text);
	tally.equal(`${name}: no structure`, result.structuredContent, undefined);
}

async function checkServer(tally, { client, revision }, expected) {
	const { tools } = await client.listTools();
	const names = tools.map((tool) => tool.name);

	tally.equal("revision", revision, expected);
	tally.equal("server", client.getServerVersion()?.name, "kota-memory");
	tally.equal("capabilities", client.getServerCapabilities(), {
		tools: {},
		resources: {},
		prompts: {},
		completions: {},
	});
	tally.check("instructions", client.getInstructions()?.length > 100, client.getInstructions());
	for (const name of TOOLS)
		tally.check(`lists ${name}`, names.includes(name), names);
	for (const tool of tools)
		tally.equal(`${tool.name}: schema`, tool.inputSchema.type, "object");
}

async function checkWriting(tally, client) {
	const value = { name: "vim", since: 1991, plugins: ["fugitive", "é🎉"], nothing: null };
	const set = await call(tally, client, "memory_set",
		{ key: "editor", value, category: "preferences" });
	let got;

	tally.equal("set: where", [set.key, set.category], ["editor", "preferences"]);
	tally.check("set: when", !Number.isNaN(Date.parse(set.created_at)), set);

	got = await call(tally, client, "memory_get", { query: "editor" });
	tally.equal("get: exact", [got.value, got.confidence], [value, 1]);
	got = await call(tally, client, "memory_get", { query: "preferences:editr" });
	tally.check("get: misspelt", got.key === "editor" && got.confidence < 1, got);
	got = await call(tally, client, "memory_get", { query: "zzzzqqqq" });
	tally.equal("get: nothing", got.result, null);

	got = await call(tally, client, "memory_update",
		{ key: "EDITOR", addition: { since: 1993, theme: "dark" } });
	tally.equal("update: result", got.value, { ...value, since: 1993, theme: "dark" });
	got = await call(tally, client, "memory_get", { query: "preferences:editor" });
	tally.equal("update: merged", got.value, { ...value, since: 1993, theme: "dark" });
}

async function checkSearch(tally, client) {
	let got = await call(tally, client, "memory_search", { query: "theme of the editr" });

	tally.equal("search: first", got.results[0]?.ref, "preferences:editor");
	tally.equal("search: count", got.count, 1);
	got = await call(tally, client, "memory_search", {});
	tally.equal("list: pages", got.pagination.total_pages, 1);
	got = await call(tally, client, "memory_search", { query: "volcano" });
	tally.equal("search: nothing", got.results, []);
	got = await call(tally, client, "memory_analyze", { message: "Remember that I prefer Vim" });
	tally.equal("analyze: key", got.suggested_key, "preference_vim");
}

/* Resources, prompts and completion, with a key that a URI cannot have as it is. */
async function checkResources(tally, client) {
	await call(tally, client, "memory_set",
		{ key: "a/b ä", value: { n: 1 }, category: "shortcuts" });
	const { resources } = await client.listResources();
	const one = resources.find((resource) => resource.name === "shortcuts:a/b ä");
	let got;

	tally.equal("resources: uri", one?.uri, "memory://key/shortcuts/a%2Fb%20%C3%A4");
	got = await client.readResource({ uri: one.uri });
	tally.equal("resources: text", JSON.parse(got.contents[0].text), { n: 1 });
	got = await client.listResourceTemplates();
	tally.equal("templates", got.resourceTemplates.length, 2);
	got = await client.readResource({ uri: "memory://key/state/nope" }).catch((error) => error);
	tally.check("resources: nothing", got instanceof Error, got);

	got = await client.listPrompts();
	tally.equal("prompts", got.prompts.map((prompt) => prompt.name),
		["recall", "remember", "session-summary"]);
	got = await client.getPrompt({ name: "recall", arguments: { topic: "vim" } });
	tally.check("prompt: text", got.messages[0].content.text.includes(": vim\n"), got);
	got = await client.complete({
		ref: { type: "ref/resource", uri: "memory://key/{category}/{key}" },
		argument: { name: "key", value: "A" },
	});
	tally.equal("complete", got.completion.values, ["a/b ä"]);
	await call(tally, client, "memory_delete", { key: "shortcuts:a/b ä" });
}

async function checkArchiving(tally, client) {
	let got;

	await call(tally, client, "memory_set", { key: "task", value: "interop" });
	await call(tally, client, "memory_save_conversation_notes",
		{ summary: "Checked the clients", highlights: ["both eras"], nextSteps: ["ship"] });
	got = await call(tally, client, "memory_list", {});
	tally.equal("list", got.refs,
		["preferences:editor", "state:conversation_notes", "state:task"]);
	got = await call(tally, client, "memory_list", { category: "state" });
	tally.equal("list: one category", got.refs, ["state:conversation_notes", "state:task"]);

	got = await call(tally, client, "memory_clear_state", {});
	tally.equal("clear", [got.cleared, got.archived.length], [true, 2]);
	got = await call(tally, client, "memory_delete", { key: "Editor" });
	tally.equal("delete", got.key, "editor");
	got = await call(tally, client, "memory_list", {});
	tally.equal("list: empty", got.refs, []);
	got = await call(tally, client, "memory_list_archived", {});
	tally.equal("archived", got.refs.map((ref) => ref.split("@")[0]),
		["preferences:editor", "state:conversation_notes", "state:task"]);
}

async function checkHistory(tally, client) {
	let got = await call(tally, client, "memory_history", { limit: 2 });

	tally.equal("history", [got.changes.map((change) => change.subject), got.more],
		[["delete preferences:editor", "clear_state state:task and 1 more"], true]);
	got = await call(tally, client, "memory_history", { key: "Editor" });
	tally.equal("history: of one entry", got.changes.map((change) => change.items[0].did),
		["deleted", "changed", "added"]);
	got = await call(tally, client, "memory_revert", { key: "editor" });
	tally.equal("revert", [got.subject, got.restored, got.removed],
		["delete preferences:editor", ["preferences:editor"], []]);
	got = await call(tally, client, "memory_restore", { key: "task" });
	tally.equal("restore", [got.category, got.reason], ["state", "state_clear"]);
	got = await call(tally, client, "memory_promote", { ref: "editor", force: true });
	tally.equal("promote", [got.dry_run, got.promoted_ids], [true, ["preferences:editor"]]);
	got = await call(tally, client, "memory_gc", {});
	tally.equal("gc", [got.dry_run, got.archived_count], [true, 0]);
	got = await call(tally, client, "memory_health", { check: "duplicates" });
	tally.equal("health", [got.method, got.duplicate_pairs], ["lexical", []]);
	got = await call(tally, client, "memory_optimize", {});
	tally.equal("optimize", [got.dry_run, got.results.optimization_candidates], [true, 0]);
	got = await call(tally, client, "memory_consolidate", { mode: "rem" });
	tally.equal("consolidate", [got.dry_run, got.pruned_count, got.merged_count], [true, 0, 0]);
	got = await call(tally, client, "memory_merge", { refs: ["editor", "task"] });
	tally.equal("merge", [got.mode, got.candidates_found], ["preview", 1]);
	got = await call(tally, client, "memory_relate", { from: "editor", to: "task", type: "supports" });
	tally.equal("relate", [got.from, got.to, got.strength, got.created],
		["preferences:editor", "state:task", 1, true]);
	got = await call(tally, client, "memory_reinforce", { refs: ["editor"] });
	tally.equal("reinforce", [got.reinforced, got.count, got.results[0].new_use_count],
		[true, 1, 1]);
}

async function checkErrors(tally, client) {
	const invalidParams = -32602;

	await fails(tally, client, "memory_set", { key: "a" }, "value");
	await fails(tally, client, "memory_set", { key: " ", value: 1 }, "key");
	await fails(tally, client, "memory_set", { key: 5, value: 1 }, "key");
	await fails(tally, client, "memory_set", { key: "a", value: 1, colour: "red" }, "colour");
	await fails(tally, client, "memory_set", { key: "a", value: 1, category: "pets" }, "category");
	await fails(tally, client, "memory_set", { key: "a", value: "x".repeat(5000) }, "4096");
	await fails(tally, client, "memory_update", { key: "nobody", addition: 1 }, "nobody");
	await fails(tally, client, "memory_delete", { key: "nobody" }, "nobody");
	await tally.rejects("unknown tool", client.callTool({ name: "memory_no", arguments: {} }),
		invalidParams);
}

function writeMany(client, prefix) {
	const writes = Array.from({ length: WRITES }, (_, i) =>
		client.callTool({
			name: "memory_set",
			arguments: { key: `${prefix}_${i}`, value: `${prefix} ${i}`, category: "state" },
		}));

	return Promise.all(writes);
}

// What was acknowledged must be there, through the server and in the file.
async function checkKept(tally, client, dir, prefixes) {
	const { refs } = await call(tally, client, "memory_list", { category: "state" });
	const file = JSON.parse(await readFile(join(dir, "state.json"), "utf8"));
	const keys = prefixes.flatMap((prefix) =>
		Array.from({ length: WRITES }, (_, i) => `${prefix}_${i}`));

	tally.equal("kept by the server", [...refs].sort(), keys.map((key) => `state:${key}`).sort());
	tally.equal("kept in the file", Object.keys(file).sort(), keys.sort());
}

async function checkConcurrency(tally, open) {
	await inNewStore(async (dir) => {
		const one = await open(dir);

		for (const result of await writeMany(one.client, "one"))
			tally.check("one process: acknowledged", !result.isError, result);
		await checkKept(tally, one.client, dir, ["one"]);
		await one.client.close();
	});
	await inNewStore(async (dir) => {
		const [left, right] = await Promise.all([open(dir), open(dir)]);
		const results = await Promise.all([
			writeMany(left.client, "left"),
			writeMany(right.client, "right"),
		]);

		for (const result of results.flat())
			tally.check("two processes: acknowledged", !result.isError, result);
		await checkKept(tally, left.client, dir, ["left", "right"]);
		await checkKept(tally, right.client, dir, ["left", "right"]);
		await Promise.all([left.client.close(), right.client.close()]);
	});
}

async function checkClient({ name, revision, open }) {
	const tally = new Tally();

	try {
		await inNewStore(async (dir) => {
			const session = await open(dir);

			await checkServer(tally, session, revision);
			await checkWriting(tally, session.client);
			await checkSearch(tally, session.client);
			await checkArchiving(tally, session.client);
			await checkHistory(tally, session.client);
			await checkResources(tally, session.client);
			await checkErrors(tally, session.client);
			tally.equal("complaints of the client", session.faults.map(String), []);
			await session.client.close();
		});
		await checkConcurrency(tally, open);
	} catch (error) {
		tally.check("runs to its end", false, String(error.stack ?? error));
	}
	console.log(`${name}: ${tally}`);
	return tally;
}

const total = new Tally();

for (const client of clients)
	total.add(await checkClient(client));
console.log(`${total}`);
process.exitCode = total.failed > 0 ? 1 : 0;
