"""
The world of tests/sync/model.sh, and of peers.py: machines with a store, a server and a clock each, and a bare
repository between them. Every text that is written has a token of its own, so that it can be told
what became of it.

    model.py CLOCKED DIR FIRST SEEDS OPERATIONS MACHINES

What must hold: a live text, one that nobody who had seen it replaced or took away, is active or in
the archive at the end; an entry that was deleted does not come back as it was, unless somebody
restored it; all stores are the same after at most two rounds of syncs.

A restore undoes the deletions that its machine had seen. It undoes another one, which had reached
the hub before it, only where it changed something: where the entry was gone when that machine last
synced. A deletion that comes to the hub after it takes away what it had seen, and stands. Who takes
away again what only they restored has changed nothing.
"""
import collections, copy, json, os, random, re, shutil, subprocess, sys

CLOCKED, DIR = sys.argv[1:3]
FIRST, SEEDS, OPERATIONS, MACHINES = map(int, sys.argv[3:7])
CATEGORIES = ["state", "preferences", "patterns"]
TOKEN = re.compile(r"\bt\d+x")
SKEW = [400 * 86400, -2 * 86400, 600, -600, 0]
LIMIT = 25
KEYS = 31
BEGIN_MS = 1795000000000


def text(value):
    return json.dumps(value, sort_keys=True)


def tokens(value):
    return set(TOKEN.findall(text(value)))


# An entry without the texts that lost beside it, which the next change takes to the archive.
def standing(entry):
    return {name: member for name, member in entry.items() if name != "conflict"} if isinstance(entry, dict) else entry


