"""CommonRoad scenarios (2018b, 2020a) for traffic.py: read with expat, and held against what the formats allow.

Every element has a rule by its name, or by its parent's and its own; what has none, and what lacks a part, is no
scenario. Places, tags and intersections are passed over by name.
"""
import re
import xml.parsers.expat


class Unreadable(Exception):
    pass


class Element:
    def __init__(self, tag, attributes, line, parent):
        self.tag, self.attributes, self.line, self.parent = tag, attributes, line, parent
        self.children, self.texts = [], ['']

    def fail(self, message):
        raise Unreadable(f'line {self.line}: <{self.tag}>: {message}')

    def all(self, *tags):
        return [c for c in self.children if c.tag in tags]

    def find(self, tag):
        found = self.all(tag)
        return found[0] if found else None

    def number(self, tag=None):
        return float((self.find(tag) if tag else self).text())

    def text(self):
        """What stands in it: one piece, which comments do not cut."""
        pieces = [t.strip(BLANKS) for t in self.texts if t.strip(BLANKS)]
        if len(pieces) != 1 or self.children:
            self.fail('expected one text')
        return pieces[0]


BLANKS = ' \t\r\n'
NUMBER = re.compile(r'[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?')
WHOLE = re.compile(r'[-+]?[0-9]+')


def parse(file):
    root, top = [], []
    parser = xml.parsers.expat.ParserCreate()
    parser.buffer_text = True

    def begin(tag, attributes):
        e = Element(tag, attributes, parser.CurrentLineNumber, top[-1] if top else None)
        (top[-1].children if top else root).append(e)
        if top:
            top[-1].texts.append('')
        top.append(e)

    def text(data):
        top[-1].texts[-1] += data

    def cut(_):
        if top:
            top[-1].texts.append('')

    def refuse(*_):
        raise Unreadable(f'line {parser.CurrentLineNumber}: document types, instructions and CDATA are not read')

    parser.StartElementHandler, parser.CharacterDataHandler, parser.CommentHandler = begin, text, cut
    parser.EndElementHandler = lambda tag: top.pop()
    parser.StartDoctypeDeclHandler = parser.StartCdataSectionHandler = refuse
    parser.ProcessingInstructionHandler = lambda *_: refuse() if top else None
    with open(file, 'rb') as data:
        try:
            parser.ParseFile(data)
        except xml.parsers.expat.ExpatError as error:
            raise Unreadable(f'not valid XML: {error}')
    return root[0]


# --- what may stand where: (exactly once, at most once, any number of times, attributes)

def rule(once='', maybe='', many='', attributes=''):
    return tuple(words.split() for words in (once, maybe, many, attributes))


OF_STATES = '''velocity acceleration yawRate slipAngle steeringAngle rollAngle rollRate pitchAngle pitchRate velocityY
    positionZ velocityZ rollAngleFront rollRateFront velocityYFront positionZFront velocityZFront rollAngleRear
    rollRateRear velocityYRear positionZRear velocityZRear leftFrontWheelAngularSpeed rightFrontWheelAngularSpeed
    leftRearWheelAngularSpeed rightRearWheelAngularSpeed deltaYFront deltaYRear curvature curvatureChange jerk
    jounce'''
SIGNALS = 'horn indicatorLeft indicatorRight brakingLights hazardWarningLights flashingBlueLights'
POINT, VALUE, REFERENCE = rule('x y', 'z'), rule('', 'exact intervalStart intervalEnd'), rule(attributes='ref')
STATE, SIGNAL = rule('position orientation time', OF_STATES), rule('time', SIGNALS)
BOUND, ADJACENT = rule('', 'lineMarking', 'point'), rule(attributes='ref drivingDir')

