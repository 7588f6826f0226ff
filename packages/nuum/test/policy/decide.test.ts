import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decideCall } from '../../src/policy/decide.ts';
import { createPolicy, type PolicyOptions } from '../../src/policy/policy.ts';
import type { Effect, Subject } from '../../src/tools/tool.ts';

let place: TemporaryDirectory;
let work: string;
let home: string;

beforeEach(() => {
  place = temporaryDirectory();
  work = join(place.path, 'work');
  home = join(place.path, 'home');
  mkdirSync(join(work, 'src'), { recursive: true });
  mkdirSync(join(home, '.ssh'), { recursive: true });
  mkdirSync(join(place.path, 'outside'));
});
afterEach(() => place[Symbol.dispose]());

const EFFECTS: Record<string, Effect> = {
  read: 'read',
  grep: 'read',
  write: 'write',
  edit: 'write',
  bash: 'run',
};

function decisionOn(tool: string, subject: Subject, rules: PolicyOptions = {}) {
  const policy = createPolicy({ home, ...rules });
  return decideCall(policy, { name: tool, effect: EFFECTS[tool] ?? 'network' }, [subject], work);
}

const path = (value: string): Subject => ({ kind: 'path', value });
const command = (value: string): Subject => ({ kind: 'command', value });
const url = (value: string): Subject => ({ kind: 'url', value });

describe('an entry that stands in every prompt', () => {
  const entry: Subject = { kind: 'entry', value: 'identity' };

  it('writing a standing entry needs permission, unless a rule decides', () => {
    expect(decisionOn('knowledge_write', entry)).toMatchObject({ decision: 'ask' });
    expect(decisionOn('knowledge_write', entry, { allow: ['knowledge_write:identity'] }).decision).toBe(
      'allow',
    );
    expect(decisionOn('knowledge_write', entry, { allow: ['knowledge_write:behaviour'] }).decision).toBe(
      'ask',
    );
    expect(decisionOn('knowledge_write', entry, { deny: ['knowledge_write'] }).decision).toBe('deny');
  });
});

