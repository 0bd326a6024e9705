"""The words of URDF files (docs/formats.md, URDF), for the second verifier: what is read, what is known to neither hold
nor move a body, and what a user wants to be passed over. Anything else is refused."""
import collections

from meshes import need

# By the place of an element; a word after '~' is skipped. First attributes, then elements.
PLACES = {
    'robot': ('name version path',
              'link joint mujoco ignored ~material ~transmission ~gazebo ~ros2_control ~sensor ~model_state ~frame '
              '~fixed_frame ~self_filter ~collision_filter_group ~collision_checking ~self_collision_checking ~force_element ~bullet'),
    'link': ('name type ~concave ~group ~dont_collapse',
             'collision ~visual ~inertial ~material ~dynamics ~contact ~sensor ~gazebo ~verbose ~map ~gravity ~turnGravityOff '
             '~mu1 ~mu2 ~kp ~kd ~self_filter ~self_collide ~selfCollide ~collision_checking ~self_collision_checking ~audio_source '
             '~bullet'),
    'collision': ('name ~concave ~group',
                  'origin geometry ~material ~verbose ~contact ~contact_coefficients ~surface ~friction ~bounce '
                  '~max_contacts ~map ~self_filter ~drake_compliance ~bullet'),
    'geometry': ('', 'box sphere cylinder capsule mesh'),
    'origin': ('xyz rpy rotation', ''),
    'box': ('size', ''),
    'sphere': ('radius', ''),
    'cylinder': ('radius length', ''),
    'capsule': ('radius length', ''),
    'mesh': ('filename scale convex', ''),
    'joint': ('name type ~dont_collapse',
              'parent child origin axis limit mimic ~dynamics ~calibration ~safety_controller ~joint_properties '
              '~hardwareInterface ~verbose ~map ~physics ~sensor ~gazebo ~transmission ~material ~actuator ~friction '
              '~self_filter ~command_effort ~implicitSpringDamper ~provideFeedback ~dont_collapse ~preserveFixedJoint '
              '~disableFixedJointLumping ~disable_fixed_joint_lumping ~bullet'),
    'parent': ('link', ''),
    'child': ('link', ''),
    'axis': ('xyz rpy', ''),
    'limit': ('lower upper velocity acceleration effort ~command_effort ~current ~friction ~damping', ''),
    'mimic': ('joint multiplier offset', ''),
    'ignored': ('element count', ''),
    'mujoco': ('', 'compiler ~option ~size'),
    'compiler': ('angle coordinate ~autolimits ~boundmass ~boundinertia ~settotalmass ~balanceinertia ~strippath ~fitaabb '
                 '~meshdir ~texturedir ~assetdir ~discardvisual ~convexhull ~usethread ~fusestatic ~inertiafromgeom '
                 '~exactmeshinertia ~inertiagrouprange ~saveinertial ~alignfree', '~lengthrange'),
}


def split(words):
    known = [word.removeprefix('~') for word in words.split()]
    return known, [word for word in words.split() if not word.startswith('~')]


class Words:
    def __init__(self, ignore):
        self.ignore, self.ignored = set(ignore), collections.Counter()

    def check(self, element, is_root=False):
        attributes, elements = PLACES[element.tag]
        known, _ = split(attributes)
        for name in element.attrib:
            if name not in known and '}' not in name and ':' not in name:
                need(name in self.ignore, f'unknown attribute {name} of <{element.tag}>')
                self.ignored[f"'{name}' of <{element.tag}>"] += 1
        texts = [element.text] + [child.tail for child in element]
        need(is_root or not any(text and text.strip() for text in texts), f'<{element.tag}> holds a text')
        need(element.tag != 'geometry' or len(element) == 1, '<geometry> holds one shape')
        known, read = split(elements)
        for child in element:
            if child.tag in read:
                self.check(child)
            elif child.tag not in known and '}' not in child.tag and ':' not in child.tag:
                need(child.tag in self.ignore, f'unknown element <{child.tag}> in <{element.tag}>')
                self.ignored[f'<{child.tag}> in <{element.tag}>'] += 1


def left_out(root, ignore):
    """What is passed over since somebody said so, now or when the file was written, and how often."""
    need(root.tag == 'robot', 'a URDF has the root <robot>')
    words = Words(ignore)
    words.check(root, True)
    for axis in root.findall('joint/axis'):
        need([float(x) for x in axis.get('rpy', '0 0 0').split()] == [0, 0, 0], "'rpy' of an axis means nothing, so it is 0 0 0")
    for compiler in root.findall('mujoco/compiler'):
        need(compiler.get('angle', 'radian') == 'radian' and compiler.get('coordinate', 'local') == 'local',
             'angles of a URDF are in radians, and frames are local')
    for was in root.findall('ignored'):
        count = float(was.get('count', 0))
        need(was.get('element', '').strip() and 1 <= count <= 1e6 and count == int(count),
             '<ignored> names what was left out, and how often')
        words.ignored[was.get('element')] += int(count)
    return [f'{what} ({count})' for what, count in sorted(words.ignored.items(), key=lambda item: item[0].encode())]
