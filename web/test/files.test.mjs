// What the page makes of files that are dropped on it.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {kindOf, packagesOf, placed, sorted} from '../page/files.mjs';

const file = (name, text = '') => ({name, bytes: new TextEncoder().encode(text)});
const URDF = '<robot name="r"><link name="a"><collision><geometry><mesh filename="package://arm/meshes/a.stl"/></geometry></collision></link></robot>';

test('files are known by ending and contents', () => {
  assert.equal(kindOf(file('/files/a.urdf')), 'scene');
  assert.equal(kindOf(file('/files/a.proof')), 'certificate');
  assert.equal(kindOf(file('/files/a.xml', '<?xml version="1.0"?>\n<robot name="x"/>')), 'scene');
  assert.equal(kindOf(file('/files/a.xml', '<package/>')), '');
  assert.equal(kindOf(file('/files/a.json', '{"robots": []}')), 'scene');
  assert.equal(kindOf(file('/files/a.json', '{"waypoints": []}')), 'path');
  assert.equal(kindOf(file('/files/a.json', '{"points": []}')), 'path');
  assert.equal(kindOf(file('/files/a.json', '{"other": 1}')), '');
  assert.equal(kindOf(file('/files/a.json', '{')), 'scene', 'the reader says what is wrong');
  assert.equal(kindOf(file('/files/a.yaml', 'joint_names: [a]\npoints: []')), 'path');
  assert.equal(kindOf(file('/files/a.yaml', 'robot_model_name: panda')), 'scene');
  assert.equal(kindOf(file('/files/a.STL')), '');
});

test('a scene stands before the URDF that it names', () => {
  const {scene, path} = sorted([file('/files/r.urdf', URDF), file('/files/cell.json', '{"robots": []}'), file('/files/p.csv', 'a,b')]);
  assert.deepEqual(scene, ['/files/cell.json', '/files/r.urdf']);
  assert.deepEqual(path, ['/files/p.csv']);
});

test('folders are packages', () => {
  assert.deepEqual(packagesOf([file('/files/ws/arm/meshes/a.stl')]),
    {ws: '/files/ws', arm: '/files/ws/arm', meshes: '/files/ws/arm/meshes'});
});

test('a mesh without its folder goes where the URDF seeks it, and nowhere else', () => {
  const alone = placed([file('/files/r.urdf', URDF), file('/files/a.stl', 'solid')]);
  assert.ok(alone.files.some(({name}) => name === '/files/.packages/arm/meshes/a.stl'));
  assert.equal(alone.packages.arm, '/files/.packages/arm');
  const whole = [file('/files/arm/r.urdf', URDF), file('/files/arm/meshes/a.stl', 'solid')];
  assert.equal(placed(whole).files.length, 2, 'it is there already');
  assert.equal(placed([file('/files/r.urdf', URDF), file('/files/b.stl')]).files.length, 2, 'another mesh is not taken for it');
  const beside = placed([file('/files/r.urdf', URDF.replace('package://arm/meshes/a.stl', 'm/a.stl')), file('/files/a.stl')]);
  assert.ok(beside.files.some(({name}) => name === '/files/m/a.stl'));
});
