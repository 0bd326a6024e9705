"""URDF and SRDF for the second verifier: which joints follow others, where a virtual joint puts a robot, and where its
meshes are. urdf_words.py says what such files may hold (docs/formats.md, URDF and SRDF)."""
import io
import os
import xml.etree.ElementTree as ElementTree

from meshes import Unreadable, need, number
from urdf_words import check_srdf, words_of_urdf


def parse(file):
    """The root, with names as they are written: prefix and word."""
    with open(file, 'rb') as stream:
        data = stream.read()
    need(b'<!DOCTYPE' not in data and b'<!ENTITY' not in data, f'{file}: document types and entities are not read')
    root, prefixes = None, {'http://www.w3.org/XML/1998/namespace': 'xml'}

    def written(name):
        uri, sign, word = name[1:].partition('}') if name.startswith('{') else ('', '', name)
        return f'{prefixes[uri]}:{word}' if sign and prefixes[uri] else word
    try:
        for event, found in ElementTree.iterparse(io.BytesIO(data), ('start-ns', 'start')):
            if event == 'start-ns':
                need(prefixes.setdefault(found[1], found[0]) == found[0], f'{file}: two prefixes mean the same')
            elif root is None:
                root = found
    except ElementTree.ParseError as error:
        raise Unreadable(f'{file}: not valid XML: {error}') from None
    for element in root.iter():
        element.tag = written(element.tag)
        need(not element.tag.startswith('xacro:'), f'{file}: xacro is not read')
        for name in [name for name in element.attrib if name.startswith('{')]:
            element.set(written(name), element.attrib.pop(name))
    return root


def words_in(element):
    text = (element.text or '').strip()
    need(text and len(element) == 0, f'<{element.tag}> of a coupling holds no text, or more')
    return text


def only(found, what):
    need(len(found) <= 1, f'a coupling says its {what} twice')
    return words_in(found[0]) if found else None


def couplings(root):
    """Follower, leader, multiplier and offset, wherever a URDF says it but in <mimic>."""
    for joint in root.findall('joint'):
        for mimic in joint.findall('drake:mimic'):
            yield joint.get('name'), mimic.get('joint'), mimic.get('multiplier', '1'), mimic.get('offset', '0')
    for joint in root.findall('ros2_control/joint'):
        need(joint.get('mimic', 'true').strip() == 'true', 'a joint of ros2_control does not follow what <mimic> says')
        said = {name: [p for p in joint.findall('param') if p.get('name', '').strip() == name]
                for name in ('mimic', 'multiplier', 'offset')}
        if said['mimic']:
            leader, multiplier, offset = (only(found, name) for name, found in said.items())
            yield joint.get('name'), leader, multiplier or '1', offset or '0'
    for plugin in root.findall('gazebo/plugin'):
        if plugin.find('mimicJoint') is not None:
            follower, leader, multiplier, offset = (only(plugin.findall(name), name)
                                                    for name in ('mimicJoint', 'joint', 'multiplier', 'offset'))
            yield follower, leader, multiplier or '1', offset or '0'


def couple(root):
    """Puts every coupling into the <mimic> of its joint."""
    joints = {joint.get('name'): joint for joint in root.findall('joint')}
    for follower, leader, multiplier, offset in couplings(root):
        joint = joints.get(follower)
        need(joint is not None and leader and joint.get('type') in ('revolute', 'continuous', 'prismatic'),
             f'a coupling of {follower}, which is no joint with one value')
        said, mimic = (leader, number(multiplier), number(offset)), joint.find('mimic')
        if mimic is None:
            mimic = ElementTree.SubElement(joint, 'mimic', {'joint': leader, 'multiplier': multiplier, 'offset': offset})
        known = mimic.get('joint'), number(mimic.get('multiplier', '1')), number(mimic.get('offset', '0'))
        need(said == known, f'joint {follower} follows in two ways')


TYPES = ('fixed', 'revolute', 'continuous', 'prismatic', 'planar', 'floating')
SHAPES = ('box', 'sphere', 'cylinder', 'capsule', 'mesh')