class Machine:
    def __init__(self, world, number):
        self.world, self.skew = world, SKEW[number % len(SKEW)]
        self.home = f"{world.dir}/m{number}"
        self.store = f"{self.home}/{world.store}"
        self.name = f"m{number}"
        os.makedirs(self.home)
        self.environ = dict(os.environ, HOME=self.home, XDG_STATE_HOME=f"{self.home}/state",
                            KOTA_CLOCK=f"{self.home}/clock", KOTA_CLOCK_LIVE="1")
        self.clock = os.open(f"{self.home}/clock", os.O_WRONLY | os.O_CREAT, 0o600)
        self.tick()
        self.server = None
        self.asked = 0
        # The steps of deletions that it knows, what it restored since its last sync, and its entries then.
        self.seen, self.restored, self.base = set(), set(), {}

    def tick(self):
        # In one write and in its place: the server has it open.
        os.pwrite(self.clock, b"%013d" % (BEGIN_MS + int((self.world.seconds + self.skew) * 1000)), 0)

    def start(self):
        self.server = subprocess.Popen([CLOCKED, "--dir", self.store, "serve"], env=self.environ, text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "model", "version": "1"}})

    def ask(self, method, params):
        self.asked += 1
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    # True if the tool did it.
    def tool(self, name, **arguments):
        self.tick()
        if not self.server:
            self.start()
        reply = self.ask("tools/call", {"name": name, "arguments": arguments})
        return "result" in reply and not reply["result"].get("isError")

    def run(self, *words):
        self.tick()
        done = subprocess.run([CLOCKED, "--dir", self.store, *words], env=self.environ, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def close(self):
        self.stop()
        os.close(self.clock)

    def stop(self):
        if self.server:
            self.server.stdin.close()
            self.server.wait()
            self.server.stdout.close()
            self.server = None

    def read(self, name):
        try:
            with open(f"{self.store}/{name}") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def write(self, name, value):
        with open(f"{self.store}/{name}.new", "w") as out:
            json.dump(value, out, indent=2, ensure_ascii=False)
            out.write("\n")
        os.rename(f"{self.store}/{name}.new", f"{self.store}/{name}")

    def files(self):
        names = [name for name in os.listdir(self.store) if name.endswith(".json") and name != "metadata.json"]
        folder = f"{self.store}/archive.cold"
        names += [f"archive.cold/{name}" for name in os.listdir(folder)] if os.path.isdir(folder) else []
        return {name: open(f"{self.store}/{name}").read() for name in names}


class World:
    store = "store"

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.dir = f"{DIR}/world"
        shutil.rmtree(self.dir, ignore_errors=True)
        os.makedirs(self.dir)
        self.seconds, self.written = 0.0, 0
        self.replaced, self.acknowledged, self.by_hand, self.seen_by_hub = set(), set(), set(), set()
        # Of each entry that was deleted, where: the step and the machine.
        self.dead = collections.defaultdict(dict)
        self.counts = collections.Counter()
        self.wrong, self.back = [], []
        self.machines = [Machine(self, number) for number in range(MACHINES)]
        self.begin()

    def begin(self):
        self.hub = f"{self.dir}/hub.git"
        subprocess.run(["git", "init", "-q", "--bare", self.hub], check=True)
        self.sync(self.machines[0], "--remote", self.hub)
        self.machines[0].write("config.json", {"limits": {"entries_per_category": LIMIT}})
        for machine in self.machines:
            self.sync(machine, "--remote", self.hub)

    def fail(self, *what):
        self.wrong.append(" ".join(map(str, ("seed", self.seed) + what)))

    def token(self):
        self.written += 1
        return f"t{self.written}x"

    def value(self, token):
        kind = self.random.random()
        if kind < .5:
            return f"some text {token}"
        return {"a": token, "b": self.random.randint(1, 5), "c": "x"} if kind < .75 else ["first", token]

    # What stood under the key and does not any more was replaced by who saw it.
    def settle(self, machine, category, key, before, token, hand=False):
        now = machine.read(f"{category}.json")
        if token not in tokens(now.get(key)):
            self.counts["not done"] += 1
            return
        self.replaced |= tokens(standing(before.get(key))) - tokens(now.get(key))
        self.acknowledged.add(token)
        if hand:
            self.by_hand.add(token)

    def hand(self, machine, category, entries):
        draw, key, token = self.random.random(), self.random.choice(list(entries)), self.token()
        before = copy.deepcopy(entries)
        if draw < .6:
            entry = entries[key]
            if isinstance(entry, dict) and "value" in entry:
                if isinstance(entry["value"], dict) and self.random.random() < .5:
                    entry["value"][self.random.choice(["a", "b", "n" + token])] = token
                else:
                    entry["value"] = self.value(token)
            else:
                entries[key] = self.value(token)
        elif draw < .8:
            key = f"k{self.random.randrange(KEYS)}"
            if key in entries:
                return
            entries[key] = f"by hand {token}"
        elif draw < .9:
            self.replaced |= tokens(entries[key])
            self.die(machine, category, key, entries[key])
            del entries[key]
        else:
            entries = dict(sorted(entries.items()))
        machine.write(f"{category}.json", entries)
        if draw < .8:
            self.settle(machine, category, key, before, token, hand=True)

    def restore(self, machine, category, entries):
        records = [r for r in machine.read("archive.json").get(category, []) if r["originalKey"] not in entries]
        if records:
            record = self.random.choice(records)
            what = category, record["originalKey"], text(record["entry"])
            if machine.tool("memory_restore", key=f"{category}:{record['key']}"):
                self.note_restored(machine, what)

    def note_restored(self, machine, what):
        self.undo(what, machine.seen)
        machine.restored.add(what)

    # The deletions at these steps do not hold any more.
    def undo(self, what, steps):
        for step in steps & self.dead[what].keys():
            del self.dead[what][step]

    def die(self, machine, category, key, entry):
        what = category, key, text(standing(entry))
        if what not in machine.restored or self.was_synced(machine, what):
            self.dead[what][self.counts["step"]] = machine.name
            machine.seen.add(self.counts["step"])

    # Was the entry there, as it is, when the machine last synced?
    def was_synced(self, machine, what):
        category, key, entry = what
        before = machine.base.get(category, {}).get(key)
        return before is not None and text(before) == entry

    # What a machine restored and sends now is there again, if it was gone when it last synced.
    def send_restored(self, machine):
        for what in machine.restored:
            category, key, entry = what
            now = machine.read(f"{category}.json").get(key)
            if now is not None and text(now) == entry and not self.was_synced(machine, what):
                self.undo(what, self.seen_by_hub)
        machine.restored = set()

    def operate(self, machine):
        draw, category = self.random.random(), self.random.choice(CATEGORIES)
        entries = machine.read(f"{category}.json")
        self.seconds += self.random.random() * 1800
        if self.random.random() < .2 and entries:
            self.hand(machine, category, entries)
            return
        key = self.random.choice(list(entries)) if entries else None
        if draw < .42 or not entries:
            key, token = f"k{self.random.randrange(KEYS)}", self.token()
            more = {"tags": [self.random.choice("pqrs")]} if self.random.random() < .2 else {}
            machine.tool("memory_set", category=category, key=key, value=self.value(token), **more)
            self.settle(machine, category, key, entries, token)
        elif draw < .72:
            token = self.token()
            held = entries[key]["value"] if isinstance(entries[key], dict) and "value" in entries[key] else entries[key]
            addition = token
            if isinstance(held, dict):
                addition = {self.random.choice("abde"): token}
            elif isinstance(held, list):
                addition = [token]
            machine.tool("memory_update", key=f"{category}:{key}", addition=addition)
            self.settle(machine, category, key, entries, token)
        elif draw < .82:
            if machine.tool("memory_delete", key=f"{category}:{key}"):
                self.die(machine, category, key, entries[key])
        elif draw < .86:
            machine.run("mv", f"{category}:{key}", f"{category}:m{self.random.randrange(1000)}")
        elif draw < .90:
            machine.tool("memory_reinforce", refs=[f"{category}:{key}"])
        elif draw < .95:
            self.restore(machine, category, entries)
        else:
            other = self.random.choice(list(entries))
            machine.tool("memory_relate", **{"from": f"{category}:{key}", "to": f"{category}:{other}", "type": "related"})

    # True if it gave or took something.
    def sync(self, machine, *words):
        if self.random.random() < .3:
            machine.stop()
        self.send_restored(machine)
        status, said = machine.run("--json", "sync", *words)
        if status != 0:
            self.fail("step", self.counts["step"], "sync of", machine.name, status, said)
            return True
        report = json.loads(said)
        self.counts["syncs"] += 1
        self.counts["conflicts"] += len(report["conflicts"])
        self.seen_by_hub |= machine.seen
        machine.seen = set(self.seen_by_hub)
        machine.base = {category: machine.read(f"{category}.json") for category in CATEGORIES}
        return report["took"] > 0 or report["gave"] > 0

    def sync_with_nobody(self, machine):
        os.rename(self.hub, self.hub + ".away")
        status, said = machine.run("sync")
        os.rename(self.hub + ".away", self.hub)
        self.counts["out of reach"] += 1
        if status != 69:
            self.fail("step", self.counts["step"], machine.name, "syncs with nobody:", status, said)

    def equal(self):
        first = self.machines[0].files()
        return all(machine.files() == first for machine in self.machines[1:])

    def play(self):
        away = {}
        for step in range(OPERATIONS):
            self.counts["step"] = step
            self.operate(self.random.choice(self.machines))
            if self.random.random() < .01:
                away[self.random.randrange(MACHINES)] = step + self.random.randint(10, 120)
            if self.random.random() < .08:
                number = self.random.randrange(MACHINES)
                if away.get(number, 0) < step:
                    self.sync(self.machines[number])
                else:
                    self.sync_with_nobody(self.machines[number])
        rounds = 0
        while rounds < 4 and (rounds == 0 or not self.equal()):
            rounds += 1
            for machine in self.machines:
                self.sync(machine)
        if rounds > 2:
            self.fail("equal only after", rounds, "rounds" if self.equal() else "rounds, and not then")
        self.counts["rounds"] = max(rounds, self.counts["rounds"])
        self.judge()
        for machine in self.machines:
            machine.stop()
        done = subprocess.run(["git", "-C", self.hub, "fsck", "--strict"], capture_output=True, text=True)
        if done.returncode != 0:
            self.fail("the hub is damaged:", done.stdout + done.stderr)

    # The tokens that are active, those that are kept because they lost, and those of other records.
    def found(self):
        files = self.machines[0].files()
        entries = [entry for c in CATEGORIES for entry in json.loads(files.get(f"{c}.json", "{}")).values()]
        archive = json.loads(files.get("archive.json", "{}"))
        records = [r for c in CATEGORIES for r in archive.get(c, [])]
        records += [json.loads(line) for name in files if "cold" in name for line in files[name].splitlines()]
        beside = [entry["conflict"] for entry in entries if isinstance(entry, dict) and "conflict" in entry]
        return (tokens([standing(entry) for entry in entries]),
                tokens(beside + [r for r in records if r.get("reason") == "conflict"]),
                tokens([r for r in records if r.get("reason") != "conflict"]))

    # Of so many deletions.
    def may_come_back(self, deletions):
        return 0

    # What is wrong with all worlds together.
    @staticmethod
    def judge_all(_total):
        return []

    def judge(self):
        live = self.acknowledged - self.replaced
        active, losers, archived = self.found()
        lost = live - active - losers - archived
        if lost:
            self.fail("lost", *sorted(lost), "by hand:", *sorted(lost & self.by_hand))
        dead = {what: deletions for what, deletions in self.dead.items() if deletions}
        for (category, key, entry), deletions in dead.items():
            now = self.machines[0].read(f"{category}.json").get(key)
            if now is not None and text(standing(now)) == entry:
                where = [f"{who} in step {step}" for step, who in deletions.items()]
                self.back.append(f"{category}:{key} was deleted on {' '.join(where)} and is back: {entry}")
        if len(self.back) > self.may_come_back(len(dead)):
            self.fail(*self.back)
        self.counts["back"] += len(self.back)
        self.counts["live"] += len(live)
        self.counts["active"] += len(live & active)
        self.counts["by hand"] += len(live & self.by_hand)
        self.counts["deleted"] += len(dead)
        self.counts["lost without the records"] += len(live - active - archived)


# Plays the worlds of the seeds; the counts of all, and how much was wrong.
def play(kind):
    os.umask(0o077)
    total, wrong = collections.Counter(), 0
    for seed in range(FIRST, FIRST + SEEDS):
        world = kind(seed)
        try:
            world.play()
        finally:
            for machine in world.machines:
                machine.close()
        for what in world.wrong:
            print("FAILED", what, flush=True)
        wrong += len(world.wrong)
        if world.wrong:
            shutil.copytree(world.dir, f"{DIR}/failed-{seed}", dirs_exist_ok=True, symlinks=True)
        for what, count in world.counts.items():
            total[what] = max(total[what], count) if what in ("rounds", "step") else total[what] + count
        if SEEDS > 1:
            print(f"seed {seed}:", dict(world.counts), flush=True)
    for what in kind.judge_all(total):
        print("FAILED", what)
        wrong += 1
    # The control: a merge that drops what lost is found out.
    if not total["lost without the records"]:
        print("FAILED control: without the records of what lost nothing is missing")
        wrong += 1
    print(f"{SEEDS} seeds of {OPERATIONS} operations on {MACHINES} machines:", dict(total), f"{wrong} failed")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    play(World)