RULES = {
    'commonRoad': rule('', '', '''location scenarioTags intersection lanelet trafficSign trafficLight obstacle
        staticObstacle dynamicObstacle environmentObstacle phantomObstacle planningProblem'''),
    'point': POINT, 'center': POINT,
    'rectangle': rule('length width', 'orientation center'),
    'circle': rule('radius', 'center'),
    'polygon': rule('', '', 'point'),
    'shape': rule('', '', 'rectangle circle polygon'),
    'position': rule('', 'point', 'rectangle circle polygon lanelet'),
    'position/lanelet': REFERENCE,
    'orientation': VALUE, 'time': VALUE, 'state': STATE, 'initialState': STATE,
    'signalState': SIGNAL, 'initialSignalState': SIGNAL, 'signalSeries': rule('', '', 'signalState'),
    'trajectory': rule('', '', 'state'),
    'occupancySet': rule('', '', 'occupancy'),
    'occupancy': rule('shape time'),
    'staticObstacle': rule('type shape initialState', 'initialSignalState signalSeries', '', 'id'),
    'dynamicObstacle': rule('type shape initialState', 'initialSignalState signalSeries trajectory occupancySet',
                            '', 'id'),
    'obstacle': rule('role type shape initialState', 'initialSignalState signalSeries trajectory occupancySet',
                     '', 'id'),
    'environmentObstacle': rule('type shape', attributes='id'),
    'phantomObstacle': rule('occupancySet', attributes='id'),
    'planningProblem': rule('initialState', '', 'goalState', 'id'),
    'planningProblem/initialState': rule('position velocity orientation yawRate slipAngle time', 'acceleration'),
    'goalState': rule('time', 'position orientation velocity'),
    'lanelet': rule('leftBound rightBound', 'adjacentLeft adjacentRight stopLine speedLimit', '''predecessor successor
        laneletType userOneWay userBidirectional trafficSignRef trafficLightRef''', 'id'),
    'leftBound': BOUND, 'rightBound': BOUND, 'adjacentLeft': ADJACENT, 'adjacentRight': ADJACENT,
    'predecessor': REFERENCE, 'successor': REFERENCE, 'trafficSignRef': REFERENCE, 'trafficLightRef': REFERENCE,
    'stopLine': rule('lineMarking', '', 'point trafficSignRef trafficLightRef'),
    'trafficSign': rule('', 'position', 'trafficSignElement virtual', 'id'),
    'trafficSignElement': rule('trafficSignID', '', 'additionalValue'),
    'trafficLight': rule('', 'cycle position direction active', '', 'id'),
    'cycle': rule('', 'timeOffset', 'cycleElement'),
    'cycleElement': rule('duration color'),
    **{name: VALUE for name in OF_STATES.split()},
}
PASSED = {'location', 'scenarioTags', 'intersection', 'trafficSign/position', 'trafficLight/position', 'direction'}
NUMBERS = set('''x y z length width radius exact intervalStart intervalEnd speedLimit
    rectangle/orientation'''.split())
STEPS = {'time/exact', 'time/intervalStart', 'time/intervalEnd', 'duration', 'timeOffset'}
ROAD_USERS = 'car truck bus motorcycle bicycle pedestrian priorityVehicle train taxi'
TRUTH = 'true false 1 0'
WORDS = {
    'role': 'static dynamic',
    'type': ROAD_USERS + ' unknown parkedVehicle constructionZone roadBoundary building pillar median_strip',
    'lineMarking': '''dashed solid broad_dashed broad_solid unknown no_marking solid_solid dashed_dashed solid_dashed
        dashed_solid curb lowered_curb''',
    'laneletType': '''urban interstate country highway sidewalk crosswalk busLane bicycleLane exitRamp mainCarriageWay
        accessRamp shoulder driveWay busStop intersection border parking restricted unknown''',
    'userOneWay': ROAD_USERS + ' vehicle', 'userBidirectional': ROAD_USERS + ' vehicle',
    'color': 'red redYellow green yellow inactive',
    'virtual': TRUTH, 'active': TRUTH, **{name: TRUTH for name in SIGNALS.split()},
}
# Of which at least one must be there.
SOME = {
    'polygon': 'point', 'shape': 'rectangle circle polygon', 'position': 'point rectangle circle polygon lanelet',
    'trajectory': 'state', 'occupancySet': 'occupancy', 'signalSeries': 'signalState', 'planningProblem': 'goalState',
    'leftBound': 'point', 'rightBound': 'point', 'trafficSign': 'trafficSignElement', 'cycle': 'cycleElement',
}
ROOT_ATTRIBUTES = 'commonRoadVersion timeStepSize benchmarkID date author affiliation source tags'.split()


