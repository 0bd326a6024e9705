#!/usr/bin/env python3
"""break.py SOURCE COPY: a copy of one of the sweeps' sources whose stages can be broken at run time.

Behind each line named below stands `if (broken(BrokenStage::X)) return ...;` in the copy. A line that the source no longer
has is an error: then this table must follow.
"""
import pathlib
import sys

HOOKS = {
    "sweep.cpp": [
        ("void Sweep::look() {\n", "everything", "return;"),
        ("void Sweep::look_at_solids(const SweepModel::Group& group) {\n", "solids", "return;"),
        ("void Sweep::look_at_pairs(const SweepModel::GroupPair& groups) {\n", "pairs", "return;"),
        ("  const float required = body.still_need[still];\n", "balls", "return 0;"),
        ("  const auto balls = model_->balls();\n  std::uint32_t open = 0;\n", "balls", "return 0;"),
        ("  if (!motion_->straight()) return kAllChords;\n", "tables", "return 0;"),
        ("void Sweep::leave(int pair, std::uint32_t chords) {\n", "leave", "return;"),
    ],
    "sweep_outline.cpp": [
        ("  const SweepPoints points = model_->points(body.outline);\n", "outlines", "return 0;"),
        ("  const SweepModel::Outline &of_a = both.a->outline, &of_b = both.b->outline;\n", "outlines", "return 0;"),
        ("std::uint32_t Sweep::narrow_parts(const Facing& both, double need, std::uint32_t open) {\n", "parts", "return 0;"),
    ],
    "batch_host.cpp": [
        ("  State run(const Segment& segment, const Question& question, Found& found) {\n", "batch", "return State::free;"),
        ("    for (const Entry& entry : entries_) {\n", "batch_outlines", "continue;"),
        ("    PieceSearch search(tables_, {poses_.data(), records_.data()});\n", "batch_search", "return State::free;"),
    ],
}

source, copy = map(pathlib.Path, sys.argv[1:])
text = source.read_text()
for line, stage, statement in HOOKS[source.name]:
    if text.count(line) != 1:
        sys.exit(f"{source}: {text.count(line)} times, not once: {line!r} ({__file__} names it)")
    text = text.replace(line, f"{line}  if (broken(BrokenStage::{stage})) {statement}\n")
copy.write_text('#include "broken_sweeps/broken_stage.h"\n' + text)
