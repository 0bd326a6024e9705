"""Builds a roadmap once, without obstacles; then plans for boxes that come and go."""

import proven
from proven import roadmap

scene = proven.built_in_scene("corridor-5")
still = scene.without_obstacles()
model = roadmap.build(still, nodes=300, cell=0.08, planar=True)
print(model)

planner = roadmap.Planner(model, still)
start = [2.0, 0.0, 0.0, 0.0, 0.0]
goal = [0.0, 0.0, 0.0, 0.0, 0.0]
for name, obstacles in (("nothing in the way", still), ("the boxes", scene)):
    planner.set_occupied(roadmap.voxelise(model, obstacles))
    found = planner.plan(start, goal, truth=obstacles)
    print(f"{name}: {len(planner.occupied)} cells occupied, {found}")
    if found.status == "solved":
        print("  checked against the true obstacles:", proven.check(obstacles, found.path).verdict)

# A camera sees points: each takes a cell.
planner.set_occupied(roadmap.voxelise_points(model, [[0.0, 0.9, 0.0], [0.05, 0.9, 0.0]], radius=0.02))
print("two points:", planner.plan(start, goal))
