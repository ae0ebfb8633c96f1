#!/bin/sh
# Compares the merge with the reference of its rules, on triples that the reference's simulation of
# machines draws: stores that went apart by operations, hand edits and clocks that are wrong.
#
#	BUILD=DIR tests/merge/reference.sh REFERENCE [COUNT [FIRST_SEED]]
#
# REFERENCE is the folder that has merge.py and sim.py. Every fourth triple has no base.
set -eu
test $# -ge 1 || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
exec python3 - "$1" "${2:-20000}" "${3:-0}" "${BUILD:-.}/tests/merge/merge_triples" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import copy, json, random, subprocess
from merge import M, T, canon
from sim import World

count, first, program = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
# Keys, operations before the sides part, operations since: from nearly nothing in common to much.
SHAPES = [(4, 6, 6), (12, 60, 3), (12, 60, 10), (12, 60, 40), (30, 60, 90), (3, 0, 12), (6, 30, 200)]

def triple(seed):
    keys, before, since = SHAPES[seed % len(SHAPES)]
    world = World(seed, 3, "field", keys=keys)
    for _ in range(before):
        world.op(world.reps[0])
    for other in world.reps[1:]:
        other.s = copy.deepcopy(world.reps[0].s)
    base = copy.deepcopy(world.reps[0].s)
    for _ in range(since):
        world.op(world.r.choice(world.reps))
    a, b, c = (x.s for x in world.reps)
    if seed % 3 == 0:       # a side that has merged once already
        a = M().store([base], copy.deepcopy(a), copy.deepcopy(c))
    return [None if seed % 4 == 0 else base, a, b]

def shown(x):
    x = copy.deepcopy(x)
    for records in x["archive"].values():
        for r in records:
            r.pop("front", None)
    return canon(x)

run = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
bad = conflicts = renames = 0
for seed in range(first, first + count):
    base, a, b = triple(seed)
    run.stdin.write(json.dumps([base, a, b], ensure_ascii=False) + "\n")
    run.stdin.flush()
    m = M()
    want = canon(m.store([] if base is None else [base], copy.deepcopy(a), copy.deepcopy(b)))
    conflicts += len(m.conflicts)
    renames += len(m.renames)
    line = run.stdout.readline()
    if not line:
        sys.exit(f"seed {seed}: the program ended")
    got = shown(json.loads(line))
    if got != want:
        bad += 1
        if bad <= 3:
            at = next((i for i, (x, y) in enumerate(zip(got, want)) if x != y), min(len(got), len(want)))
            print(f"seed {seed} differs:\n  got  ...{got[max(0, at - 150):at + 150]}\n"
                  f"  want ...{want[max(0, at - 150):at + 150]}")
print(f"{count} triples, {conflicts} conflicts, {renames} renames: {bad} differ")
sys.exit(bad > 0 or conflicts == 0 or renames == 0)
PYTHON
