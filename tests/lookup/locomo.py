#!/usr/bin/env python3
"""Measures memory_search on LoCoMo: one store a conversation, one memory a turn, neutral keys.

    tests/lookup/locomo.py RECALL DATA
    tests/lookup/locomo.py --wordings KOTA DATA

RECALL is the built program tests/lookup/recall, DATA locomo10.json or the folder of conversations that
https://github.com/snap-research/locomo has (data/locomo10.zip, unpacked). Its licence (CC BY-NC 4.0)
does not let it stand here. Asked are all questions with evidence that is in the conversation. With
--wordings KOTA, the program itself, is asked the questions of locomo_wordings.txt, which has two more
wordings for each: with the question alone, and with all three.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def conversations(path):
    files = sorted(glob.glob(os.path.join(path, "**", "*.json"), recursive=True)) if os.path.isdir(path) else [path]
    for name in files:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
        for one in data if isinstance(data, list) else [data]:
            yield {**one, **one.get("conversation", {})}


def labelled(conversation):
    """The conversation as a set of labelled questions."""
    refs, values = {}, {}
    for name, turns in conversation.items():
        if not re.fullmatch(r"session_\d+", name) or not isinstance(turns, list):
            continue
        for turn in turns:
            key = "turn_%d" % (len(values) + 1)
            refs[turn["dia_id"]] = "turns:" + key
            values[key] = "%s: %s" % (turn["speaker"], turn["text"])
    queries = []
    for question in conversation["qa"]:
        wanted = [refs[d] for e in question.get("evidence") or [] for d in re.findall(r"D\d+:\d+", e) if d in refs]
        if wanted:
            queries.append({"class": "category_%s" % question["category"], "query": question["question"],
                            "relevant": [{"ref": r, "grade": 2} for r in dict.fromkeys(wanted)]})
    return {"store": {"turns": values}, "queries": queries}


class Server:
    """kota with one store, which answers searches with refs."""

    def __init__(self, program, folder, store):
        with open(os.path.join(folder, "state.json"), "w", encoding="utf-8") as file:
            json.dump(store["turns"], file)
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"limits": {"entries_per_category": 1000, "total_bytes": 1 << 24}, "git": "off"}, file)
        home = dict(os.environ, HOME=folder, XDG_STATE_HOME=os.path.join(folder, ".state"))
        self.process = subprocess.Popen([program, "serve", "--dir", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=home)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "locomo", "version": "1"}})

    def ask(self, method, params):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def search(self, query, queries):
        reply = self.ask("tools/call", {"name": "memory_search", "arguments": {
            "query": query, "queries": queries, "limit": 10, "track_access": False}})
        return [r["ref"].replace("state:", "turns:") for r in json.loads(reply["content"][0]["text"])["results"]]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure_wordings(program, data):
    wordings = {}
    with open(os.path.join(os.path.dirname(__file__), "locomo_wordings.txt"), encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                where, texts = line.rstrip("\n").split("\t")
                number, question = where.split()
                wordings.setdefault(int(number), {})[int(question)] = [t.strip() for t in texts.split("|")]
    found = {1: [], 3: []}
    for number, conversation in enumerate(conversations(data)):
        one = labelled(conversation)
        with tempfile.TemporaryDirectory() as folder:
            server = Server(program, folder, one["store"])
            for question, others in sorted(wordings.get(number, {}).items()):
                asked = one["queries"][question]
                wanted = {r["ref"] for r in asked["relevant"]}
                for count, queries in ((1, []), (3, others)):
                    refs = server.search(asked["query"], queries)
                    found[count].append([len(wanted & set(refs[:k])) / min(k, len(wanted)) for k in (5, 10)])
            server.close()
    for count, rows in sorted(found.items()):
        print("%d wording%s of %d questions: @5 %.1f, @10 %.1f" % (
            count, "s" if count > 1 else "", len(rows), *(100 * sum(r[k] for r in rows) / len(rows) for k in (0, 1))))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--wordings":
        return measure_wordings(sys.argv[2], sys.argv[3])
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        turns = 0
        for i, conversation in enumerate(conversations(sys.argv[2])):
            one = labelled(conversation)
            turns += len(one["store"]["turns"])
            with open(os.path.join(folder, "%02d.json" % i), "w", encoding="utf-8") as file:
                json.dump(one, file, ensure_ascii=False)
        out = subprocess.run([sys.argv[1], folder], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = {}
    for line in out.splitlines():
        found = re.match(r"(all|category_\d)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)", line)
        if found:
            rows.setdefault(found[1], []).append([float(x) for x in found.groups()[1:]])
    print("%d turns\n%-12s %5s %6s %6s %6s  %s" % (turns, "LoCoMo", "n", "@5", "@10", "MRR", "nothing returned"))
    for name in sorted(rows):
        total = sum(r[0] for r in rows[name])
        print("%-12s %5d" % (name, total), *("%6.1f" % (sum(r[0] * r[i] for r in rows[name]) / total) for i in range(1, 5)))


main()
