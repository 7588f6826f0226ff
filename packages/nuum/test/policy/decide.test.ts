import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decide } from '../../src/policy/decide.ts';
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
  return decide(policy, { name: tool, effect: EFFECTS[tool] ?? 'network' }, [subject], work);
}

const path = (value: string): Subject => ({ kind: 'path', value });
const command = (value: string): Subject => ({ kind: 'command', value });
const url = (value: string): Subject => ({ kind: 'url', value });

describe('an entry that stands in every prompt', () => {
  const entry: Subject = { kind: 'entry', value: 'identity' };

  it('is asked about, unless a rule speaks of it', () => {
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
  it('lets files be read inside and outside the working directory', () => {
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
  ])('keeps ~/%s closed', (name) => expect(decisionOn('read', path(join(home, name))).decision).toBe('deny'));

  it('keeps secrets closed that are reached through a link', () => {
    symlinkSync(join(home, '.ssh'), join(work, 'innocent'));
    expect(decisionOn('read', path(join(work, 'innocent', 'id_rsa'))).decision).toBe('deny');
  });

  it('keeps the environment of processes closed, our own above all', () => {
    expect(decisionOn('read', path('/proc/self/environ')).decision).toBe('deny');
    expect(decisionOn('read', path('/proc/1/environ')).decision).toBe('deny');
    expect(decisionOn('read', path('/proc/cpuinfo')).decision).toBe('allow');
  });

  it('lets the .env file of the work itself and examples elsewhere be read', () => {
    expect(decisionOn('read', path(join(work, '.env'))).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.env.example'))).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.env.production'))).decision).toBe('deny');
  });

  it('confines writing to the working directory', () => {
    expect(decisionOn('write', path(join(work, 'new', 'deep', 'file'))).decision).toBe('allow');
    expect(decisionOn('edit', path(join(place.path, 'outside', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(`${work}-sibling/x`)).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, '..', 'outside', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(`${work}/src/../../outside/x`)).decision).toBe('deny');
  });

  it('is not fooled by links out of the working directory', () => {
    symlinkSync(join(place.path, 'outside'), join(work, 'folder'));
    writeFileSync(join(place.path, 'outside', 'file'), '');
    symlinkSync(join(place.path, 'outside', 'file'), join(work, 'file'));
    expect(decisionOn('write', path(join(work, 'folder', 'x'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'file'))).decision).toBe('deny');
  });

  it('is not fooled by links that lead nowhere yet', () => {
    symlinkSync(join(place.path, 'outside', 'not-there'), join(work, 'dangling'));
    symlinkSync('dangling', join(work, 'twice'));
    symlinkSync('../outside/not-there-either', join(work, 'relative'));
    expect(decisionOn('write', path(join(work, 'dangling'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'dangling', 'below'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'twice'))).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'relative'))).decision).toBe('deny');
  });

  it('refuses a path whose links go in a circle', () => {
    symlinkSync('b', join(work, 'a'));
    symlinkSync('a', join(work, 'b'));
    expect(decisionOn('write', path(join(work, 'a', 'x'))).decision).toBe('deny');
  });

  it('follows a working directory that is a link itself', () => {
    symlinkSync(work, join(place.path, 'alias'));
    const alias = join(place.path, 'alias');
    const verdict = decide(
      createPolicy({}),
      { name: 'write', effect: 'write' },
      [path(join(alias, 'x'))],
      alias,
    );
    expect(verdict.decision).toBe('allow');
  });

  it('tells where the paths lead', () => {
    symlinkSync(join(work, 'src'), join(work, 'link'));
    const asked = join(work, 'link', 'x');
    expect(decisionOn('write', path(asked)).paths.get(asked)).toBe(join(work, 'src', 'x'));
  });

  it('lets commands run and addresses be fetched', () => {
    expect(decisionOn('bash', command('rm -rf build')).decision).toBe('allow');
    expect(decisionOn('web_fetch', url('https://example.com/')).decision).toBe('allow');
    expect(decisionOn('server__tool', { kind: 'none', value: '' }).decision).toBe('allow');
  });
});

