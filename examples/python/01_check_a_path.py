"""Describes a robot and a scene in files, checks two paths and prints the verdicts."""

import json
import pathlib
import tempfile

import proven

# A bar of one metre that turns about z.
URDF = """
<robot name="bar">
  <link name="base"/>
  <link name="bar">
    <collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.02 0.02"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="bar"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "bar.urdf").write_text(URDF)
    # A post of two millimetres: easy to miss by sampling.
    post = {"name": "post", "cylinder": {"radius": 0.001, "length": 1}, "pose": {"xyz": [-0.45, 0.78, 0]}}
    (folder / "cell.json").write_text(
        json.dumps({"proven": 1, "robots": [{"name": "bar", "urdf": "bar.urdf"}], "obstacles": [post]})
    )
    scene = proven.load_scene(folder / "cell.json")

print(scene)
for end in (1.9, 6.0):
    result = proven.check(scene, [[0.0], [end]])
    print(f"turn from 0 to {end:.1f} rad: {result.verdict}")
    if result.collision:
        print(f"  contact at {result.collision['configuration'][0]:.4f} rad")
