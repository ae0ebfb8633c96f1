"""
The hour of tests/sync/two_people.sh. Each text that is written has a word of its own.

    two_people.py CLOCKED OWN DIR HOURS FIRST
"""
import glob, json, os, random, re, subprocess, sys

CLOCKED, OWN, DIR = sys.argv[1:4]
HOURS, FIRST = map(int, sys.argv[4:6])
WORD = re.compile(r"\bw\d+x")
MARKER = re.compile(r"^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)", re.M)
STEPS = 60


class Person:
    def __init__(self, hour, name):
        self.hour, self.name = hour, name
        self.home, self.clone = f"{hour.dir}/{name}", f"{hour.dir}/{name}/app"
        self.store = f"{self.clone}/data/kota_memory"
        os.makedirs(self.home)
        self.environ = dict(os.environ, HOME=self.home, XDG_STATE_HOME=f"{self.home}/state",
                            KOTA_CLOCK=f"{self.home}/clock", KOTA_MEMORY_GIT="off")
        for variable in ("AUTHOR", "COMMITTER"):
            self.environ[f"GIT_{variable}_NAME"] = name
            self.environ[f"GIT_{variable}_EMAIL"] = f"{name}@example.org"

    def run(self, *words, where=None, may_fail=False):
        with open(f"{self.home}/clock", "w") as clock:
            clock.write(str(1795000000000 + self.hour.minute * 60000))
        done = subprocess.run(words, cwd=where or self.clone, env=self.environ, capture_output=True, text=True)
        if done.returncode and not may_fail:
            self.hour.fail(f"{self.name}: {' '.join(words)}: {done.stdout}{done.stderr}")
        return done

    def kota(self, *words, **more):
        return self.run(CLOCKED, "--dir", self.store, *words, **more)

    def entries(self):
        path = f"{self.store}/state.json"
        return json.load(open(path)) if os.path.exists(path) else {}

    def commit(self):
        self.run("git", "add", "-A")
        self.run("git", "commit", "-qm", f"minute {self.hour.minute}", may_fail=True)

    def pull(self, rebase):
        self.commit()
        self.run("git", "pull", "-q", "--rebase" if rebase else "--no-rebase", "--no-edit", "origin", "main")

    def push(self):
        self.commit()
        while self.run("git", "push", "-q", "origin", "HEAD:main", may_fail=True).returncode:
            self.pull(False)
            if self.hour.failed:
                return

    def words(self):
        return set(WORD.findall("".join(open(path).read() for path in self.files())))

    def files(self):
        return [p for p in glob.glob(f"{self.store}/**", recursive=True) if os.path.isfile(p)]


class Hour:
    def __init__(self, seed, forgets):
        self.dir = f"{DIR}/hour-{seed}{'-control' if forgets else ''}"
        self.random, self.forgets = random.Random(seed), forgets
        self.minute, self.failed, self.count = 0, [], 0
        self.live = {}
        os.makedirs(self.dir)
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", f"{self.dir}/hub.git"], check=True)
        self.people = [Person(self, "ada"), Person(self, "ben")]
        for person in self.people:
            self.join(person)

    def join(self, person):
        person.run("git", "clone", "-q", f"{self.dir}/hub.git", "app", where=person.home, may_fail=True)
        if not os.path.exists(person.store):
            person.run("git", "checkout", "-q", "-b", "main", may_fail=True)
            person.run(CLOCKED, "init")
            person.kota("set", "k0", "the beginning", "--category", "state")
        person.run(CLOCKED, "setup", "git")
        person.run(OWN, person.store)
        person.push()

    def fail(self, what):
        self.failed.append(f"minute {self.minute}: {what}")

    def word(self):
        self.count += 1
        return f"w{self.count}x"

    def change(self, person):
        """One change; words that it takes away, which the person has seen, need not live any more."""
        key, word = f"k{self.random.randrange(6)}", self.word()
        seen = WORD.findall(json.dumps(person.entries().get(key, "")))
        what = self.random.randrange(10)
        if what < 4:
            self.live[word] = key
            person.kota("set", key, f"says {word}", "--category", "state")
            self.forget(seen)
        elif what < 6 and key in person.entries():
            self.live[word] = key
            person.kota("update", f"state:{key}", f"and {word}")
        elif what < 7 and key in person.entries():
            person.kota("delete", f"state:{key}")
            self.forget(seen)
        elif what < 9:
            self.by_hand(person, key, word, seen)
        else:
            self.live[word] = word
            person.kota("set", word, f"own {word}", "--category", "connections")

    def by_hand(self, person, key, word, seen):
        entries = person.entries()
        if isinstance(entries.get(key), dict):
            entries[key]["value"] = f"by hand {word}"
        else:
            entries[key] = f"by hand {word}"
        with open(f"{person.store}/state.json", "w") as out:
            json.dump(entries, out, indent=2)
        self.live[word] = key
        self.forget(seen)

    def forget(self, seen):
        for word in seen:
            self.live.pop(word, None)

    def look(self, person):
        for path in person.files():
            text = open(path).read()
            if MARKER.search(text):
                self.fail(f"{person.name}: markers in {path}")
            if path.endswith(".json"):
                try:
                    json.loads(text)
                except ValueError as error:
                    self.fail(f"{person.name}: {path}: {error}")
        if person.run("git", "ls-files", "-u").stdout:
            self.fail(f"{person.name}: git wants a person")
        if self.forgets:
            self.drop_conflicts(person)

    def drop_conflicts(self, person):
        """The control: what lost is thrown away."""
        entries = person.entries()
        for entry in entries.values():
            if isinstance(entry, dict):
                entry.pop("conflict", None)
        with open(f"{person.store}/state.json", "w") as out:
            json.dump(entries, out, indent=2)

    def play(self):
        for self.minute in range(1, STEPS + 1):
            person = self.random.choice(self.people)
            self.change(person)
            draw = self.random.randrange(10)
            if draw < 3:
                person.pull(draw == 0)
                self.look(person)
            elif draw < 5:
                person.push()
                self.look(person)
            if self.failed:
                return
        for person in self.people + self.people:
            person.push()
            person.pull(False)
            self.look(person)
        ada, ben = self.people
        for person in self.people:
            lost = set(self.live) - person.words()
            if lost:
                self.fail(f"{person.name} has lost {sorted(lost)}")
            if person.kota("list").stderr:
                self.fail(f"{person.name}: {person.kota('list').stderr}")
        if ada.entries() != ben.entries():
            self.fail("what they have differs")


failed = 0
for seed in range(FIRST, FIRST + HOURS):
    hour = Hour(seed, False)
    hour.play()
    failed += len(hour.failed)
    for line in hour.failed:
        print(f"FAILED seed {seed}: {line}")
    print(f"seed {seed}: {hour.count} words, {len(hour.live)} that nobody took away")
control = 0
for seed in range(FIRST, FIRST + 5):
    hour = Hour(seed, True)
    hour.play()
    control = control or len(hour.failed)
    if control:
        break
if not control:
    failed += 1
    print("FAILED control: that what lost is thrown away is not found out")
sys.exit(1 if failed else 0)
