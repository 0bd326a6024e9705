"""Expands xacro files with `proven convert` and with twin.py and compares what comes out.

compare.py PROGRAM DATA: DATA is the folder of shared data, which may be absent.
"""
import itertools
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom

import cases
import twin

PROGRAM, DATA = sys.argv[1], os.path.join(os.path.abspath(sys.argv[2]), 'xacro')
HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'


def canonical(node):
    """(name, attributes, contents) without namespaces and without blanks around and between texts."""
    if isinstance(node, tuple):
        name, attributes, contents = node
    else:
        name, attributes, contents = node.tagName, dict(node.attributes.items()), [
            child if child.nodeType == twin.ELEMENT else child.data for child in node.childNodes
            if child.nodeType in (twin.ELEMENT, twin.TEXT, twin.CDATA)]
    made = []
    for child in contents:
        if not isinstance(child, str):
            made.append(canonical(child))
        elif made and isinstance(made[-1], str):
            made[-1] += child
        else:
            made.append(child)
    made = [' '.join(child.split()) if isinstance(child, str) else child for child in made]
    # XML makes blanks of line breaks in attributes.
    attributes = {k: v.translate(str.maketrans('\t\n\r', '   ')) for k, v in attributes.items()}
    return name, {k: v for k, v in attributes.items() if not k.startswith('xmlns')}, [c for c in made if c]


def by_twin(path, arguments, packages):
    try:
        return canonical(twin.expand(path, arguments, packages)), ''
    except RecursionError:
        return None, 'endless'
    except Exception as error:
        return None, f'{type(error).__name__}: {error}'


def by_program(path, arguments, packages):
    command = [PROGRAM, 'convert', path] + [f'--arg={k}={v}' for k, v in dict(arguments).items()]
    command += [f'--package={k}={v}' for k, v in packages.items()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return canonical(xml.dom.minidom.parseString(done.stdout).documentElement), ''
    if done.returncode != 4 or not done.stderr.strip():
        return None, f'CRASH {done.returncode} {done.stderr}'
    return None, done.stderr.strip()


class Count:
    same = refused = both_refuse = more = 0
    wrong = []
    refusals = []


def compare(what, path, arguments=(), packages=None):
    ours, why = by_program(path, arguments, packages or {})
    theirs, reason = by_twin(path, arguments, packages or {})
    if why.startswith('CRASH'):
        Count.wrong.append(f'{what}: {why}')
    elif ours is None and theirs is None:
        Count.both_refuse += 1
    elif ours is None:
        Count.refused += 1
        Count.refusals.append((what, why))
    elif theirs is None:
        Count.more += 1
        Count.wrong.append(f'{what}: read as {ours}, but: {reason}')
    elif ours != theirs:
        Count.wrong.append(f'{what}:\n  ours   {ours}\n  theirs {theirs}')
    else:
        Count.same += 1


def real_files():
    ur, franka = os.path.join(DATA, 'ur_description'), os.path.join(DATA, 'franka_description')
    packages = {'ur_description': ur}
    types = ('ur3', 'ur3e', 'ur5', 'ur5e', 'ur10', 'ur10e', 'ur16e', 'ur20', 'ur30')
    extras = ({}, {'tf_prefix': 'left_'}, {'safety_limits': 'true', 'safety_pos_margin': '0.1'}, {'force_abs_paths': 'true'},
              {'tf_prefix': 'a_', 'safety_limits': 'true', 'safety_k_position': '7', 'force_abs_paths': '1'})
    for name, kind, extra in itertools.product(('ur', 'ur_mocked'), types, extras):
        yield f'{name} {kind} {extra}', f'{ur}/urdf/{name}.urdf.xacro', {'name': 'x', 'ur_type': kind, **extra}, packages
    packages = {'franka_description': franka, 'franka_gazebo_bringup': franka}
    options = ({}, {'hand': 'false'}, {'ee_id': 'cobot_pump'}, {'ee_id': 'none'}, {'with_sc': 'true'}, {'gazebo': 'true'},
               {'ros2_control': 'true'}, {'ros2_control': 'true', 'use_fake_hardware': 'true'}, {'arm_prefix': 'left'},
               {'no_prefix': 'true'}, {'ros2_control': 'true', 'gazebo': 'true', 'gazebo_effort': 'true'},
               {'arm_prefix': 'b', 'with_sc': 'true', 'hand': 'false'}, {'ros2_control': 'true', 'robot_ip': '10.0.0.1'})
    for arm, extra in itertools.product(('fr3', 'fer', 'fp3'), options):
        used = dict(packages) if extra.get('gazebo') and extra.get('ros2_control') else {'franka_description': franka}
        yield f'{arm} {extra}', f'{franka}/robots/{arm}/{arm}.urdf.xacro', extra, used
    for extra in ({}, {'with_sc': 'true'}, {'hand': 'false'}, {'ros2_control': 'true'}):
        yield f'multi_arm {extra}', f'{franka}/robots/multi_arm/multi_arm.urdf.xacro', extra, {'franka_description': franka}
    for name, extra in itertools.product(('franka_hand', 'cobot_pump'), ({}, {'with_sc': 'true'}, {'arm_id': 'fr3'})):
        yield (f'{name} {extra}', f'{franka}/end_effectors/{name}/{name}.urdf.xacro', extra, {'franka_description': franka})


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)
    return path


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in cases.FILES.items():
            write(folder, name, text)
        for i, (inside, arguments) in enumerate(cases.documents()):
            compare(inside, write(folder, f'case{i}.xacro', HEAD + inside + '\n</robot>\n'), arguments,
                    {'pack': folder + '/pack'} if '$(find pack)' in inside else {})
        generated = Count.same + Count.refused + Count.both_refuse
        if os.path.isdir(DATA):
            for what, path, arguments, packages in real_files():
                before = Count.refused + Count.both_refuse
                compare(what, path, arguments, packages)
                if Count.refused + Count.both_refuse > before and not what.endswith(cases.REFUSED_REAL):
                    Count.wrong.append(f'{what}: refused: {by_program(path, arguments, packages)[1]} '
                                       f'{by_twin(path, arguments, packages)[1]}')
        else:
            print('no shared data: real files were not compared')
    expected = [inside for inside in cases.REFUSED]
    for what, why in Count.refusals:
        print(f'refused: {what!r}: {why}')
        if not any(part in what for part in expected):
            Count.wrong.append(f'{what}: refused, but xacro reads it: {why}')
    for wrong in Count.wrong:
        print('WRONG', wrong)
    print(f'{generated} documents of ours; in all {Count.same} the same, {Count.both_refuse} refused by both, '
          f'{Count.refused} refused though xacro reads them, {len(Count.wrong)} wrong')
    if Count.same < 300 or Count.both_refuse < 30:
        sys.exit('too few cases')
    sys.exit(1 if Count.wrong else 0)


main()
