"""Documents for compare.py: every construct of xacro, and what people get wrong with it."""

# In these the program refuses what xacro reads, on purpose, and says so.
REFUSED = ('10 ** 30', '(-8) ** (1/3)', '1j', "'%(a)s'", '${(i for i', 'lambda', 'splitlines', 'math.perm', 'fsum', "${b'x'}", "${r'x'}",
           "'ä'.upper()", '12345678901234567890123', '9223372036854775807 + 1', '-9223372036854775808', '2 ** 62 * 2', 'scope="elsewhere"',
           'merge.yaml', 'dates.yaml', 'y.nested.values', 'unknown="1"')
REFUSED_REAL = ()

FILES = {
    'pack/package.xml': '<package><name>pack</name></package>',
    'pack/part.xacro': '<robot><xacro:property name="where" value="$(dirname)"/><link name="in_part"/></robot>'.replace(
        '<robot>', '<robot xmlns:xacro="x">'),
    'macros.xacro': '''<anything xmlns:xacro="x"><xacro:property name="width" value="2"/>
<xacro:property name="area" value="${width * height}"/><xacro:property name="height" value="5"/>
<xacro:macro name="made" params="n:=1"><m n="${n}" w="${width}"/></xacro:macro>
<xacro:macro name="outer" params="n"><xacro:made n="${n + 1}"/></xacro:macro></anything>''',
    'sub/deep.xacro': '<r xmlns:xacro="x"><xacro:include filename="../flat.xacro"/>'
                      '<xacro:property name="y" value="${xacro.load_yaml(\'here.yaml\')}"/><y v="${y.a}"/></r>',
    'sub/here.yaml': 'a: here',
    'flat.xacro': '<r xmlns:xacro="x"><flat/></r>',
    'glob1.xacro': '<r xmlns:xacro="x"><g n="1"/></r>',
    'glob2.xacro': '<r xmlns:xacro="x"><g n="2"/></r>',
    'broken.xacro': '<r xmlns:xacro="x"><g></r>',
    'values.yaml': '''ints: [1, -2, +3, 0, 0x1F, 0b101, 017, 1_000]
floats: [1.5, -.5, 1., 1.0e+3, 1.0e3, 1e3, 1e-5, .inf, -.inf, 6.02E+23, 1_0.5]
texts: [one, 'two', "three", '1', "1.5", 'true', a b c, 0o17, 08, 1e, +, -]
truths: [true, False, yes, No, on, OFF, y, n]
nothing: [~, null, Null, ]
angles: {half: !degrees 180, third: !degrees "360/3", right: !radians pi/2, plain: !radians 1.5, down: !degrees -90.0}
nested: {a: {b: {c: [10, {d: deep}]}}, list: [[1, 2], [3, 4]]}
multi: 0.1 0.2 0.3
long: >
  folded
  text
block: |
  kept
  text
anchored: &here {x: 1}
alias: *here
1: number as key
twice: first
twice: last
''',
    'list.yaml': '- 1\n- two\n- {three: 3}\n',
    'empty.yaml': '',
    'scalar.yaml': '42\n',
    'bad.yaml': 'a: [1, 2\n',
    'tag.yaml': 'a: !unknown 1\n',
    'two.yaml': 'a: 1\n---\nb: 2\n',
    'merge.yaml': 'a: &a {x: 1}\nb:\n  <<: *a\n',
    'dates.yaml': 'a: 2024-05-01\nb: 1:30\n',
}

