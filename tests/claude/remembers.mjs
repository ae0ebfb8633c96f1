// Claude Code itself, with the server, the hook and the skills as a person gets them, in front of an
// API that says what a model would say: what one session is told is before the next one.
//
//	KOTA=/path/to/kota node remembers.mjs CLAUDE PLUGIN
//
// CLAUDE is the client's program, PLUGIN the folder of the plugin. Prints a line a check that fails,
// and how many passed. With RECORD=DIR what client and server say to each other is written there, for
// tests/sessions.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

import { results, serveApi } from "./api.mjs";

const [claude, plugin] = process.argv.slice(2);
const kota = await realpath(process.env.KOTA);
const here = dirname(new URL(import.meta.url).pathname);
const LIMIT = 64; // of a tool's name
let passed = 0;
let failed = 0;

function check(what, good, got) {
	if (good) {
		passed++;
		return;
	}
	failed++;
	console.log(`FAILED ${what}: ${JSON.stringify(got)?.slice(0, 2000)}`);
}

// Resolves to what the program says; nothing is read from a terminal.
function run(program, args, options, input = "") {
	return new Promise((resolve) => {
		const child = execFile(program, args, { ...options, timeout: 60000 },
			(error, stdout, stderr) => resolve(error ? `${stdout}${stderr}${error}` : stdout));

		child.stdin.on("error", () => {});
		child.stdin.end(input);
	});
}

