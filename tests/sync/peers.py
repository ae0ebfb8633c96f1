"""
The world of tests/sync/peers.sh: clones of a project with a store, and nothing between them. They
pull from each other with git in any order, often both at the same moment, so that merges have
several bases. Texts and operations are those of model.py.

    peers.py CLOCKED DIR FIRST SEEDS OPERATIONS MACHINES

OWN is the program that makes a store the person's own. KOTA_PEERS_CONFIG, "NAME VALUE", changes how
git merges: the controls.

What must hold: every pull ends without a person, a live text is active or kept at the end, hardly
anything that was deleted and restored by nobody comes back, and all clones are the same after at most ten
rounds in which each pulls from its neighbour. In these all pull at the same moment. In one world of
four that may be in vain: a text that was there, was gone and is there again goes round. Then ten rounds
in which they pull in turn must do. What was deleted may be back once in a while: where one side deleted
an entry and both histories have it, what is there stays.
"""
import json, os, subprocess

import model

ROUNDS = 10


def in_any_order(value):
    if isinstance(value, dict) and all(isinstance(records, list) for records in value.values()):
        return {name: sorted(records, key=model.text) for name, records in value.items()}
    return value


class Peers(model.World):
    store = "project/data/kota_memory"

    def begin(self):
        self.ever_restored = set()
        first = self.machines[0]
        os.makedirs(f"{first.home}/project/data")
        self.git(first, "init", "-q", "-b", "main")
        first.run("init")
        first.write("config.json", {"limits": {"entries_per_category": model.LIMIT}})
        for machine in self.machines:
            if machine is not first:
                self.git(first, "clone", "-q", ".", f"{machine.home}/project")
            subprocess.run([os.environ["OWN"], machine.store], env=machine.environ, check=True)
            machine.run("setup", "git")
            if "KOTA_PEERS_CONFIG" in os.environ:
                self.git(machine, "config", *os.environ["KOTA_PEERS_CONFIG"].split(" ", 1))
            self.git(machine, "config", "user.name", machine.name)
            self.git(machine, "config", "user.email", machine.name)
            self.save(machine)

    def git(self, machine, *words, check=True):
        return subprocess.run(["git", "-C", f"{machine.home}/project", *words], env=machine.environ, check=check,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    # What is there is committed; the commit.
    def save(self, machine):
        self.git(machine, "add", "-A")
        if self.git(machine, "diff", "--cached", "--quiet", check=False).returncode != 0:
            self.git(machine, "commit", "-q", "-m", f"step {self.counts['step']}")
        return self.git(machine, "rev-parse", "HEAD").stdout.strip()

    # Pulls what another one had saved; what that one knew then is known here, too.
    def pull(self, machine, other, commit, seen):
        self.save(machine)
        self.git(machine, "fetch", "-q", f"{other.home}/project", "main")
        bases = self.git(machine, "merge-base", "--all", "HEAD", commit).stdout.split()
        done = self.git(machine, "merge", "-q", "-m", f"{other.name} into {machine.name}", commit, check=False)
        self.counts["pulls"] += 1
        self.counts["several bases"] += len(bases) > 1
        if done.returncode != 0:
            self.fail("step", self.counts["step"], machine.name, "pulls from", other.name, done.stdout)
            self.git(machine, "merge", "--abort", check=False)
        machine.seen |= seen

    def exchange(self):
        one, two = self.random.sample(self.machines, 2)
        saved = self.save(one), set(one.seen)
        self.pull(one, two, self.save(two), set(two.seen))
        if self.random.random() < .6:
            self.pull(two, one, *saved)

    # The order of what stands in a file is that of the side which pulls.
    def equal(self):
        def values(machine):
            files = machine.files()
            return {name: sorted(text.splitlines()) if "cold" in name else in_any_order(json.loads(text))
                    for name, text in files.items()}
        first = values(self.machines[0])
        return all(values(machine) == first for machine in self.machines[1:])

    def may_come_back(self, deletions):
        return max(2, deletions / 5)

    # Until all are equal; False if they are not after ten rounds.
    def meet(self, at_once):
        for _ in range(ROUNDS):
            if self.equal():
                return True
            self.counts["rounds"] += 1
            saved = [(self.save(machine), set(machine.seen)) for machine in self.machines]
            for number, machine in enumerate(self.machines):
                if not at_once:
                    saved[number - 1] = self.save(self.machines[number - 1]), self.machines[number - 1].seen
                self.pull(machine, self.machines[number - 1], *saved[number - 1])
        return self.equal()

    @staticmethod
    def judge_all(total):
        if total["apart"] > max(1, model.SEEDS / 4):
            yield f"{total['apart']} of {model.SEEDS} worlds are not equal after {ROUNDS} rounds at once"

    # Who restores it does so for all: without a hub there is no telling what came first.
    def note_restored(self, machine, what):
        self.ever_restored.add(what)

    def play(self):
        for step in range(model.OPERATIONS):
            self.counts["step"] = step
            machine = self.random.choice(self.machines)
            self.operate(machine)
            if self.random.random() < .1:
                self.exchange()
            if self.random.random() < .02:
                machine.stop()
        if not self.meet(at_once=True):
            self.counts["apart"] += 1
            if not self.meet(at_once=False):
                self.fail("not equal after", ROUNDS, "rounds in turn")
        for what in self.ever_restored:
            self.dead.pop(what, None)
        self.judge()
        for machine in self.machines:
            machine.stop()


if __name__ == "__main__":
    model.play(Peers)