describe('with rules', () => {
  it('lets deny beat ask and ask beat allow, however precise they are', () => {
    const rules = { allow: ['bash:git status'], ask: ['bash:git *'], deny: ['bash'] };
    expect(decisionOn('bash', command('git status'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('git status'), { ...rules, deny: [] }).decision).toBe('ask');
    expect(decisionOn('bash', command('git status'), { allow: rules.allow }).decision).toBe('allow');
  });

  it('names the rule that decided', () => {
    expect(decisionOn('bash', command('x'), { ask: ['bash'] })).toMatchObject({
      decision: 'ask',
      rule: '--ask bash',
    });
  });

  it('asks about commands that are not among the allowed', () => {
    const rules = { allow: ['bash:git *', 'bash:npm test'] };
    expect(decisionOn('bash', command('git log && npm test'), rules).decision).toBe('allow');
    expect(decisionOn('bash', command('git'), rules).decision).toBe('allow');
    expect(decisionOn('bash', command('git log && curl x'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('git log $(curl x)'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('git log > ~/.bashrc'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command('PATH=/tmp git log'), rules).decision).toBe('ask');
    expect(decisionOn('bash', command("cd '/elsewhere'\nnpm test"), rules).decision).toBe('ask');
  });

  it('finds a refused command in any part of the line', () => {
    const rules = { deny: ['bash:rm *'] };
    expect(decisionOn('bash', command('ls; rm -rf x'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('echo $(sudo rm -rf x)'), rules).decision).toBe('deny');
    expect(decisionOn('bash', command('ls; echo warm'), rules).decision).toBe('allow');
  });

  it('widens where files may be written', () => {
    const rules = { allow: [`write:${place.path}/outside/**`] };
    expect(decisionOn('write', path(join(place.path, 'outside', 'x')), rules).decision).toBe('allow');
    expect(decisionOn('edit', path(join(place.path, 'outside', 'x')), rules).decision).toBe('allow');
    expect(decisionOn('write', path(join(work, 'x')), rules).decision).toBe('allow');
    expect(decisionOn('write', path(join(place.path, 'elsewhere')), rules).decision).toBe('deny');
  });

  it('holds a relative pattern against where a path really leads', () => {
    const rules = { deny: ['write:src/**'] };
    expect(decisionOn('write', path(join(work, 'src', 'a')), rules).decision).toBe('deny');
    expect(decisionOn('edit', path(join(work, 'src', 'a')), rules).decision).toBe('deny');
    symlinkSync(join(work, 'src'), join(work, 'link'));
    expect(decisionOn('write', path(join(work, 'link', 'a')), rules).decision).toBe('deny');
    expect(decisionOn('write', path(join(work, 'other')), rules).decision).toBe('allow');
  });

  it('does not let a link into an allowed place become a way out of it', () => {
    mkdirSync(join(place.path, 'outside', 'open'));
    symlinkSync('/etc', join(place.path, 'outside', 'open', 'way'));
    const rules = { allow: [`write:${place.path}/outside/open/**`] };
    expect(decisionOn('write', path(join(place.path, 'outside/open/way/passwd')), rules).decision).toBe(
      'deny',
    );
  });

  it('follows a link that stands in the pattern', () => {
    symlinkSync(join(place.path, 'outside'), join(place.path, 'alias'));
    const rules = { allow: [`write:${place.path}/alias/**`] };
    expect(decisionOn('write', path(join(place.path, 'alias', 'x')), rules).decision).toBe('allow');
  });

  it('opens a place of secrets that a rule names', () => {
    const rules = { allow: ['read:~/.ssh/config'] };
    expect(decisionOn('read', path(join(home, '.ssh/config')), rules).decision).toBe('allow');
    expect(decisionOn('read', path(join(home, '.ssh/id_rsa')), rules).decision).toBe('deny');
  });

  it('takes a rule for reading as one for searching', () => {
    expect(decisionOn('grep', path(join(work, 'src')), { deny: ['read:src'] }).decision).toBe('deny');
    expect(decisionOn('read', path(join(work, 'src')), { deny: ['grep:src'] }).decision).toBe('allow');
  });

  it('holds patterns of addresses against their normal form', () => {
    const rules = { allow: ['web_fetch:https://docs.example.com/*'] };
    expect(decisionOn('web_fetch', url('https://DOCS.example.com/a'), rules).decision).toBe('allow');
    expect(decisionOn('web_fetch', url('https://docs.example.com.evil.test/a'), rules).decision).toBe('ask');
    expect(decisionOn('web_fetch', url('https://evil.test/https://docs.example.com/'), rules).decision).toBe(
      'ask',
    );
  });

  it('speaks of tools of servers by pattern', () => {
    const rules = { ask: ['files__*'] };
    expect(decisionOn('files__delete', { kind: 'none', value: '' }, rules).decision).toBe('ask');
    expect(decisionOn('other__delete', { kind: 'none', value: '' }, rules).decision).toBe('allow');
  });

  it('takes a tool by the name of an inherited property for what it is', () => {
    expect(decisionOn('constructor', { kind: 'none', value: '' }, { deny: ['bash'] }).decision).toBe('allow');
  });

  it('gives a call that touches several things the strictest answer', () => {
    const policy = createPolicy({ deny: ['write:src/**'] });
    const subjects = [path(join(work, 'a')), path(join(work, 'src', 'b'))];
    expect(decide(policy, { name: 'write', effect: 'write' }, subjects, work).decision).toBe('deny');
  });

  it('sees a directory that was swapped for a link in between', () => {
    mkdirSync(join(work, 'build'));
    const asked = join(work, 'build', 'x');
    const first = decisionOn('write', path(asked));
    rmSync(join(work, 'build'), { recursive: true });
    symlinkSync(join(place.path, 'outside'), join(work, 'build'));
    expect(first.paths.get(asked)).not.toBe(decisionOn('write', path(asked)).paths.get(asked));
    expect(decisionOn('write', path(asked)).decision).toBe('deny');
  });
});
