#!/usr/bin/env python3
"""Measures memory_search on LoCoMo: one store a conversation, one memory a turn, neutral keys.

    tests/lookup/locomo.py RECALL DATA

RECALL is the built program tests/lookup/recall, DATA locomo10.json or the folder of conversations that
https://github.com/snap-research/locomo has (data/locomo10.zip, unpacked). Its licence (CC BY-NC 4.0)
does not let it stand here. Asked are all questions with evidence that is in the conversation.
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


def main():
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