describe('without rules', () => {
  it('files may be read inside and outside the working directory without a rule', () => {
    expect(decisionOn('read', path(join(work, 'a'))).decision).toBe('allow');
    expect(decisionOn('read', path('/usr/include/stdio.h')).decision).toBe('allow');
  });

  it.each([
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.gnupg/x',
    '.netrc',
    '.config/gh/hosts.yml',
    '.env',
    '.ssh',
    '.local/state/plugboard/gateway/gateway.json',
    '.local/state/plugboard/gateway/plugboard.db',
    'elsewhere/state/gateway.json',
    '.local/share/nuum/agent.db',
    '.config/nuum/config.yaml',
    '.claude/.credentials.json',
    '.codex/auth.json',
    '.cargo/credentials.toml',
    '.vault-token',
    '.my.cnf',
    '.s3cfg',
    '.terraform.d/credentials.tfrc.json',
    '.config/rclone/rclone.conf',
    '.gem/credentials',
    '.mozilla/firefox/x.default/logins.json',
    '.password-store/web/site.gpg',
    '.bash_history',
    '.python_history',
    'other/server.key',
    'other/id_ed25519',
  ])('~/%s may not be read without a rule', (name) =>
    expect(decisionOn('read', path(join(home, name))).decision).toBe('deny'),
  );

  it.each([
    '.claude/skills/a/SKILL.md',
    '.codex/skills/a/SKILL.md',
    '.config/nuum/notes.md',
    'other/id_ed25519.pub',
  ])('~/%s may be read', (name) => expect(decisionOn('read', path(join(home, name))).decision).toBe('allow'));

  it('keys in the working directory may be read', () =>
    expect(decisionOn('read', path(join(work, 'test/server.key'))).decision).toBe('allow'));

  it('secrets may not be read through a link', () => {
    symlinkSync(join(home, '.ssh'), join(work, 'innocent'));
    expect(decisionOn('read', path(join(work, 'innocent', 'id_rsa'))).decision).toBe('deny');
  });

  it('secrets may not be read where their usual directory is a link to another', () => {
    mkdirSync(join(home, 'dotfiles', 'aws'), { recursive: true });
    writeFileSync(join(home, 'dotfiles', 'aws', 'credentials'), 'key');
    symlinkSync(join(home, 'dotfiles', 'aws'), join(home, '.aws'));
    for (const name of ['.aws/credentials', 'dotfiles/aws/credentials'])
      expect(decisionOn('read', path(join(home, name))).decision).toBe('deny');
  });

  it('the environment of processes may not be read, our own above all', () => {
    expect(decisionOn('read', path('/proc/self/environ')).decision).toBe('deny');
    expect(decisionOn('read', path('/proc/1/environ')).decision).toBe('deny');
    expect(decisionOn('read', path('/proc/cpuinfo')).decision).toBe('allow');
  });

  it('the .env file of the working directory and examples elsewhere may be read', () => {
    expect(decisionOn('read', path(join(work, '.env'))).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.env.example'))).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.env.production'))).decision).toBe('deny');
  });

  it('files may be written only within the working directory', () => {
    expect(decisionOn('write', path(join(work, 'new', 'deep', 'file'))).decision).toBe('allow');
    expect(decisionOn('edit', path(join(place.path, 'outside', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(`${work}-sibling/x`)).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, '..', 'outside', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(`${work}/src/../../outside/x`)).decision).toBe('deny');
  });

  it('a link out of the working directory does not allow writing there', () => {
    symlinkSync(join(place.path, 'outside'), join(work, 'folder'));
    writeFileSync(join(place.path, 'outside', 'file'), '');
    symlinkSync(join(place.path, 'outside', 'file'), join(work, 'file'));
    expect(decisionOn('write', path(join(work, 'folder', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'file'))).decision).toBe('deny');
  });

  it('a dangling link out of the working directory does not allow writing there', () => {
    symlinkSync(join(place.path, 'outside', 'not-there'), join(work, 'dangling'));
    symlinkSync('dangling', join(work, 'twice'));
    symlinkSync('../outside/not-there-either', join(work, 'relative'));
    expect(decisionOn('write', path(join(work, 'dangling'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'dangling', 'below'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'twice'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'relative'))).decision).toBe('deny');
  });

  it('a path whose links form a circle is refused', () => {
    symlinkSync('b', join(work, 'a'));
    symlinkSync('a', join(work, 'b'));
    expect(decisionOn('write', path(join(work, 'a', 'x'))).decision).toBe('deny');
  });

  it('a working directory that is a link is resolved', () => {
    symlinkSync(work, join(place.path, 'alias'));
    const alias = join(place.path, 'alias');
    const verdict = decideCall(
      createPolicy({}),
      { name: 'write', effect: 'write' },
      [path(join(alias, 'x'))],
      alias,
    );
    expect(verdict.decision).toBe('allow');
  });

  it('a decision has the real paths of a call', () => {
    symlinkSync(join(work, 'src'), join(work, 'link'));
    const asked = join(work, 'link', 'x');
    expect(decisionOn('write', path(asked)).paths.get(asked)).toBe(join(work, 'src', 'x'));
  });

  it('commands and addresses are allowed without a rule', () => {
    expect(decisionOn('bash', command('rm -rf build')).decision).toBe('allow');
    expect(decisionOn('web_fetch', url('https://example.com/')).decision).toBe('allow');
    expect(decisionOn('server__tool', { kind: 'none', value: '' }).decision).toBe('allow');
  });
});

