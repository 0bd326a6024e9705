"""The words of URDF and SRDF files (docs/formats.md), for the second verifier: what is read, what is known to neither
hold nor move a body, and what a user wants to be passed over. Anything else is refused."""
import collections

from meshes import need, number

# By "parent/element" or "element": attributes, then elements. A word after '~' is skipped; an element after '!' stands
# there once at most.
URDF = {
    'robot': ('name version path',
              'link joint mujoco ignored ~material ~transmission ~gazebo ~ros2_control ~sensor ~model_state ~frame '
              '~fixed_frame ~self_filter ~collision_filter_group ~collision_checking ~self_collision_checking ~force_element ~bullet'),
    'link': ('name type ~concave ~group ~dont_collapse',
             'collision ~visual ~inertial ~material ~dynamics ~contact ~sensor ~gazebo ~verbose ~map ~gravity ~turnGravityOff '
             '~mu1 ~mu2 ~kp ~kd ~self_filter ~self_collide ~selfCollide ~collision_checking ~self_collision_checking ~audio_source '
             '~bullet'),
    'collision': ('name ~concave ~group',
                  '!origin !geometry ~material ~verbose ~contact ~contact_coefficients ~surface ~friction ~bounce '
                  '~max_contacts ~map ~self_filter ~drake_compliance ~bullet'),
    'geometry': ('', 'box sphere cylinder capsule mesh'),
    'origin': ('xyz rpy rotation', ''),
    'box': ('size', ''),
    'sphere': ('radius', ''),
    'cylinder': ('radius length', ''),
    'capsule': ('radius length', ''),
    'mesh': ('filename scale convex', ''),
    'joint': ('name type ~dont_collapse',
              '!parent !child !origin !axis !limit !mimic !drake:mimic ~dynamics ~calibration ~safety_controller ~joint_properties '
              '~hardwareInterface ~verbose ~map ~physics ~sensor ~gazebo ~transmission ~material ~actuator ~friction '
              '~self_filter ~command_effort ~implicitSpringDamper ~provideFeedback ~dont_collapse ~preserveFixedJoint '
              '~disableFixedJointLumping ~disable_fixed_joint_lumping ~bullet'),
    'parent': ('link', ''),
    'child': ('link', ''),
    'axis': ('xyz rpy', ''),
    'limit': ('lower upper velocity acceleration effort drake:acceleration ~command_effort ~current ~friction ~damping', ''),
    'mimic': ('joint multiplier offset', ''),
    'drake:mimic': ('joint multiplier offset', ''),
    'ignored': ('element count', ''),
    'mujoco': ('', 'compiler ~option ~size'),
    'compiler': ('angle coordinate ~autolimits ~boundmass ~boundinertia ~settotalmass ~balanceinertia ~strippath ~fitaabb '
                 '~meshdir ~texturedir ~assetdir ~discardvisual ~convexhull ~usethread ~fusestatic ~inertiafromgeom '
                 '~exactmeshinertia ~inertiagrouprange ~saveinertial ~alignfree', '~lengthrange'),
}
SRDF = {
    'robot': ('name version',
              'group group_state end_effector virtual_joint disable_collisions ~passive_joint ~joint_property '
              '~link_sphere_approximation ~group_tcps ~kinematics_plugin_config ~contact_managers_plugin_config '
              '~calibration_config'),
    'group': ('name', 'joint link chain group ~passive_joint'),
    **{'group/' + member: ('name', '') for member in ('joint', 'link', 'group')},
    'chain': ('base_link tip_link', ''),
    'group_state': ('name group', 'joint'),
    'group_state/joint': ('name value', ''),
    'end_effector': ('name parent_link group parent_group', ''),
    'virtual_joint': ('name type parent_frame child_link', ''),
    'disable_collisions': ('link1 link2 reason', ''),
}
# Elements of Drake: pairs that it leaves out, motors, friction, looks.
OF_OTHERS = {'drake:' + word for word in (
    'accepting_renderer', 'collision_filter_group', 'controller_gains', 'declare_convex', 'diffuse_map', 'gear_ratio',
    'hydroelastic', 'illustration_properties', 'linear_bushing_rpy', 'perception_properties', 'proximity_properties',
    'rotor_inertia')}
OF_XML = ('xmlns:', 'xml:', 'xsi:')  # attributes


class Words:
    """A table, and what is passed over: by names that a user gives, and how often."""
    def __init__(self, table, file, ignore=()):
        self.table, self.file, self.ignore, self.ignored = table, file, set(ignore), collections.Counter()
        self.read = {word.lstrip('!') for _, elements in table.values() for word in elements.split() if word[0] != '~'}

    def pass_over(self, name, what, where):
        need(name in self.ignore, f'{self.file}: unknown {what} in <{where}>')
        self.ignored[f"{what} {'in' if what[0] == '<' else 'of'} <{where}>"] += 1

    def check(self, element, parent=None):
        name = element.tag
        attributes, elements = self.table.get(f'{parent}/{name}') or self.table[name]
        attributes, elements = attributes.split(), elements.split()
        for attribute in element.attrib:
            if attribute not in attributes and '~' + attribute not in attributes and not attribute.startswith(OF_XML):
                self.pass_over(attribute, f"'{attribute}'", name)
        texts = [element.text] + [child.tail for child in element]
        need(parent is None or not any(text and text.strip() for text in texts), f'{self.file}: <{name}> holds a text')
        for child in element:
            single = '!' + child.tag in elements
            need(not single or len(element.findall(child.tag)) == 1, f'{self.file}: several <{child.tag}> in <{name}>')
            if single or child.tag in elements:
                self.check(child, name)
            elif '~' + child.tag not in elements and not self.of_others(child.tag, parent is None):
                self.pass_over(child.tag, f'<{child.tag}>', name)

    def of_others(self, name, in_root):
        """Elements with a prefix: deep inside a robot each may say where things are, if it is not known to say nothing."""
        prefix, _, word = name.rpartition(':')
        return name in OF_OTHERS or bool(in_root and prefix and word not in self.read and not word.endswith('_constraint'))


def words_of_urdf(root, file, ignore):
    """What is passed over since somebody said so, now or when the file was written, and how often."""
    words = Words(URDF, file, ignore)
    words.check(root)
    for axis in root.findall('joint/axis'):
        need([number(x) for x in axis.get('rpy', '0 0 0').split()] == [0, 0, 0], "'rpy' of an axis means nothing, so it is 0 0 0")
    for compiler in root.findall('mujoco/compiler'):
        need(compiler.get('angle', 'radian') == 'radian' and compiler.get('coordinate', 'local') == 'local',
             'angles of a URDF are in radians, and frames are local')
    for was in root.findall('ignored'):
        count = number(was.get('count', '0'))
        need(was.get('element', '').strip() and 1 <= count <= 1e6 and count == int(count),
             '<ignored> names what was left out, and how often')
        words.ignored[was.get('element')] += int(count)
    return [f'{what} ({count})' for what, count in sorted(words.ignored.items(), key=lambda item: item[0].encode())]


def check_srdf(root, file):
    Words(SRDF, file).check(root)