// What the server itself says of its tools and of itself.
async function offered(env) {
	const about = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
	const lines = await run(kota, ["serve"], { env },
		`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: about })}\n` +
		`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
	const [initialize, list] = lines.trim().split("\n").map((line) => JSON.parse(line).result);

	return { instructions: initialize.instructions, tools: list.tools };
}

function recorded(way) {
	return process.env.RECORD && way.era;
}

// A person's machine: a home, a project, the program in PATH. Nothing of this one's settings is seen.
async function machine(dir, way) {
	const env = {
		HOME: join(dir, "home"),
		PATH: [join(dir, "bin"), process.env.PATH].join(delimiter),
		ANTHROPIC_API_KEY: "sk-ant-none",
		ANTHROPIC_BASE_URL: "http://127.0.0.1:1", // nothing is asked of it but in a session
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		DISABLE_AUTOUPDATER: "1",
		KOTA_MEMORY_GIT: "off",
	};

	for (const name of ["home", "project", "bin"])
		await mkdir(join(dir, name));
	if (recorded(way)) {
		env.RECORD_KOTA = kota;
		env.RECORD_FILE = resolve(process.env.RECORD, `claude-code-${way.era}.session`);
		env.RECORD_HIDE = dir;
		env.RECORD_ERA = way.era;
	}
	await symlink(recorded(way) ? join(here, "record.mjs") : kota, join(dir, "bin", "kota"));

	const store = way.store ? join(dir, way.store) : "";

	// What the person types knows the store by name, the client by what it was told alone.
	return { env, cwd: join(dir, "project"), store, typed: { ...env, KOTA_MEMORY_DIR: store } };
}

const ways = [
	{ name: "setup", era: "modern", prefix: "mcp__memory__", server: "memory", install: setUp },
	{
		name: "plugin",
		prefix: "mcp__plugin_kota-memory_memory__",
		server: "plugin:kota-memory:memory",
		skills: ["kota-memory:recall", "kota-memory:save", "kota-memory:consolidate"],
		install: (machine) => installPlugin(machine),
	},
	{
		name: "plugin with a folder",
		prefix: "mcp__plugin_kota-memory_memory__",
		store: "elsewhere",
		install: (machine) => installPlugin(machine, "--config", `memory_dir=${machine.store}`),
	},
];

if (process.env.RECORD)
	ways.push({ name: "handshake", era: "legacy", prefix: "mcp__memory__", install: setUp });

async function setUp(machine) {
	await run(kota, ["setup", "claude", "--hooks"], machine);
	if (!machine.env.RECORD_FILE)
		return;
	const file = join(machine.env.HOME, ".claude.json");
	const text = await readFile(file, "utf8");

	await writeFile(file, text.replaceAll(kota, "kota"));
}

async function installPlugin(machine, ...options) {
	await run(claude, ["plugin", "marketplace", "add", plugin], machine);
	await run(claude, ["plugin", "install", "kota-memory@kota-memory", ...options], machine);
}

// One session: what the person says, and what the model does. Resolves to the requests and the
// answer that the person sees.
async function session(machine, way, prompt, plan, ...rules) {
	const api = await serveApi(plan);
	const allowed = [...rules, `${way.prefix}memory_set`, `${way.prefix}memory_get`].join();

	try {
		const answer = await run(claude, ["-p", prompt, "--allowedTools", allowed],
			{ ...machine, env: { ...machine.env, ANTHROPIC_BASE_URL: api.url } });

		const requests = api.requests.filter(({ tools }) => tools?.length > 0);

		// Where the client did not even ask, every check says so.
		return { answer, requests: requests.length > 0 ? requests : [{ messages: [], system: answer, tools: [] }] };
	} finally {
		api.close();
	}
}

// All texts of a request but those of the tools.
function texts({ messages, system }) {
	return [...messages.flatMap(({ content }) => content), ...[system].flat()]
		.map((block) => (typeof block === "string" ? block : block?.text ?? ""))
		.join("\n");
}

function checkOffer(way, request, offer) {
	const said = texts(request);

	check(`${way.name}: the instructions arrive whole`, said.includes(offer.instructions.trim()), said);
	for (const { name, description, inputSchema, _meta } of offer.tools) {
		const full = way.prefix + name;
		const tool = request.tools.find((one) => one.name === full);

		check(`${full}: at most ${LIMIT} characters`, full.length <= LIMIT, full.length);
		if (_meta?.["anthropic/alwaysLoad"]) {
			check(`${full}: its description arrives`, tool?.description === description, tool);
			check(`${full}: its schema arrives`,
				JSON.stringify(tool?.input_schema.properties) === JSON.stringify(inputSchema.properties), tool);
		} else {
			check(`${full} is named`, said.includes(`\n${full}\n`), said);
		}
	}
	for (const skill of way.skills ?? [])
		check(`${way.name}: the skill ${skill} is offered`, said.includes(`- ${skill}: `), said);
}

function checkResult(what, request, word) {
	const [result] = request ? results(request) : [];

	check(what, result && !result.is_error && JSON.stringify(result.content).includes(word), result);
}

function typing({ typed, cwd }) {
	return { env: typed, cwd };
}

// Claude Code names the project to its hooks, and kota then counts characters, not bytes.
async function hookText(machine) {
	const options = typing(machine);

	options.env = { ...options.env, CLAUDE_PROJECT_DIR: options.cwd };
	const text = await run(kota, ["hook", "session-start"], options);

	return text && JSON.parse(text).hookSpecificOutput.additionalContext;
}

// The first session is told something, the second one knows it and can look it up.
async function checkRemembering(machine, way) {
	const first = await session(machine, way, "remember I use vim", [
		{ tool: "memory_set", input: { key: "editor", value: "vim", category: "preferences" } },
		{ text: "I will remember that." },
	]);

	check(`${way.name}: the person is answered`, first.answer === "I will remember that.\n", first.answer);
	checkOffer(way, first.requests[0], await offered(machine.env));
	checkResult(`${way.name}: the model hears that it is stored`, first.requests[1], "preferences");
	const kept = await run(kota, ["get", "preferences:editor"], typing(machine));
	check(`${way.name}: it is stored`, kept === "vim\n", kept);

	const told = await hookText(machine);
	const second = await session(machine, way, "which editor do I use?", [
		{ tool: "memory_get", input: { query: "editr" } },
		{ text: "You use vim." },
	]);
	const said = texts(second.requests[0]);

	check(`${way.name}: the hook tells of it`, told.includes("editor: vim"), told);
	check(`${way.name}: the next session begins with it`, said.includes(told.trim()), said);
	checkResult(`${way.name}: and it can be looked up`, second.requests[1], "vim");
	check(`${way.name}: the person hears it`, second.answer === "You use vim.\n", second.answer);
}

// As much as a hook may say arrives to the last character.
async function checkMuch(machine, way) {
	for (let i = 0; i < 60; i++)
		await run(kota, ["set", `preferences:rule ${i}`, `${i}: ${"é😀 ".repeat(60)}`], typing(machine));
	const told = await hookText(machine);
	const { requests } = await session(machine, way, "hello", [{ text: "Hello." }]);
	const said = texts(requests[0]);

	check(`${way.name}: the hook says as much as it may`, told.length > 7600, told.length);
	check(`${way.name}: all of it arrives`, said.includes(told.trim()), said);
}

// What the person can name: a resource with @, a prompt as a command.
async function checkNamed(machine, way) {
	const { requests } = await session(machine, way, `/${way.prefix}recall editor`, [
		{ tool: "ToolSearch", input: { query: "select:ReadMcpResourceTool" } },
		{ tool: "ReadMcpResourceTool",
			input: { server: way.server, uri: "memory://key/preferences/editor" } },
		{ text: "You use vim." },
	]);
	const [, read] = results(requests.at(-1));

	check(`${way.name}: a prompt is a command`,
		texts(requests[0]).includes("stored about this: editor\n"), requests[0].messages);
	check(`${way.name}: a resource is read`, read && !read.is_error &&
		JSON.stringify(read.content).includes("vim"), results(requests.at(-1)));
}

// A skill says of itself which tools it may use: none of them needs a permission of its own.
async function checkSkill(machine, way) {
	const tool = `${way.prefix}memory_health`;
	const steps = [
		{ tool: "Skill", input: { skill: "kota-memory:consolidate" } },
		{ tool: "ToolSearch", input: { query: `select:${tool}` } },
		{ tool, input: { check: "summary" } },
		{ text: "All is well." },
	];
	const { requests, answer } = await session(machine, way, "tidy the memory", steps,
		"Skill(kota-memory:consolidate)");
	const [, , health] = results(requests.at(-1));

	check(`${way.name}: the skill is read`, texts(requests.at(-1)).includes("# Consolidate"), answer);
	check(`${way.name}: it may use its tools`, health && !health.is_error &&
		JSON.stringify(health.content).includes("score"), health);
}

for (const way of ways) {
	const dir = await mkdtemp(join(tmpdir(), "kota-claude-"));

	try {
		const where = await machine(dir, way);

		await way.install(where);
		await checkRemembering(where, way);
		if (!recorded(way))
			await checkMuch(where, way);
		if (way.server && !recorded(way))
			await checkNamed(where, way);
		if (way.skills)
			await checkSkill(where, way);
	} finally {
		await rm(dir, { recursive: true, force: true, maxRetries: 5 });
	}
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
