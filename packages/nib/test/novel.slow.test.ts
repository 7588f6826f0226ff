import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyNovel, PROGRAM } from './novel.ts';

describe.concurrent('the sample novel', () => {
  it('every reading command reads the sample novel', async () => {
    using book = copyNovel();
    const said = async (line: string): Promise<string> => {
      const { code, out } = await book.nib(line);
      expect(code, line).toBe(0);
      return out;
    };
    expect(await said('--version')).toBe('0.1.0\n');
    expect((await said('ma toc')).match(/^ {4}\d+\.\d+ {2}/gm)).toHaveLength(60);
    expect(await said('ma toc')).toContain('4  Interlude\n');
    expect(await said('ma status')).toMatch(/\d{5} words in 60 scenes and 16 chapters; 13 indexed\.\n$/);
    expect((await said('ch list')).trim().split('\n')).toHaveLength(16);
    expect(await said('sc list -c 4')).toContain(
      '4.2  telegram-to-highpan        scenes/documents/telegram-to-highpan.md',
    );
    expect((await said('pr list')).split('\n')).toContain('petra-lindqvist\tDr Petra Lindqvist');
    expect(await said('ma search green eyes')).toMatch(/^2\.3:3: /);
    expect(JSON.parse(await said('ct characters'))).toContain('wren-vane');
    expect(await said('ct chapters nell-tarrow ivo-marsh')).toBe('["1.4","2.3"]\n');
    expect(JSON.parse(await said('ct recap 1-3 --detailed')).chapters[2]).toMatchObject({
      chapter: 3,
      name: 'The Constance',
    });
    expect(existsSync(join(book.root, '.nib'))).toBe(false);
  });

  it('every writing command changes the sample novel, and it stays valid', async () => {
    using book = copyNovel();
    const before = readFileSync(join(book.root, 'book.yaml'), 'utf8');
    for (const line of [
      'ch add --name Epilogue',
      'ch move 17 16',
      'ch name 1 The Counting House',
      'ch name 1 --clear',
      'sc add 16 after all',
      'sc rename 16.1 afterwards',
      'sc move 16.1 1.2',
      'sc move afterwards 4',
      'sc focus 4.3',
      'sc remove afterwards --yes',
      'sc rename brass-key the-brass-key',
      'sc rename the-brass-key brass-key',
      'ch remove 16',
      'pr add Alice Pell',
      'pr remove alice-pell --yes',
      'sc unfocus',
    ]) {
      const { code, out, err } = await book.nib(line);
      expect({ code, out }, `${line}: ${err}`).toEqual({ code: 0, out: '' });
    }
    expect(readFileSync(join(book.root, 'book.yaml'), 'utf8')).toBe(before);
    expect((await book.nib('ma status')).out).toContain('13 indexed');
    expect((await book.nib('ct reset --yes')).code).toBe(0);
    expect((await book.nib('ma status')).out).toContain('; 0 indexed');
    const left = readdirSync(book.root, { recursive: true }).map(String);
    expect(left.filter((name) => /nib-new|journal/.test(name))).toEqual([]);
  }, 90_000);

  it('a project found through a link is shown with that link', async () => {
    using book = copyNovel();
    const link = join(dirname(book.root), 'lînk');
    symlinkSync(book.root, link);
    const { out } = await book.nib('ma build', { cwd: join(link, 'scenes') });
    expect(out).toBe(`${link}/build/manuscript.md\n`);
    const text = readFileSync(join(book.root, 'build/manuscript.md'), 'utf8');
    expect(text.match(/^## /gm)).toHaveLength(15);
    expect(text.match(/^\*\*\*$/gm)).toHaveLength(45);
  });

  it('a scene opens in an editor with arguments', async () => {
    using book = copyNovel();
    book.tool('ed-it', 'printf "%s|" "$@" > "$HOME/edited"');
    const { code } = await book.nib('sc edit 4.1', {
      variables: { NIB_EDITOR: "ed-it --wait 'two words'", EDITOR: 'false' },
    });
    expect(code).toBe(0);
    const file = join(book.root, 'scenes/documents/letter-from-the-paymaster.md');
    expect(readFileSync(join(dirname(book.root), 'edited'), 'utf8')).toBe(`--wait|two words|${file}|`);
    expect((await book.nib('pr edit ivo-marsh', { variables: { EDITOR: 'false' } })).err).toContain(
      'ended with code 1',
    );
    expect((await book.nib('sc edit 1.1', { variables: { EDITOR: 'no-such-editor' } })).err).toContain(
      'not on the PATH',
    );
  });

  it('a failed run of pandoc keeps the last build', async () => {
    using book = copyNovel();
    book.tool('pandoc', 'while [ "$1" != --output ]; do shift; done; cat > "$2"');
    const { code, out } = await book.nib('ma build docx');
    expect({ code, out }).toEqual({ code: 0, out: `${book.root}/build/manuscript.docx\n` });
    const made = readFileSync(join(book.root, 'build/manuscript.docx'), 'utf8');
    expect(made).not.toContain('The Salt Ledger\n');
    expect(made.match(/^# /gm)).toHaveLength(15);
    book.tool('pandoc', 'echo "no font" >&2; exit 43');
    expect((await book.nib('ma build docx')).err).toContain('error: pandoc could not make docx: no font\n');
    expect(readFileSync(join(book.root, 'build/manuscript.docx'), 'utf8')).toBe(made);
    expect(readdirSync(join(book.root, 'build'))).toEqual(['manuscript.docx']);
  });

  it('changes by several nib processes at once are all kept', async () => {
    using book = copyNovel();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ends = await Promise.all(names.map((name) => book.nib(`sc add 16 at-once-${name}`)));
    expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0));
    const added = (await book.nib('sc list -c 16')).out.match(/ at-once-\w /g)?.map((one) => one.trim());
    expect(added?.sort()).toEqual(names.map((name) => `at-once-${name}`));
  });

  it('nib ends quietly when its stdout is closed', async () => {
    using book = copyNovel();
    const script = `set -o pipefail; '${process.execPath}' '${PROGRAM}' ma toc | true`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: book.root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe.concurrent('a new project', () => {
  it('a new project is a git repository with its backend recorded', async () => {
    using book = copyNovel();
    const parent = dirname(book.root);
    const { code, err } = await book.nib('init first-book --agent local --style third-close', {
      cwd: parent,
    });
    expect(code, err).toBe(0);
    const cwd = join(parent, 'first-book');
    expect(execFileSync('git', ['config', '--local', 'nib.agent'], { cwd, encoding: 'utf8' })).toBe(
      'local\n',
    );
    writeFileSync(join(cwd, 'book.yaml'), 'mine');
    expect((await book.nib('init . --skip', { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, 'book.yaml'), 'utf8')).toBe('mine');
  });
});
