"""URDF and SRDF for the second verifier: what such files may hold, and which joints follow others. What says nothing of
bodies, joints and pairs is passed over; everything else that is not known is refused (docs/formats.md, URDF and SRDF)."""
import io
import xml.etree.ElementTree as ElementTree

from meshes import Unreadable, need, number

# By "parent/element" or "element": attributes, children that are read, children that are passed over, and of which
# children there is one at most.
SIZES = {'box': ('size',), 'sphere': ('radius',), 'cylinder': ('radius', 'length'), 'capsule': ('radius', 'length'),
         'mesh': ('filename', 'scale', 'convex')}
COUPLED = ('joint', 'multiplier', 'offset')
PARTS = ('parent', 'child', 'origin', 'axis', 'limit', 'mimic', 'drake:mimic')
URDF = {
    'robot': (('name', 'version', 'path'), ('link', 'joint'),
              ('material', 'transmission', 'gazebo', 'ros2_control', 'sensor'), ()),
    'link': (('name', 'type'), ('collision',), ('visual', 'inertial', 'contact', 'sensor', 'gazebo'), ()),
    'collision': (('name',), ('origin', 'geometry'), ('material', 'verbose'), ('origin', 'geometry')),
    'geometry': ((), tuple(SIZES), (), ()),
    'origin': (('xyz', 'rpy', 'rotation'), (), (), ()),
    'joint': (('name', 'type'), PARTS, ('dynamics', 'calibration', 'safety_controller'), PARTS),
    'parent': (('link',), (), (), ()), 'child': (('link',), (), (), ()), 'axis': (('xyz',), (), (), ()),
    'limit': (('lower', 'upper', 'velocity', 'acceleration', 'effort', 'drake:acceleration'), (), (), ()),
    'mimic': (COUPLED, (), (), ()), 'drake:mimic': (COUPLED, (), (), ()),
    **{shape: (sizes, (), (), ()) for shape, sizes in SIZES.items()}}
SRDF = {
    'robot': (('name', 'version'), ('group', 'group_state', 'end_effector', 'virtual_joint', 'disable_collisions'),
              ('passive_joint', 'joint_property', 'link_sphere_approximation', 'group_tcps', 'kinematics_plugin_config',
               'contact_managers_plugin_config', 'calibration_config'), ()),
    'group': (('name',), ('joint', 'link', 'chain', 'group'), ('passive_joint',), ()),
    **{'group/' + member: (('name',), (), (), ()) for member in ('joint', 'link', 'group')},
    'chain': (('base_link', 'tip_link'), (), (), ()),
    'group_state': (('name', 'group'), ('joint',), (), ()), 'group_state/joint': (('name', 'value'), (), (), ()),
    'end_effector': (('name', 'parent_link', 'group', 'parent_group'), (), (), ()),
    'virtual_joint': (('name', 'type', 'parent_frame', 'child_link'), (), (), ()),
    'disable_collisions': (('link1', 'link2', 'reason'), (), (), ())}
# Of Drake: pairs that it leaves out, motors, friction, looks.
OF_OTHERS = {'drake:' + word for word in (
    'accepting_renderer', 'collision_filter_group', 'controller_gains', 'declare_convex', 'diffuse_map', 'gear_ratio',
    'hydroelastic', 'illustration_properties', 'linear_bushing_rpy', 'perception_properties', 'proximity_properties',
    'rotor_inertia')}
OF_XML = ('xmlns', 'xml', 'xsi')


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
        for name in [name for name in element.attrib if name.startswith('{')]:
            element.set(written(name), element.attrib.pop(name))
    return root


def check(element, rules, file, parent=None):
    name = element.tag
    rule = rules.get(f'{parent}/{name}', rules.get(name))
    attributes, children, passed, single = rule
    for attribute in element.attrib:
        need(attribute in attributes or attribute.split(':')[0] in OF_XML, f'{file}: unknown attribute {attribute} of <{name}>')
    words = {word for _, known, _, _ in rules.values() for word in known}
    for child in element:
        if child.tag in passed or child.tag in OF_OTHERS:
            continue
        if child.tag not in children:
            word = child.tag.rpartition(':')[2]
            need(parent is None and ':' in child.tag and word not in words and not child.tag.startswith('xacro:')
                 and not word.endswith('_constraint'), f'{file}: unknown element <{child.tag}> in <{name}>')
            continue
        need(child.tag not in single or len(element.findall(child.tag)) == 1, f'{file}: several <{child.tag}> in <{name}>')
        check(child, rules, file, name)
    texts = [element.text] + [child.tail for child in element]
    need(parent is None or not any(text and text.strip() for text in texts), f'{file}: <{name}> holds a text')


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


def read_urdf(file):
    root = parse(file)
    need(root.tag == 'robot', f'{file}: is no URDF')
    check(root, URDF, file)
    for geometry in root.findall('link/collision/geometry'):
        need(len([shape for shape in geometry if shape.tag in SIZES]) == 1 == len(geometry), f'{file}: <geometry> holds one shape')
    for collision in root.findall('link/collision'):
        need(collision.find('geometry') is not None, f'{file}: a <collision> has no <geometry>')
    for kind in ('link', 'joint'):
        names = [element.get('name') for element in root.findall(kind)]
        need(all(names) and len(set(names)) == len(names), f'{file}: a {kind} has no name, or that of another')
    couple(root)
    return root


def read_srdf(file):
    root = parse(file)
    need(root.tag == 'robot', f'{file}: is no SRDF')
    check(root, SRDF, file)
    return root