describe('with rules', () => {
  it('deny beats ask and ask beats allow, however specific they are', () => {
    const rules = { allow: ['bash:git status'], ask: ['bash:git *'], deny: ['bash'] };
    expect(decisionOn('bash', command('git status'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('git status'), { ...rules, deny: [] }).decision).toBe('ask');
    expect(decisionOn('bash', command('git status'), { allow: rules.allow }).decision).toBe('allow');
  });

  it('a decision names its rule', () => {
    expect(decisionOn('bash', command('x'), { ask: ['bash'] })).toMatchObject({
      decision: 'ask',
      rule: '--ask bash',
    });
  });

  it('commands need permission when an allow rule names others', () => {
    const rules = { allow: ['bash:git *', 'bash:npm test'] };
    expect(decisionOn('bash', command('git log && npm test'), rules).decision).toBe('allow');
    expect(decisionOn('bash', command('git'), rules).decision).toBe('allow');
    expect(decisionOn('bash', command('git log && curl x'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('git log $(curl x)'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('git log > ~/.bashrc'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('PATH=/tmp git log'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command("cd '/elsewhere'\nnpm test"), rules).decision).toBe('ask');
  });

  it('a denied command is found in any part of the line', () => {
    const rules = { deny: ['bash:rm *'] };
    expect(decisionOn('bash', command('ls; rm -rf x'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('echo $(sudo rm -rf x)'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('ls; echo warm'), rules).decision).toBe('allow');
  });

  it('an allow rule extends the places where files may be written', () => {
    const rules = { allow: [`write:${place.path}/outside/**`] };
    expect(decisionOn('write', path(join(place.path, 'outside', 'x')), rules).decision).toBe('allow');
    expect(decisionOn('edit', path(join(place.path, 'outside', 'x')), rules).decision).toBe('allow');
    expect(decisionOn('write', path(join(work, 'x')), rules).decision).toBe('allow');
    expect(decisionOn('write', path(join(place.path, 'elsewhere')), rules).decision).toBe('deny');
  });

  it('a relative pattern is compared with the real path', () => {
    const rules = { deny: ['write:src/**'] };
    expect(decisionOn('write', path(join(work, 'src', 'a')), rules).decision).toBe('deny');
    expect(decisionOn('edit', path(join(work, 'src', 'a')), rules).decision).toBe('deny');
    symlinkSync(join(work, 'src'), join(work, 'link'));
    expect(decisionOn('write', path(join(work, 'link', 'a')), rules).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'other')), rules).decision).toBe('allow');
  });

  it('a link within an allowed place does not lead out of it', () => {
    mkdirSync(join(place.path, 'outside', 'open'));
    symlinkSync('/etc', join(place.path, 'outside', 'open', 'way'));
    const rules = { allow: [`write:${place.path}/outside/open/**`] };
    expect(decisionOn('write', path(join(place.path, 'outside/open/way/passwd')), rules).decision).toBe(
      'deny',
    );
  });

  it('links within a pattern are resolved', () => {
    symlinkSync(join(place.path, 'outside'), join(place.path, 'alias'));
    const rules = { allow: [`write:${place.path}/alias/**`] };
    expect(decisionOn('write', path(join(place.path, 'alias', 'x')), rules).decision).toBe('allow');
  });

  it('an allow rule opens a place of secrets', () => {
    const rules = { allow: ['read:~/.ssh/config'] };
    expect(decisionOn('read', path(join(home, '.ssh/config')), rules).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.ssh/id_rsa')), rules).decision).toBe('deny');
  });

  it('a rule for read also decides about searches', () => {
    expect(decisionOn('grep', path(join(work, 'src')), { deny: ['read:src'] }).decision).toBe('deny');
    expect(decisionOn('read', path(join(work, 'src')), { deny: ['grep:src'] }).decision).toBe('allow');
  });

  it('patterns of URLs are compared with their normal form', () => {
    const rules = { allow: ['web_fetch:https://docs.example.com/*'] };
    expect(decisionOn('web_fetch', url('https://DOCS.example.com/a'), rules).decision).toBe('allow');
    expect(decisionOn('web_fetch', url('https://docs.example.com.evil.test/a'), rules).decision).toBe('ask');
    expect(decisionOn('web_fetch', url('https://evil.test/https://docs.example.com/'), rules).decision).toBe(
      'ask',
    );
  });

  it('a rule may name tools of servers by a pattern', () => {
    const rules = { ask: ['files__*'] };
    expect(decisionOn('files__delete', { kind: 'none', value: '' }, rules).decision).toBe('ask');
    expect(decisionOn('other__delete', { kind: 'none', value: '' }, rules).decision).toBe('allow');
  });

  it('a tool with the name of an inherited property has the rules of its own name', () => {
    expect(decisionOn('constructor', { kind: 'none', value: '' }, { deny: ['bash'] }).decision).toBe('allow');
  });

  it('a call with several subjects gets the strictest decision', () => {
    const policy = createPolicy({ deny: ['write:src/**'] });
    const subjects = [path(join(work, 'a')), path(join(work, 'src', 'b'))];
    expect(decideCall(policy, { name: 'write', effect: 'write' }, subjects, work).decision).toBe('deny');
  });

  it('a directory that was replaced by a link after the decision is detected', () => {
    mkdirSync(join(work, 'build'));
    const asked = join(work, 'build', 'x');
    const first = decisionOn('write', path(asked));
    rmSync(join(work, 'build'), { recursive: true });
    symlinkSync(join(place.path, 'outside'), join(work, 'build'));
    expect(first.paths.get(asked)).not.toBe(decisionOn('write', path(asked)).paths.get(asked));
    expect(decisionOn('write', path(asked)).decision).toBe('deny');
  });
});