EXPRESSIONS = r'''
1 + 2 * 3|(1 + 2) * 3.0|7 / 2|6 / 3|-7 // 2|-7 % 3|7 % -3|-7.5 // 2|-7.5 % 2|7.5 % -2|2 ** 3 ** 2|-2 ** 2|2 ** -1|2 ** 0.5|1e-3 + .5
10 ** 15|10 ** 18|10.0 ** 16|10 ** 30|1e16|1e15|123456789.123456789|0.1 + 0.2|1e-5|1e-4|0.00001234|1/3|5e-324|1e22|1e308 * 10|-1e308 * 10
0.0|-0.0|0 * -1.0|1 / 0|1 % 0|1.0 // 0|0 ** -1|(-8) ** (1/3)|0x1F|0b101|0o17|1_000|1_0.5|010|00|1e5|1E5|1.|.5|1j|3.0 == 3|True + 1
True|False|None|true|false|not True|not 0|1 and 2|0 and 2|0 or 'x'|'' or 0|1 or undefined|0 and undefined|1 if True else undefined
undefined if False else 2|1 if '' else 2|1 < 2 < 3|1 < 2 > 3|1 == 1.0|'a' < 'b'|'a' == 1|'a' < 1|[1, 2] < [1, 3]|(1, 2) == (1, 2)|1 is None
None is None|x is not None|'b' in 'abc'|'d' not in 'abc'|1 in [1, 2]|'a' in dict(a=1)|1 in 'abc'|not 1 in [2]|1 != 2|1 &lt;= 2|2 &gt;= 3
5 &amp; 3|5 | 3|5 ^ 3|~5|1 &lt;&lt; 4|256 &gt;&gt; 2|1.5 | 2|+3|-'a'|--3|+-+3
'a' + 'b'|'a' * 3|3 * 'ab'|'a' + 1|[1] + [2]|[0] * 3|(1,) + (2,)|'a' 'b'|"it's"|'say "x"'|'a\tb'|'a\\b'|'%d' % 3|'%05.2f' % 3.14159|'%s' % 'a'
'%s-%s' % ('a', 1)|'%d%%' % 50|'%x' % 255|'%g' % 1e-7|'%e' % 12345.678|'%-5s|' % 'a'|'%5d' % 42|'%+d' % 5|'%d' % 3.7|'%s' % None|'%r' % 'a'|'%d' % 'a'|'%d %d' % 1|'%d' % (1, 2)|'%(a)s' % dict(a=1)
[1, 2.5, 'x', None, True]|(1, 2)|(1,)|()|[]|[[1], [2]]|dict(a=1, b='x')|dict()|dict([('a', 1)])|dict(dict(a=1), b=2)|dict(a=1)['a']|dict(a=1)['b']|dict(a=1).a|dict(a=1).get('b')
dict(a=1).get('b', 5)|list(dict(a=1, b=2))|list(dict(a=1, b=2).values())|list(dict(a=1).items())|list(dict(b=1, a=2).keys())|sorted(dict(b=1, a=2))|len(dict(a=1))|{'a': 1}['a']|{1, 2}
[1, 2, 3][0]|[1, 2, 3][-1]|[1, 2, 3][3]|[1, 2, 3][-4]|[1, 2, 3][1:]|[1, 2, 3][:-1]|[1, 2, 3, 4][::2]|[1, 2, 3][::-1]|[1, 2, 3][5:]|'hello'[1]|'hello'[-3:]|'hello'[::-1]|'hello'[1:100]|(1, 2)[1]|[1][1.0]|[1]['a']|'a'[True:]
len('abc')|len([1, 2])|len(5)|abs(-4)|abs(-4.5)|bool('')|bool(0.0)|bool('False')|int('7')|int(' 7 ')|int(2.9)|int(-2.9)|int('2.9')|int(True)|int('x')|int(1e10)|float('1')|float('1e-3')|float('x')|float(3)|float('inf')|float()
str(1)|str(1.0)|str('a')|str([1, 'a'])|str(None)|repr('a')|repr("it's")|repr(0.1)|str(1e100)|min(1, 2.5)|max(1, 2.5)|min([3, 1, 2])|max('a', 'b')|min()|max([])|min(5)|round(2.5)|round(3.5)|round(-2.5)|round(2.675, 2)|round(1.005, 2)|round(5, 2)|round(1234.5678, 1)
sum([1, 2, 3])|sum([0.1] * 10)|sum([1], 5)|sorted([3, 1, 2])|sorted(['b', 'a'], reverse=True)|list(range(5))|list(range(2, 8, 3))|list(range(5, 0, -2))|range(3)[1]|len(range(10))|list(reversed([1, 2]))|list(zip([1, 2], ['a', 'b']))|list(enumerate(['a', 'b']))|list(enumerate(['a'], 1))
list(map(float, ['1', '2']))|list(map(int, '1 2 3'.split()))|list(map(str, [1, 2.0]))|list(map(sin, [0]))|list(map(max, [1, 5], [3, 2]))|any([0, 1])|all([0, 1])|tuple([1, 2])|list('abc')|list((1, 2))|divmod(7, 2)|divmod(-7, 2)|list(filter(bool, [0, 1]))
[i for i in range(3)]|[i * x for i in range(4) if i % 2 == 0]|[a + b for a in 'xy' for b in 'pq']|[k for k, v in dict(a=1, b=2).items() if v > 1]|sum(i * i for i in range(5))|[float(p) for p in '0 1 2'.split()]|' '.join(str(2 * v) for v in [1, 2])|[x for x in [7]][0] + x|max(i for i in [1, 2])|(i for i in [1])|lambda y: y
'a b  c'.split()|'a,b,,c'.split(',')|'a b c'.split(' ', 1)|'a b c'.rsplit(' ', 1)|'1 2 3'.split(' ')[1]|'  a '.strip()|'xxaxx'.strip('x')|'a '.rstrip()|' a'.lstrip()|'aBc'.upper()|'aBc'.lower()|'hello world'.title()|'hELLO'.capitalize()|'ab'.swapcase()
'a-b'.replace('-', '_')|'aaa'.replace('a', 'b', 2)|'abc'.startswith('ab')|'abc'.endswith(('x', 'c'))|'abc'.find('c')|'abc'.find('z')|'abcabc'.rfind('b')|'abc'.index('z')|'banana'.count('an')|'12'.isdigit()|'a1'.isalnum()|'ab'.isalpha()|''.isdigit()|'-'.join(['a', 'b'])|'-'.join([1])
'7'.zfill(3)|'-7'.zfill(4)|'a'.rjust(3)|'a'.ljust(3, '.')|'k=v'.partition('=')|'a.b.c'.rpartition('.')|'abc'.nothing()|[1, 2, 1].count(1)|[1, 2].index(2)|(1, 2).index(3)|'a\nb'.splitlines()
sin(pi / 6)|cos(pi)|tan(1)|asin(1)|acos(2)|atan(1)|atan2(1, -1)|sqrt(2)|sqrt(-1)|exp(1)|exp(1000)|log(10)|log(8, 2)|log(0)|log10(1000)|log2(8)|pow(2, 3)|pow(2, 0.5)|fabs(-3)|floor(-1.5)|ceil(1.2)|floor(3)|trunc(-1.7)|fmod(-7, 3)|degrees(pi)|radians(180)|radians(45)|hypot(3, 4)
copysign(1, -2)|isnan(nan)|isinf(inf)|pi|e|tau|inf|nan|-inf|math.pi|math.sin(1)|math.floor(2.7)|math.nothing|sinh(1)|cosh(1)|tanh(1)|asinh(1)|gcd(12, 18)|factorial(5)|math.perm(3)|modf(2.5)|isclose(1, 1 + 1e-12)|math.radians(90)|degrees(1)|fsum([1])
python.len('ab')|python.sum([1, 2])|python.round(2.5)|python.nothing(1)|xacro.tokenize('a,b; c')|xacro.tokenize('a:b', ':')|xacro.tokenize('a,,b', skip_empty=False)|xacro.warning('x')|xacro.message('x', 1)|xacro.fatal('x')|xacro.arg('given')|xacro.arg('nothing')
x|x + 1|text|text + '_link'|flag|flag and x|vec[1]|vec|d['k']|d|undefined|x.y|text.upper()|__import__('os')|x.__class__|().__class__|open('a')|eval('1')|print(1)|x = 1|x; 1|1 +|(1|1)|[1|'a|a b|1 2|import os|$x|@|?|1 if 2|for|f'{x}'|b'x'|r'x'|x := 1|*[1]|dict(**x)|set([1])|complex(1)
'ä' + 'b'|len('äöü')|'äöü'[1]|'ä'.upper()|'é'|str(-0.0)|1.0e-10|100000000000000000000.0|12345678901234567890123|9223372036854775807|9223372036854775807 + 1|-9223372036854775808|2 ** 62 * 2|0.1 * 3|1e-7 * 10|3.14159265358979|2.0 ** 70|7 // 2.0|1 // 0.1|6.0 / 2
'$(arg given)' + 'x'|$(arg number) * 2|$(arg number) == 7|'$(arg given)' == 'value'|$(arg given)|$(arg list)[1]|'a' if $(arg number) > 5 else 'b'|not $(arg truth)|$(arg nothing)|x if x else 0|(x)|((x) + (1))| x |vec[0] + vec[-1]|min(vec)|sum(vec) / len(vec)|text[0]|text in ['arm', 'leg']|text not in 'armleg'
'''

