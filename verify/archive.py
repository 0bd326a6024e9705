"""Data sets of paths, and archives of their certificates (docs/audit.md), read as streams."""
import json
import os
import struct
import zlib

from meshes import need
from paths import from_csv, from_tree, no_repeats, read_motion


def is_archive(file):
    with open(file, 'rb') as stream:
        return stream.read(8) == b'PROVENS\n'


class Archive:
    """The header, and the records in the order of their paths."""

    def __init__(self, file):
        self.file, self.stream = file, open(file, 'rb')  # pylint: disable=consider-using-with
        begin = self.stream.read(16)
        need(len(begin) == 16 and begin[:8] == b'PROVENS\n', f'{file}: is no archive of certificates')
        checksum, length = struct.unpack('<II', begin[8:])
        header = self.stream.read(length)
        need(len(header) == length and zlib.crc32(header) == checksum, f'{file}: its header is damaged')
        self.header = json.loads(header, object_pairs_hook=no_repeats)

    def records(self):
        """Pairs of a path's index and a certificate. The end is an index of all, or the file's end."""
        at, last, entries = self.stream.tell(), -1, b''
        while True:
            head = self.stream.read(24)
            if not head or head[:4] == b'INDX':
                break
            need(len(head) == 24 and head[:4] == b'PROF', f'{self.file}: byte {at}: no record')
            checksum, path, length = struct.unpack('<IQQ', head[4:])
            certificate = self.stream.read(length)
            need(len(certificate) == length and zlib.crc32(head[8:] + certificate) == checksum,
                 f'{self.file}: byte {at}: a record is damaged')
            need(path > last, f'{self.file}: byte {at}: records are not in order')
            entries += struct.pack('<QQ', path, at)
            at, last = at + 24 + length, path
            yield path, certificate
        if head:
            rest = head + self.stream.read()
            index = struct.pack('<4sIQ', b'INDX', zlib.crc32(entries), len(entries) // 16) + entries
            need(rest == index + struct.pack('<Q', at) + b'PROVENE\n', f'{self.file}: the index is damaged')


def lines_of(file):
    with open(file, encoding='utf-8-sig', newline='\n') as stream:
        for line in stream:
            if line.strip():
                yield line


def cells(line):
    return [cell.strip().strip('"') for cell in line.rstrip('\r\n').split(',')]


def of_table(file, header, lines):
    """Runs of lines with the same name in the column `path`."""
    column = header.index('path')
    names = ','.join(header[:column] + header[column + 1:])
    run, name, seen = [], None, set()
    for line in lines:
        row = cells(line)
        need(len(row) == len(header) and row[column], f'{file}: a row has other columns, or no name of its path')
        if run and row[column] != name:
            yield lambda joints, run=run: from_csv([names] + run, joints)
            run = []
        need(run or row[column] not in seen, f'{file}: path {row[column]} goes on after another one')
        name = row[column]
        seen.add(name)
        run = run + [','.join(row[:column] + row[column + 1:])]
    need(run, f'{file}: holds no path')
    yield lambda joints: from_csv([names] + run, joints)


def of_file(file):
    """For each path of a file a function that reads it, given the joints of the scene."""
    ending = os.path.splitext(file)[1].lower()
    need(ending != '.npy', f'{file}: arrays are left to `proven verify`')
    if ending == '.jsonl':
        for line in lines_of(file):
            yield lambda joints, line=line: from_tree(json.loads(line, object_pairs_hook=no_repeats), joints)
        return
    lines = lines_of(file) if ending == '.csv' else iter(())
    header = cells(next(lines, ''))
    if 'path' in header:
        yield from of_table(file, header, lines)
    else:
        yield lambda joints: read_motion(file, joints)


def of_set(file, scene):
    """Pairs of a scene and a function that reads a path in it, in the order of the data set."""
    if os.path.splitext(file)[1].lower() != '.json':
        for read in of_file(file):
            yield scene, read
        return
    folder = os.path.dirname(file)
    with open(file, encoding='utf-8-sig') as stream:
        manifest = json.load(stream, object_pairs_hook=no_repeats)
    need(set(manifest) == {'proven', 'groups'} and manifest['proven'] == 1 and manifest['proven'] is not True, f'{file}: is no manifest')
    for group in manifest['groups']:
        need(set(group) <= {'name', 'scene', 'paths', 'joints'}, f'{file}: a group has an unknown key')
        named = group['paths'] if isinstance(group['paths'], list) else [group['paths']]
        need(named, f'{file}: a group names no paths')
        for name in named:
            whole = os.path.join(folder, name)
            need(not os.path.isdir(whole), f'{whole}: folders are left to `proven verify`')
            for read in of_file(whole):
                yield os.path.join(folder, group['scene']) if 'scene' in group else scene, read
