"""Planning among changing obstacles with a roadmap that was built without them.

    still = scene.without_obstacles()
    model = roadmap.build(still, nodes=400, cell=0.06, planar=True)
    planner = roadmap.Planner(model, still)
    planner.set_occupied(roadmap.voxelise(model, scene))    # cells of the scene's obstacles
    planner.plan(start, goal, truth=scene).path
"""

from ._core import roadmap as _core

Model = _core.Model
Planner = _core.Planner
QueryResult = _core.QueryResult
build = _core.build
load_roadmap = _core.load_roadmap
save_roadmap = _core.save_roadmap
voxelise = _core.voxelise
voxelise_points = _core.voxelise_points

__all__ = [
    "Model",
    "Planner",
    "QueryResult",
    "build",
    "load_roadmap",
    "save_roadmap",
    "voxelise",
    "voxelise_points",
]
