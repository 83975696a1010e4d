"""toulbar2 in a process of its own: problems in, one JSON value per line, answers out.

toulbar2 keeps Python's lock and global state while it solves; here it can be stopped, and disturbs
nobody. Costs are whole numbers; null is forbidden.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from typing import IO, Any


def main() -> None:
    """Answer until the input ends."""
    # What toulbar2 prints must not be among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    import pytoulbar2

    _say(answers, {"ready": True})
    for line in sys.stdin:
        _say(answers, _solved(pytoulbar2, json.loads(line)))


def _say(answers: IO[str], answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _solved(pytoulbar2: Any, problem: dict[str, Any]) -> dict[str, Any]:
    limit = problem["seconds"]
    started = time.process_time()
    network = pytoulbar2.CFN(resolution=0)
    try:
        for number, size in enumerate(problem["sizes"]):
            network.AddVariable(f"x{number}", range(size))
        for scope, costs in problem["tables"]:
            network.AddFunction(scope, [math.inf if cost is None else cost for cost in costs])
        for terms, sign, number in problem["sums"]:
            network.AddGeneralizedLinearConstraint([tuple(term) for term in terms], sign, number)
        found = network.Solve(timeLimit=0 if limit is None else limit)
    except network.Contradiction:
        return {"status": "infeasible"}
    bound = round(network.GetDDualBound())
    limited = limit is not None and time.process_time() - started >= 0.9 * limit
    if found is None:
        return {"status": "limit"} if limited else {"status": "infeasible"}
    cost = round(found[1])
    status = "limit" if limited and bound < cost else "optimal"
    nodes = int(network.GetNbNodes())
    values = [int(value) for value in found[0]]
    return {"status": status, "values": values, "cost": cost, "bound": bound, "nodes": nodes}


if __name__ == "__main__":
    main()
