import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { diffConfig, keepUnchanged } from '../../src/config/diff.ts';
import { same } from '../../src/config/equality.ts';
import { Secret } from '../../src/config/secret.ts';
import { folder } from './folder.ts';

async function both(
  before: string,
  after: string,
  environments: Record<string, string>[] = [],
): Promise<[Config, Config]> {
  using at = folder(before);
  const first = await at.read(environments[0]);
  at.write(after);
  return [first, await at.read(environments[1])];
}

const AGENTS = `env: [KEY]
agents:
  a: { dialect: nib, command: x, env: { KEY: "\${KEY}" } }
  b: { demo: true }
`;

describe('what tells two configurations apart', () => {
  it('is nothing when they say the same in other words', async () => {
    const [before, after] = await both('server: { port: 7420 }', '# the port is the usual one\n');
    expect(diffConfig(before, after)).toEqual({
      agents: { added: [], removed: [], changed: [] },
      channels: [],
      fields: [],
      restart: [],
      none: true,
    });
  });

  it('is agents that came, went and changed', async () => {
    const after = 'agents:\n  b: { demo: true, share: true }\n  c: { demo: true }\n';
    const [old, next] = await both(AGENTS, after, [{ KEY: '1' }]);
    expect(diffConfig(old, next)).toMatchObject({
      agents: { added: ['c'], removed: ['a'], changed: ['b'] },
      channels: [],
      fields: ['default_agent'],
      restart: ['env'],
      none: false,
    });
  });

  it('is what a variable holds, though the file is the same', async () => {
    const [old, next] = await both(AGENTS, AGENTS, [{ KEY: '1' }, { KEY: '2' }]);
    expect(diffConfig(old, next).agents.changed).toEqual(['a']);
  });

  it('is fields by the names the file has for them, those apart that need a restart', async () => {
    const [old, next] = await both(
      '',
      'server: { port: 1, public_url: https://a.b, body_bytes: 5000 }\nstore: { synchronous: normal }\nlimits: { grace_secs: 1 }\nspawn: node\nlog: { level: warn }\nchannels: { web: { enabled: false } }',
    );
    const { fields, restart } = diffConfig(old, next);
    expect(restart).toEqual([
      'spawn',
      'server.port',
      'server.public_url',
      'store.synchronous',
      'channels.web',
    ]);
    expect(fields).toEqual(['server.body_bytes', 'limits.grace_secs', 'log.level']);
  });
});

it('tells channels that must be started anew from those where other people may talk', async () => {
  const hook = (more: string): string =>
    `env: [KEY]\nchannels: { hook: { kind: webhook, url: "https://a.b", secret: "\${KEY}"${more} } }`;
  const secrets = [{ KEY: 'a secret of 24 characters' }, { KEY: 'a secret of 24 characters' }] as const;
  const [old, people] = await both(hook(''), hook(', allow: ["7"]'), [...secrets]);
  expect(diffConfig(old, people)).toMatchObject({
    channels: [],
    fields: ['channels.hook.access'],
  });
  const [, other] = await both(hook(''), hook(', edits: true'), [...secrets]);
  expect(diffConfig(old, other)).toMatchObject({
    channels: ['hook'],
    fields: ['channels.hook'],
  });
  const [none] = await both('', '');
  expect(diffConfig(none, old).channels).toEqual(['hook']);
  expect(diffConfig(old, none).channels).toEqual(['hook']);
});

it('keeps the very records of agents that are as they were', async () => {
  const [old, next] = await both(AGENTS, AGENTS.replace('demo: true', 'demo: true, share: true'), [
    { KEY: '1' },
    { KEY: '1' },
  ]);
  const kept = keepUnchanged(old, next);
  expect(kept.agents.get('a')).toBe(old.agents.get('a'));
  expect(kept.agents.get('b')).toBe(next.agents.get('b'));
});

it('compares secrets by what they hide', () => {
  expect(same({ a: new Secret('x') }, { a: new Secret('x') })).toBe(true);
  expect(same({ a: new Secret('x') }, { a: new Secret('y') })).toBe(false);
  expect(same([new Secret('x')], ['x'])).toBe(false);
});