def look_up(table, e):
    """The key for an element: with its parent's name, or without."""
    for key in ([f'{e.parent.tag}/{e.tag}'] if e.parent else []) + [e.tag]:
        if key in table:
            return key
    return None


def check_leaf(e):
    if e.attributes:
        e.fail('unknown attributes')
    text = e.text()
    if look_up(STEPS, e):
        if not NUMBER.fullmatch(text) or not 0 <= float(text) <= 1e9 or float(text) != int(float(text)):
            e.fail(f"'{text}' is no step")
    elif look_up(NUMBERS, e):
        if not NUMBER.fullmatch(text) or float(text) in (float('inf'), float('-inf')):
            e.fail(f"'{text}' is no finite number")
    elif e.tag in WORDS and text not in WORDS[e.tag].split():
        e.fail(f"unknown word '{text}'")


def check_attributes(e, names):
    for name in e.attributes:
        if name not in names:
            e.fail(f"unknown attribute '{name}'")
    for name in names:
        value = e.attributes.get(name, '')
        if not (value in ('same', 'opposite') if name == 'drivingDir' else WHOLE.fullmatch(value)):
            e.fail(f"'{name}' is missing or wrong")


def check_children(e, rules):
    once, maybe, many, attributes = rules
    if e.parent:
        check_attributes(e, attributes)
    if any(t.strip(BLANKS) for t in e.texts):
        e.fail('holds a text')
    for child in e.children:
        if child.tag not in once + maybe + many:
            child.fail(f'not known in <{e.tag}>')
    for name in once + maybe:
        n = len(e.all(name))
        if n > 1 or (n == 0 and name in once):
            e.fail(f'{n} <{name}>')
    if e.tag in SOME and not e.all(*SOME[e.tag].split()):
        e.fail(f'none of: {SOME[e.tag]}')


def check_choices(e, version):
    """What depends on what else there is."""
    has = {c.tag for c in e.children}
    if RULES.get(look_up(RULES, e)) is VALUE and has not in ({'exact'}, {'intervalStart', 'intervalEnd'}):
        e.fail('neither exact nor an interval, or both')
    if e.tag == 'position' and 'point' in has and len(has) > 1:
        e.fail('a point and a region')
    paths = len(has & {'trajectory', 'occupancySet'})
    if e.tag == 'dynamicObstacle' and paths != 1:
        e.fail('neither a trajectory nor an occupancy set, or both')
    if e.tag == 'obstacle' and paths != (1 if e.find('role').text() == 'dynamic' else 0):
        e.fail('its role and what it holds do not fit')
    if e.tag == 'lanelet' and e.parent.tag == 'commonRoad' and version == '2020a' and 'laneletType' not in has:
        e.fail('no laneletType')
    if e.tag == 'trafficLight' and 'cycle' not in has:
        if 'active' not in has or e.find('active').text() not in ('false', '0'):
            e.fail('no cycle')


def check(e, version):
    if look_up(PASSED, e):
        return
    key = look_up(RULES, e)
    if look_up(NUMBERS | STEPS, e) or key is None:
        return check_leaf(e)
    check_children(e, RULES[key])
    for child in e.children:
        check(child, version)
    check_choices(e, version)
    return None


def read_scenario(file):
    """The root and the length of a step."""
    root = parse(file)
    if root.tag != 'commonRoad':
        root.fail('expected <commonRoad>')
    for name in root.attributes:
        if name not in ROOT_ATTRIBUTES and not name.startswith(('xmlns:', 'xsi:')):
            root.fail(f"unknown attribute '{name}'")
    version, step = root.attributes.get('commonRoadVersion'), root.attributes.get('timeStepSize', '').strip(BLANKS)
    if version not in ('2018b', '2020a'):
        root.fail('neither 2018b nor 2020a')
    if not NUMBER.fullmatch(step) or not 0 < float(step) < float('inf'):
        root.fail('no timeStepSize above 0')
    check(root, version)
    ids = [(e.tag == 'planningProblem', e.attributes['id']) for e in root.children if 'id' in e.attributes
           and e.tag not in PASSED]
    if len(set(ids)) != len(ids):
        root.fail('an id is given twice')
    return root, float(step)