TEXTS = r'''
plain|${1}|a${1}b${2}c|$(arg given)|$(arg number)|a$(arg given)b|$$|$${x}|$$(arg given)|$$${x}|$x|a$|$5 and $6|a$$b|${x|$(arg given|${x}}|$(eval 1 + 1)|$(eval number + 1)|$(eval given)|$(eval number == 7)|$(eval pi)|$(eval truth and number &gt; 3)|$(eval int(3))|$(eval arg('given'))|$(eval nothing)
$(eval 'a' + given)|$(env PROVEN_XACRO_TEST)|$(env PROVEN_XACRO_NONE)|$(optenv PROVEN_XACRO_TEST)|$(optenv PROVEN_XACRO_NONE)|$(optenv PROVEN_XACRO_NONE a b)|$(dirname)|$(cwd)|$(find pack)|$(find pack)/x|$(find nothing_there)|$(anon x)|$(nothing)|$()|$(arg)|$(arg a b)|$(arg ${'given'})|$(find $(arg given))
-${x}|${x}${x}|${x} ${-x}|${text}_${x}|0.${x}|${'a'} ${'b'}|${[1, 2]}|${vec} ${d}|${None}|${''}|  a  |a&amp;b|&lt;${x}&gt;|&quot;${text}&quot;|${'&amp;'}|${&quot;a&quot;}|&#65;|ä${x}ö|${x}%|#{x}|%{x}|${ x }|${x }|{x}|$ {x}
'''

