# Makes otava.json: series of runs, and the changes that Apache Otava 0.8.0 finds in them.
#   python3 -m venv v && v/bin/pip install apache-otava==0.8.0 && v/bin/python judge_otava.py > otava.json
# "at" is what the release finds. "corrected" is what it finds with two repairs: a change that is
# joined lets the change before it, too, be judged again, and variances are those of samples
# (n-1).
import json
import types

import numpy as np
from otava import analysis

source = open(analysis.__file__).read()
for old, new in (
    ("recompute(weakest_cp_index)\n        recompute(weakest_cp_index + 1)", "recompute(weakest_cp_index - 1)\n        recompute(weakest_cp_index)"),
    ("np.std(left) if", "np.std(left, ddof=1) if"),
    ("np.std(right) if", "np.std(right, ddof=1) if"),
):
    assert old in source
    source = source.replace(old, new)
corrected = types.ModuleType(analysis.__name__)
exec(compile(source, "corrected", "exec"), corrected.__dict__)


def changes(module, series):
    # One window that holds the whole series.
    points, _ = module.compute_change_points(series.copy(), window_len=2 * len(series), max_pvalue=0.001, min_magnitude=0.0)
    return [int(p.index) for p in points]


rng = np.random.default_rng(20)
cases = []
for i in range(60):
    n = int(rng.integers(8, 200))
    level = np.ones(n)
    for _ in range(int(rng.integers(0, 5))):
        level[int(rng.integers(1, n)):] *= 1 + rng.choice([-1, 1]) * rng.uniform(0.02, 0.2)
    noise = rng.normal(1, rng.uniform(0.005, 0.03), n)
    if i % 4 == 3:
        noise[rng.random(n) < 0.05] *= 0.7
    series = np.round(1000 * level * noise, 2)
    cases.append({"values": series.tolist(), "at": changes(analysis, series), "corrected": changes(corrected, series)})
print("[" + ",\n".join(json.dumps(c) for c in cases) + "]")
