"""Plans for PDDL problems, and an independent judge of plans.

    result = task.plan_task("domain.pddl", "problem.pddl", max_seconds=10)
    print(result)                                           # one line per action
    task.validate_plan("domain.pddl", "problem.pddl", result)

What else is known: `result.bound`, which no plan undercuts; `result.found`, how plans got better;
`result.unreached`, parts of the goal that no state reached; `result.replies`, what modules
answered, refusals first.
"""

from ._core import task as _core

ModuleReply = _core.ModuleReply
PlanFound = _core.PlanFound
PlannedAction = _core.PlannedAction
TaskResult = _core.TaskResult
Validation = _core.Validation
plan_task = _core.plan_task
validate_plan = _core.validate_plan

__all__ = [
    "ModuleReply",
    "PlanFound",
    "PlannedAction",
    "TaskResult",
    "Validation",
    "plan_task",
    "validate_plan",
]