VALUES = ['1', '1.0', '0.10', '1e3', '1e-5', '007', '+5', '-0', '-0.0', ' 5 ', '5 6', 'true', 'True', 'TRUE', 'false', 'yes', "'quoted'", "'5'", "''",
          "'", '"double"', '1_000', '0x10', 'nan', 'inf', 'Infinity', '-inf', '', ' ', 'text', 'a_b', '1.', '.5', '1.5.2', '[1, 2]', '(1, 2)', 'None',
          '${1}', '${1.0}', "${'1'}", "${'1.50'}", "${'true'}", '${[1, 2]}', '${None}', '${True}', '${x}0', '${x}.50', "'${x}'", "''${x}''", '12345678901234567890123',
          '1,5', '1e', 'e5', '--5', '1 ', "${' 1 '}", '1e400', '0b1', '$${x}']

STRUCTURES = r'''
<xacro:property name="a" value="${b}"/><xacro:property name="b" value="1"/><v v="${a}"/>
<xacro:property name="a" value="${b}"/><xacro:property name="b" value="1"/><v v="${a}"/><xacro:property name="b" value="2"/><v v="${a} ${b}"/>
<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><v v="${a}"/>
<xacro:property name="a" value="1"/><xacro:property name="a" value="${a + 1}"/><v v="${a}"/>
<xacro:property name="a" value="1"/><xacro:property name="a" value="${a + 1}" lazy_eval="false"/><v v="${a}"/>
<xacro:property name="radius" value="4"/><xacro:property name="r" value="${radius/2}"/><xacro:property name="radius" value="10"/><v v="${r}"/>
<xacro:property name="r" value="${radius/2}"/><v/><xacro:property name="radius" value="10"/><v v="${r}"/>
<xacro:property name="a" value="${b}" lazy_eval="false"/><xacro:property name="b" value="1"/>
<xacro:property name="a" value="1"/><xacro:property name="a" default="2"/><xacro:property name="c" default="${a}"/><v v="${a} ${c}"/>
<xacro:property name="a" value="1" default="2"/>
<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/><v v="${a}"/>
<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/><xacro:property name="a" default="3"/><v v="${a}"/>
<xacro:property name="nothing" remove="true"/><v/>
<xacro:property name="pi" default="3"/><v v="${pi}"/>
<xacro:property name="pi" value="3"/><v v="${pi} ${math.pi}"/>
<xacro:property name="a-b" value="1"/>|<xacro:property name="class" value="1"/>|<xacro:property name="1a" value="1"/>|<xacro:property name="" value="1"/>|<xacro:property value="1"/>
<xacro:property name="${'a' + 'b'}" value="1"/><v v="${ab}"/>
<xacro:property name="a"/><v v="${a}"/>
<xacro:property name="a" value="1" scope="parent"/>|<xacro:property name="a" value="${2*3}" scope="global"/><v v="${a}"/>|<xacro:property name="a" value="1" scope="elsewhere"/><v v="${a}"/>
<xacro:property name="blk"><p v="${x}"/><q/></xacro:property><xacro:insert_block name="blk"/><w><xacro:insert_block name="blk"/></w>
<xacro:property name="blk"><p v="${later}"/></xacro:property><xacro:property name="later" value="9"/><xacro:insert_block name="blk"/>
<xacro:insert_block name="nothing"/>|<xacro:insert_block/>
<xacro:macro name="m" params="a b"><v a="${a}" b="${b}"/></xacro:macro><xacro:m a="1" b="${x}"/><xacro:m b="1" a="2"/>
<xacro:macro name="m" params="a b"><v/></xacro:macro><xacro:m a="1"/>|<xacro:macro name="m" params="a"><v/></xacro:macro><xacro:m a="1" c="2"/>|<xacro:macro name="m"><v/></xacro:macro><xacro:m/>|<xacro:macro params="a"/>
<xacro:macro name="m" params="a:=1 b:=${a}"><v a="${a}" b="${b}"/></xacro:macro><xacro:m a="5"/>
<xacro:property name="a" value="outer"/><xacro:macro name="m" params="a:=1 b:=${a}"><v a="${a}" b="${b}"/></xacro:macro><xacro:m a="5"/><xacro:m/>
<xacro:macro name="m" params="a:='x y' b='' c:=&quot;q w&quot; d=5"><v v="${a}|${b}|${c}|${d}"/></xacro:macro><xacro:m/>
<xacro:macro name="m" params="a := 1 b = 2 c:=${[1, 2]} d:=${x + 1}"><v v="${a}|${b}|${c[1]}|${d}"/></xacro:macro><xacro:m/>
<xacro:macro name="m" params="a:=  b"><v v="${a}"/></xacro:macro><xacro:m/>|<xacro:macro name="m" params="a:="><v v="${a}"/></xacro:macro><xacro:m/>|<xacro:macro name="m" params="a:="><v v="${a}"/></xacro:macro><xacro:m a="1"/>
<xacro:macro name="m" params="a:=${x}${x} b:=${x}_s c:=p${x}"><v v="${a}|${b}|${c}"/></xacro:macro><xacro:m/>
<xacro:macro name="m" params="a:=$(arg given) b:=f('x','y')"><v v="${a}|${b}"/></xacro:macro><xacro:m/>
<xacro:macro name="m" params="x:=^ y:=^|7 z:=^|${x + 1}"><v v="${x}|${y}|${z}"/></xacro:macro><xacro:m/><xacro:m x="1" y="2" z="3"/>
<xacro:macro name="m" params="nothing:=^"><v v="${nothing}"/></xacro:macro><xacro:m/>|<xacro:macro name="m" params="nothing:=^|"><v/></xacro:macro><xacro:m/>
<xacro:macro name="m" params="a"><v v="${a} ${x}"/></xacro:macro><xacro:m a="0.10"/><xacro:m a="'0.10'"/><xacro:m a="true"/><xacro:m a=""/><xacro:m a="$(arg number)"/><xacro:m a="${'1'}"/>
<xacro:macro name="m" params="a *b"><w><xacro:insert_block name="b"/><xacro:insert_block name="b"/></w></xacro:macro><xacro:m a="1"><o v="${x}"/></xacro:m>
<xacro:macro name="m" params="*b **c"><w><xacro:insert_block name="b"/></w><xacro:insert_block name="c"/></xacro:macro><xacro:m><o/><c><d v="${x}"/>text ${x}</c></xacro:m>
<xacro:macro name="m" params="*b"><w/></xacro:macro><xacro:m/>|<xacro:macro name="m" params="*b"><w/></xacro:macro><xacro:m><o/><o/></xacro:m>|<xacro:macro name="m" params=""><w/></xacro:macro><xacro:m><o/></xacro:m>
<xacro:macro name="m" params="x *b"><w><xacro:insert_block name="b"/></w></xacro:macro><xacro:m x="99"><o v="${x}"/></xacro:m>
<xacro:macro name="m" params="x *b"><w><xacro:insert_block name="b"/></w></xacro:macro><xacro:m x="99"><o v="$${x}"/></xacro:m>
<xacro:macro name="i" params="*b"><in><xacro:insert_block name="b"/></in></xacro:macro><xacro:macro name="o" params="*b"><out><xacro:i><xacro:insert_block name="b"/></xacro:i></out></xacro:macro><xacro:o><woot/></xacro:o>
<xacro:macro name="m" params=""><xacro:macro name="inner" params=""><i/></xacro:macro><xacro:inner/></xacro:macro><xacro:m/>
<xacro:macro name="m" params=""><xacro:macro name="inner" params=""><i/></xacro:macro></xacro:macro><xacro:m/><xacro:inner/>
<xacro:macro name="m" params=""><one/></xacro:macro><xacro:m/><xacro:macro name="m" params="a"><two a="${a}"/></xacro:macro><xacro:m a="1"/>
<xacro:m/><xacro:macro name="m" params=""><one/></xacro:macro>
<xacro:macro name="xacro:m" params=""><one/></xacro:macro><xacro:m/>
<xacro:macro name="m" params=""><xacro:property name="x" value="in"/><v v="${x}"/></xacro:macro><xacro:m/><v v="${x}"/>
<xacro:macro name="m" params=""><xacro:property name="n" value="${x + 1}" scope="parent"/></xacro:macro><xacro:m/><v v="${n}"/>
<xacro:macro name="m" params=""><xacro:property name="n" value="1" scope="global"/></xacro:macro><xacro:macro name="o" params=""><xacro:m/><v v="${n}"/></xacro:macro><xacro:o/><v v="${n}"/>
<xacro:macro name="m" params=""><xacro:property name="n" value="1" scope="parent"/></xacro:macro><xacro:macro name="o" params=""><xacro:m/><v v="${n}"/></xacro:macro><xacro:o/><v v="${n}"/>
<xacro:macro name="m" params="a"><xacro:property name="l" value="${a * 2}"/><v v="${l}"/></xacro:macro><xacro:m a="1"/><xacro:m a="2"/>
<xacro:property name="lazy" value="${x * 2}"/><xacro:macro name="m" params="x"><v v="${lazy}"/></xacro:macro><xacro:m x="50"/><v v="${lazy}"/>
<xacro:property name="lazy" value="${mine * 2}"/><xacro:macro name="m" params="mine"><v v="${lazy}"/></xacro:macro><xacro:m mine="50"/>
<xacro:macro name="loop" params="i n"><v i="${i}"/><xacro:if value="${i &lt; n}"><xacro:loop i="${i + 1}" n="${n}"/></xacro:if></xacro:macro><xacro:loop i="0" n="20"/>
<xacro:macro name="loop" params="items"><xacro:if value="${items}"><v i="${items[0]}"/><xacro:loop items="${items[1:]}"/></xacro:if></xacro:macro><xacro:loop items="${['a', 'b', 'c']}"/>
<xacro:macro name="m" params="a"><m a="${a}"/></xacro:macro><xacro:call macro="m" a="1"/><xacro:property name="which" value="m"/><xacro:call macro="${which}" a="2"/>|<xacro:call macro="nothing"/>|<xacro:call/>
<xacro:element xacro:name="${text}" v="${x}"><k/></xacro:element>|<xacro:element/>|<xacro:element xacro:name=""/>
<w><xacro:attribute name="a${x}" value="${x}"/><k/></w>|<w a="1"><xacro:attribute name="a" value="2"/></w>|<w><xacro:attribute name="a"/></w>
<xacro:element xacro:name="e"><xacro:attribute name="${text}" value="1"/></xacro:element>
<xacro:if value="1"><y/></xacro:if><xacro:if value="0"><n/></xacro:if><xacro:unless value="false"><u/></xacro:unless><xacro:unless value="True"><n/></xacro:unless>
<xacro:if value="${x}"><y/></xacro:if>|<xacro:if value="${''}"><y/></xacro:if>|<xacro:if value="${'true'}"><y/></xacro:if>|<xacro:if value="${[]}"><y/></xacro:if>|<xacro:if value="${0.0}"><y/></xacro:if>|<xacro:if value="${0.5}"><y/></xacro:if>|<xacro:if value="${None}"><y/></xacro:if>
<xacro:if value="yes"><y/></xacro:if>|<xacro:if value="1.0"><y/></xacro:if>|<xacro:if value="TRUE"><y/></xacro:if>|<xacro:if value=""><y/></xacro:if>|<xacro:if value=" 1 "><y/></xacro:if>|<xacro:if value="-1"><y/></xacro:if>|<xacro:if><y/></xacro:if>|<xacro:if value="$(arg truth)"><y/></xacro:if>|<xacro:if value="$(arg given)"><y/></xacro:if>
<xacro:if value="0"><xacro:unknown/><v v="${undefined}"/></xacro:if><xacro:if value="1"><xacro:property name="x" value="new"/></xacro:if><v v="${x}"/>
<xacro:if value="${text == 'arm'}">t ${x}<k/>u</xacro:if>|<xacro:if value="${text == 'arm' and flag}"><k/></xacro:if>|<xacro:if value="${not text}"><k/></xacro:if>|<xacro:if value="${'arm' in text}"><k/></xacro:if>
<xacro:include filename="flat.xacro"/>|<xacro:include filename="none.xacro"/>|<xacro:include filename="none.xacro" optional="true"/>|<xacro:include filename="flat.xacro" optional="1"/>|<xacro:include/>|<xacro:include filename="glob?.xacro"/>|<xacro:include filename="nothing*.xacro"/>|<xacro:include filename="broken.xacro"/>
<xacro:include filename="macros.xacro"/><xacro:made/><xacro:outer n="3"/><v v="${area}"/>|<xacro:include filename="macros.xacro" ns="lib"/><xacro:lib.made n="4"/><v v="${lib.width} ${lib.area}"/>|<xacro:include filename="macros.xacro" ns="lib"/><xacro:lib.outer n="4"/>
<xacro:include filename="macros.xacro" ns="lib"/><xacro:made/>|<xacro:include filename="macros.xacro" ns="lib"/><v v="${width}"/>|<xacro:include filename="macros.xacro" ns="lib"/><v v="${lib.x}"/>|<xacro:include filename="macros.xacro" ns="lib"/><xacro:nolib.made/>|<xacro:include filename="macros.xacro" ns="lib"/><v v="${lib.nothing}"/>
<xacro:include filename="sub/deep.xacro"/>|<xacro:include filename="${'fl' + 'at'}.xacro"/>|<xacro:include filename="$(find pack)/part.xacro"/><v v="${where == '$(find pack)'}"/>|<xacro:macro name="m" params="f"><xacro:include filename="${f}.xacro"/></xacro:macro><xacro:m f="flat"/>
<xacro:arg name="own" default="${x * 2}"/><v v="$(arg own)"/>|<xacro:arg name="given" default="other"/><v v="$(arg given)"/>|<xacro:arg name="own" default=""/><v v="[$(arg own)]"/>|<xacro:arg name="o1" default="a"/><xacro:arg name="o2" default="$(arg o1)b"/><v v="$(arg o2)"/>|<v v="$(arg own)"/><xacro:arg name="own" default="1"/>|<xacro:arg name="own" default="1"/><xacro:arg name="own" default="2"/><v v="$(arg own)"/>
<xacro:arg name="own" default="0.10"/><xacro:property name="p" value="$(arg own)"/><v v="$(arg own) ${p} ${p * 2}"/>|<xacro:property name="p" value="$(arg list)"/><v v="${p}"/>|<xacro:property name="p" value="${$(arg list)}"/><v v="${p[0]}"/>
<xacro:unknown/>|<xacro:proprety name="a" value="1"/>|<unknown:tag xmlns:unknown="u" v="${x}"/>|<v xacro:hidden="1" w="2"/>|<property name="a" value="${x}"/>|<macro name="m"/>
<!-- ${undefined} --><v/>|<!-- ${x} -->|<v><!-- a --></v>|text ${x} more|<![CDATA[${x} <raw>]]>|<v>a<![CDATA[${x}]]>b${x}</v>|<v>&lt;${x}&gt; &amp; </v>|<v a="&lt;${x}"/>|<v>${text}<k/>${x}</v>|<v>  </v>|<v>&undefined;</v>|<v a="1" a="2"/>|<v><w></v>
<xacro:property name="y" value="${xacro.load_yaml('values.yaml')}"/><v v="${y['multi']}"/>|<xacro:property name="y" value="${load_yaml('values.yaml')}"/><v v="${y.nested.a.b.c[1].d}"/>|<xacro:property name="f" value="values.yaml"/><v v="${xacro.load_yaml(f)['twice']}"/>
<xacro:property name="y" value="${xacro.load_yaml('list.yaml')}"/><v v="${y[0]} ${y[1]} ${y[2].three} ${y}"/>|<v v="${xacro.load_yaml('none.yaml')}"/>|<v v="${xacro.load_yaml('bad.yaml')}"/>|<v v="${xacro.load_yaml('tag.yaml')}"/>|<v v="${xacro.load_yaml('two.yaml')}"/>|<v v="${xacro.load_yaml('empty.yaml')}"/>|<v v="${xacro.load_yaml('scalar.yaml')}"/>|<v v="${xacro.load_yaml('merge.yaml').b.x}"/>|<v v="${xacro.load_yaml('dates.yaml')}"/>
<xacro:property name="y" value="${xacro.load_yaml('values.yaml')}"/><v v="${y.nested.values}"/>|<xacro:property name="y" value="${xacro.load_yaml('values.yaml')}"/><v v="${y.nothing_there}"/>|<xacro:property name="y" value="${xacro.load_yaml('values.yaml')}"/><v v="${y.get('none', 3)} ${'angles' in y} ${len(y.ints)} ${y[1]}"/>|<xacro:property name="y" value="${xacro.load_yaml('values.yaml')}"/><v v="${[k for k in y.nested]} ${sorted(y.angles.keys())} ${y.nested.list[1][0]}"/>
<v v="${xacro.dotify(dict(a=dict(b=1))).a.b}"/>|<v v="${xacro.abs_filename('a.b')[-4:]}"/>|<xacro:property name="d2" value="${dict(a=[1, 2], b=dict(c=3))}"/><v v="${d2['b']['c']} ${d2['a'][1]}"/>
<xacro:property name="a" value="1" unknown="1"/><v v="${a}"/>
'''

