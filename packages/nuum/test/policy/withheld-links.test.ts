import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideCall } from '../../src/policy/decide.ts';
import { createPolicy, type PolicyOptions } from '../../src/policy/policy.ts';
import { createLinkGuard } from '../../src/policy/withheld-links.ts';
import { createTools } from '../../src/tools/create.ts';
import { findLines } from '../../src/tools/search/find-lines.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { call, contextIn, succeed } from '../tools/context.ts';

let place: TemporaryDirectory;
let work: string;
let home: string;
const lifetime = new AbortController();

beforeEach(() => {
  place = temporaryDirectory();
  work = join(place.path, 'home', 'work');
  home = join(place.path, 'home');
  mkdirSync(work, { recursive: true });
});
afterEach(() => place[Symbol.dispose]());

function file(path: string, content: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A second name in the working directory. */
function linkTo(path: string, name = 'notes.txt'): string {
  const link = join(work, name);
  mkdirSync(dirname(link), { recursive: true });
  linkSync(path, link);
  return link;
}

function toolNamed(name: string, rules: PolicyOptions = {}): Tool {
  const policy = createPolicy({ home, ...rules });
  const tools = createTools({ policy, skills: { scan: () => [] }, lifetime: lifetime.signal });
  return tools.find((tool) => tool.name === name) ?? expect.fail(`no tool ${name}`);
}

const read = (rules?: PolicyOptions, filePath = 'notes.txt') =>
  call(toolNamed('read', rules), { filePath }, contextIn(work));

function grep(rules: PolicyOptions = {}) {
  return findLines({
    ...{ kind: 'lines', root: work, expression: 'password', flags: '', context: 0, hidden: true },
    ...{ modules: false, limit: 10, limitMs: 20_000, directory: work },
    policy: createPolicy({ home, ...rules }),
  });
}

describe('a hard link in the working directory', () => {
  it.each(['.ssh/id_ed25519', '.aws/sso/cache/token.json', '.bash_history', '.env', '.netrc'])(
    'to ~/%s is not read, searched, edited or overwritten',
    async (name) => {
      const secret = file(join(home, name), 'the password is marmalade\n');
      linkTo(secret);
      expect(await read()).toMatchObject({
        isError: true,
        content: expect.stringContaining(`hard link to ${secret}`),
      });
      expect(grep()).toMatchObject({ total: 0, hidden: 1 });
      const edit = { filePath: 'notes.txt', oldString: 'the', newString: 'a' };
      const edited = await call(toolNamed('edit'), edit, contextIn(work));
      expect(edited).toMatchObject({ isError: true, content: expect.not.stringContaining('marmalade') });
      const write = { filePath: 'notes.txt', content: 'mine' };
      expect((await call(toolNamed('write'), write, contextIn(work))).content).toContain('hard link to');
      expect(readFileSync(secret, 'utf8')).toBe('the password is marmalade\n');
    },
  );

  it('to a secret is not read either where the directory of the secret is a symbolic link', async () => {
    const kept = file(join(place.path, 'dotfiles', 'ssh', 'key'), 'password');
    symlinkSync(dirname(kept), join(home, '.ssh'));
    linkTo(kept);
    expect((await read()).content).toContain(`hard link to ${kept}`);
  });

  it('to a secret is read with a rule that allows the secret, and not with one for its new name', async () => {
    const secret = file(join(home, '.ssh', 'id_rsa'), 'password');
    linkTo(secret);
    expect((await read({ allow: [`read:${secret}`] })).isError).toBe(false);
    expect((await read({ allow: [`read:${join(work, 'notes.txt')}`] })).isError).toBe(true);
  });

  it('to a file of a deny rule or an ask rule is not read', async () => {
    file(join(work, 'private', 'deep', 'plan.txt'), 'password');
    linkTo(join(work, 'private', 'deep', 'plan.txt'));
    expect((await read()).isError).toBe(false);
    for (const rule of ['read:private/**', 'read:**/plan.txt']) {
      expect((await read({ deny: [rule] })).isError).toBe(true);
      expect((await read({ ask: [rule] })).isError).toBe(true);
      expect(grep({ deny: [rule] })).toMatchObject({ total: 0, hidden: 2 });
    }
  });

  it('to a file that is not withheld is read and searched', async () => {
    file(join(home, '.ssh', 'id_rsa'), 'password');
    linkTo(file(join(home, 'other', 'text'), 'password'));
    expect((await read()).isError).toBe(false);
    expect(grep()).toMatchObject({ total: 1, hidden: 0 });
  });

  it('is refused when there is too much to compare it with', () => {
    for (let n = 0; n < 30; n += 1) file(join(home, '.ssh', `key${n}`), 'x');
    const plain = linkTo(file(join(home, 'other', 'text'), 'password'));
    const guard = createLinkGuard(createPolicy({ home }), 'read', plain, work, 60);
    expect(guard(plain, { dev: 1, ino: 1, nlink: 2 })).toContain('too many files');
    expect(guard(plain, { dev: 1, ino: 1, nlink: 1 })).toBeUndefined();
  });
});

describe('the memory of nuum', () => {
  it.each(['', '-wal'])(
    'its file%s is neither read, searched nor written under any name or rule',
    async (end) => {
      const memory = join(work, 'memory.db');
      const part = file(memory + end, 'password');
      linkTo(part, 'copy.txt');
      symlinkSync(part, join(work, 'link.txt'));
      const rules = { memory, allow: ['read', 'write', 'grep'] };
      for (const name of [`memory.db${end}`, 'copy.txt', 'link.txt'])
        expect((await read(rules, name)).content).toContain('is the memory of nuum');
      expect(grep(rules)).toMatchObject({ total: 0, hidden: 2 });
      const written = await call(
        toolNamed('write', rules),
        { filePath: `memory.db${end}`, content: 'x' },
        contextIn(work),
      );
      expect(written.content).toContain('is the memory of nuum');
    },
  );

  it('a journal beside the memory cannot be written, which SQLite would roll back', async () => {
    const memory = file(join(work, 'memory.db'), '');
    const input = { filePath: 'memory.db-journal', content: 'x' };
    const { content } = await call(toolNamed('write', { memory }), input, contextIn(work));
    expect(content).toContain('is the memory of nuum');
  });
});

describe('the data directory of a gateway', () => {
  const data = (...parts: string[]): string => join(work, 'data', ...parts);
  const WITHHELD = ['gateway.json', 'plugboard.db', 'recordings/1.rec', 'secrets/bot.token'];

  it.each(WITHHELD)(
    '%s is withheld also within the working directory, by its name and by a link',
    async (name) => {
      file(data('agents.mark'), '');
      const own = file(data(...name.split('/')), 'password');
      const subject = { kind: 'path', value: own } as const;
      const policy = createPolicy({ home });
      expect(decideCall(policy, { name: 'read', effect: 'read' }, [subject], work).decision).toBe('deny');
      expect(grep()).toMatchObject({ total: 0, hidden: 1 });
      linkTo(own);
      expect((await read()).content).toContain(`hard link to ${own}`);
    },
  );

  it('a file of a project that has such a name is read', async () => {
    for (const name of WITHHELD.filter((one) => one !== 'plugboard.db')) file(join(work, name), 'password');
    expect(await succeed(toolNamed('read'), { filePath: 'recordings/1.rec' }, contextIn(work))).toContain(
      'password',
    );
    expect(grep()).toMatchObject({ total: 3, hidden: 0 });
    rmSync(join(work, 'gateway.json'));
  });
});
