"""Plans for PDDL problems, and an independent judge of plans.

    result = task.plan_task("domain.pddl", "problem.pddl", max_seconds=10)
    print(result)                                           # one line per action
    task.validate_plan("domain.pddl", "problem.pddl", result)
"""

from ._core import task as _core

PlannedAction = _core.PlannedAction
TaskResult = _core.TaskResult
Validation = _core.Validation
plan_task = _core.plan_task
validate_plan = _core.validate_plan

__all__ = ["PlannedAction", "TaskResult", "Validation", "plan_task", "validate_plan"]