PREFIX = ('<xacro:property name="x" value="3"/><xacro:property name="text" value="arm"/><xacro:property name="flag" value="true"/>'
          '<xacro:property name="vec" value="${[0.1, 0.2, 0.3]}"/><xacro:property name="d" value="${dict(k=\'w\', n=2)}"/>\n')
ARGUMENTS = {'given': 'value', 'number': '7', 'list': "['p','q']", 'truth': 'true'}
YAML_KEYS = ('ints', 'floats', 'texts', 'truths', 'nothing', 'angles', 'nested', 'multi', 'long', 'block', 'anchored', 'alias', 'twice')


def used(text):
    text = text.replace('$$(', '')
    return {k: v for k, v in ARGUMENTS.items() if k in text and '$(' in text or f"arg('{k}" in text}


def split(text):
    """At '|', but not at the operator: that stands between blanks."""
    return [part.replace(' \0 ', ' | ') for line in text.strip('\n').split('\n')
            for part in line.replace(' | ', ' \0 ').split('|')]


def quoted(text):
    return text.replace('"', '&quot;').replace('<', '&lt;')


def documents():
    """(what stands in the robot, arguments)"""
    for text in split(EXPRESSIONS):
        inside = '${' + text + '}'
        yield PREFIX + f'<v v="{quoted(inside)}"/>', used(inside)
    for text in split(TEXTS):
        yield PREFIX + f'<v v="{quoted(text)}">{text}</v>', used(text)
    for value in VALUES:
        yield PREFIX + f'<xacro:property name="p" value="{quoted(value)}"/><v v="${{p}}" r="${{[p]}}"/>', {}
        yield PREFIX + f'<xacro:macro name="m" params="p"><v v="${{p}}" r="${{[p]}}"/></xacro:macro><xacro:m p="{quoted(value)}"/>', {}
        yield PREFIX + f'<xacro:if value="{quoted(value)}"><y/></xacro:if>', {}
    for line in STRUCTURES.strip('\n').split('\n'):
        for part in line.replace('${a}|${b}', '${a}\0${b}').split('>|<'):
            whole = part if part.startswith('<') or part.startswith('t') else '<' + part
            whole = whole if whole.endswith('>') or whole.startswith('t') else whole + '>'
            yield PREFIX + whole.replace('\0', '|'), used(whole)
    for key in YAML_KEYS:
        yield (f'<xacro:property name="y" value="${{xacro.load_yaml(\'values.yaml\')}}"/><v a="${{y.{key}}}" b="${{[y[\'{key}\']]}}"/>', {})
