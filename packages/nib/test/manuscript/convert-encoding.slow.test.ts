import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BackendProject, createAnswerScript, createBackendProject } from '../backend-project.ts';

const BYTES = Buffer.from('The caf\xe9 was \x93closed\x94, said teh man.\n', 'latin1');
const TEXT = 'The café was “closed”, said teh man.\n';

/** A careless backend: decodes with U+FFFD, edits, writes back. */
const CARELESS = `sed -i 's/teh/the/' scenes/dawn.md`;

function stage(path = 'scenes/dawn.md', bytes = BYTES): BackendProject {
  const staged = createBackendProject(createAnswerScript('One fix.', CARELESS));
  writeFileSync(join(staged.root, path), bytes);
  return staged;
}

describe('a scene that is not UTF-8', () => {
  it.each([
    'ma proof 1.1',
    'ma proof 1 --dry-run',
    'ct check 1',
    'ma find a lie --range 1',
    'ma build',
    'ma critique',
  ])('nib %s refuses a scene that is not UTF-8 before a backend starts', async (line) => {
    using staged = stage();
    const { code, err } = await staged.nib(line);
    expect(code).toBe(1);
    expect(err).toContain('scenes/dawn.md is not UTF-8 text: byte E9 in line 1.\nnib ma convert 1.1 ');
    expect(staged.got()).toEqual([]);
    expect(readFileSync(join(staged.root, 'scenes/dawn.md'))).toEqual(BYTES);
  });

  it('a scene that is not UTF-8 is not indexed', async () => {
    using staged = stage();
    expect((await staged.nib('ct index 1.1 --yes')).err).toContain('nib ma convert 1.1 changes it to UTF-8');
    expect(staged.got()).toEqual([]);
  });

  it('commands that skip a scene that is not UTF-8 name it', async () => {
    using staged = stage();
    for (const line of ['ma status', 'ma search mill', 'ct ask Who?', 'ma find a lie'])
      expect((await staged.nib(line)).err, line).toMatch(
        /^warning: not UTF-8, so .*: 1\.1\. nib ma convert 1\.1 /,
      );
    const find = staged.got().find(({ operation }) => operation === 'manuscript-search');
    expect(find?.paths).not.toContain('scenes/dawn.md');
  });

  it('nib ma convert shows a diff, asks, and keeps the old bytes', async () => {
    using staged = stage();
    const asked = await staged.nib('ma convert 1.1');
    expect(asked.code).toBe(1);
    expect(asked.out).toContain('-The caf<E9> was <93>closed<94>, said teh man.\n');
    expect(asked.out).toContain(`+${TEXT}`);
    expect(readFileSync(join(staged.root, 'scenes/dawn.md'))).toEqual(BYTES);
    const { code, err } = await staged.nib('ma convert 1 --yes');
    expect(code, err).toBe(0);
    expect(err).toContain('scenes/dawn.md: read as windows-1252.');
    expect(staged.read('scenes/dawn.md')).toBe(TEXT);
    const [kept = ''] = readdirSync(join(staged.root, '.nib/trash'));
    expect(readFileSync(join(staged.root, '.nib/trash', kept))).toEqual(BYTES);
    expect((await staged.nib('ma proof 1.1')).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(TEXT.replace('teh', 'the'));
  });

  it.each([
    ['utf-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
    ['utf-16be', Buffer.from(TEXT, 'utf16le').swap16()],
    ['mac-roman', Buffer.from('The caf\x8e was \xd2closed\xd3, said teh man.\n', 'latin1')],
  ])('nib ma convert converts from %s', async (from, bytes) => {
    using staged = stage('scenes/dawn.md', bytes);
    expect((await staged.nib(`ma convert scenes/dawn.md --from ${from} --yes`)).code).toBe(0);
    expect(staged.read('scenes/dawn.md')).toBe(TEXT);
  });

  it('nib ma convert refuses a wrong or unknown encoding', async () => {
    using staged = stage('scenes/dawn.md', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41]));
    expect((await staged.nib('ma convert 1.1 --from utf-16le --yes')).err).toContain('is not utf-16le');
    expect((await staged.nib('ma convert 1.1 --from ebcdic --yes')).err).toContain('and not from ebcdic');
  });

  it('nib ma convert does not guess for UTF-8 with one damaged place', async () => {
    using staged = stage('scenes/dawn.md', Buffer.concat([Buffer.from(TEXT), Buffer.from([0xe9])]));
    expect((await staged.nib('ma convert 1.1 --yes')).err).toContain('it was damaged rather than saved');
  });
});

describe('another file that is not UTF-8', () => {
  it.each([
    [
      'book.yaml',
      Buffer.from('title: Caf\xe9\n---\nbook:\n  base_dir: scenes\n  chapters: []\n', 'latin1'),
      'ch add',
    ],
    ['characters/ada.yaml', Buffer.from('name: Ad\xe9\n', 'latin1'), 'pr talk ada 1.1'],
    ['storydb/facts.csv', Buffer.from('id,scene\n1,\xe9\n', 'latin1'), 'sc rename dawn first'],
  ])('%s that is not UTF-8 is refused, and can be converted by its path', async (path, bytes, line) => {
    using staged = createBackendProject(createAnswerScript('Fine.'), { [path]: '' });
    writeFileSync(join(staged.root, path), bytes);
    const { code, err } = await staged.nib(line);
    expect(code).toBe(1);
    expect(err).toContain(`${path} is not UTF-8 text: byte E9 in line`);
    expect(readFileSync(join(staged.root, path))).toEqual(bytes);
    expect((await staged.nib(['ma', 'convert', path, '--yes'])).code).toBe(0);
    expect(staged.read(path)).toContain('é');
  });

  it('an index that is not UTF-8 can be reset, and its old bytes are kept', async () => {
    using staged = createBackendProject(createAnswerScript('Fine.'), { 'storydb/facts.csv': '' });
    const bytes = Buffer.from('id,scene\n1,\xe9\n', 'latin1');
    writeFileSync(join(staged.root, 'storydb/facts.csv'), bytes);
    expect((await staged.nib('ct reset --yes')).code).toBe(0);
    const kept = readdirSync(join(staged.root, '.nib/trash')).find((name) => name.includes('facts')) ?? '';
    expect(readFileSync(join(staged.root, '.nib/trash', kept))).toEqual(bytes);
  });
});

describe('a backend that writes', () => {
  it.each([
    [
      'bytes that are not UTF-8',
      `printf 'The mill stood still caf\\351. Ada had grey eyes.' > scenes/dawn.md`,
    ],
    ['NUL', `printf 'The mill stood still. Ada had \\000 grey eyes.' > scenes/dawn.md`],
    [
      'U+FFFD where letters were',
      `printf 'The mill stood still. Ada had gr\\357\\277\\275y eyes.' > scenes/dawn.md`,
    ],
  ])('a backend that writes %s into a scene is refused, also with --yes', async (_what, script) => {
    using staged = createBackendProject(createAnswerScript('Done.', script));
    const before = staged.read('scenes/dawn.md');
    const { code, err } = await staged.nib('ma proof 1.1 --yes');
    expect(code).toBe(1);
    expect(err).toContain('The backend wrote bytes that are not UTF-8 text');
    expect(staged.read('scenes/dawn.md')).toBe(before);
  });
});