def read_urdf(file, ignore):
    """The robot, and what of the file is left out since somebody said so."""
    root = parse(file)
    need(root.tag == 'robot', f'{file}: is no URDF')
    left_out = words_of_urdf(root, file, ignore)
    for geometry in root.findall('link/collision/geometry'):
        need(len(geometry) == 1 and geometry[0].tag in SHAPES, f'{file}: <geometry> holds one shape')
    for collision in root.findall('link/collision'):
        need(collision.find('geometry') is not None, f'{file}: a <collision> has no <geometry>')
    for kind in ('link', 'joint'):
        names = [element.get('name') for element in root.findall(kind)]
        need(all(names) and len(set(names)) == len(names), f'{file}: a {kind} has no name, or that of another')
    for joint in root.findall('joint'):
        need(joint.get('type') in TYPES, f'{file}: joint {joint.get("name")} is of no type that is known')
    couple(root)
    return root, left_out


def read_srdf(file):
    root = parse(file)
    need(root.tag == 'robot', f'{file}: is no SRDF')
    check_srdf(root, file)
    return root


def with_virtual_joint(root, srdf):
    """The robot of a URDF on the planar or floating joint that its SRDF puts before it."""
    joints = [j for j in srdf.findall('virtual_joint') if root.find(f"link[@name='{j.get('child_link')}']") is not None]
    need(len(joints) <= 1, 'a second virtual joint')
    if not joints or joints[0].get('type') == 'fixed':
        return
    joint, frame, child = joints[0], joints[0].get('parent_frame'), joints[0].get('child_link')
    need(joint.get('type') in ('planar', 'floating'), f'a virtual joint of type {joint.get("type")} is not read')
    need(all(j.find('child').get('link') != child for j in root.findall('joint')), 'a virtual joint hangs on no root')
    need(root.find(f"link[@name='{frame}']") is None, 'the parent of a virtual joint is a link already')
    root.insert(0, ElementTree.fromstring(
        '<joint><parent/><child/><axis xyz="0 0 1"/></joint>'))
    root[0].set('name', joint.get('name'))
    root[0].set('type', joint.get('type'))
    root[0].find('parent').set('link', frame)
    root[0].find('child').set('link', child)
    root.insert(0, ElementTree.Element('link', {'name': frame}))


def find_mesh(name, urdf, packages):
    folder = os.path.dirname(os.path.abspath(urdf))
    if not name.startswith(('package://', 'model://')):
        return os.path.join(folder, name.removeprefix('file://'))
    package, rest = name.split('://', 1)[1].split('/', 1)
    rest = rest.lstrip('/')
    if not package:  # package:///FILE
        tried = [os.path.join('/', rest)]
    else:
        if package in packages:  # there, and nowhere else
            file = os.path.join(packages[package], rest)
            need(os.path.isfile(file), f'{file} is not there, where package {package} is said to be')
            return file
        tried = []
    while True:
        if os.path.basename(folder) == package:
            tried.append(os.path.join(folder, rest))
        tried.append(os.path.join(folder, package, rest))
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)
    folders = lambda name: [f for f in os.environ.get(name, '').split(':') if f]
    tried += [os.path.join(prefix, 'share', package, rest) for prefix in folders('AMENT_PREFIX_PATH') if package]
    for source in folders('ROS_PACKAGE_PATH') if package else []:
        if os.path.basename(source) == package:
            tried.append(os.path.join(source, rest))
        tried.append(os.path.join(source, package, rest))
    return next((file for file in tried if os.path.isfile(file)), tried[0])


def check_packages(packages, root, urdf):
    named = {name.split('://', 1)[1].split('/')[0] for name in (e.get('filename', '') for e in root.iter())
             if name.startswith(('package://', 'model://'))}
    for package, place in packages.items():
        need(os.path.isdir(place), f'package {package} is mapped to {place}, which is no folder')
        need(package in named, f'package {package} is mapped, and {urdf} does not name it')
