import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { type ConfigWatch, watchConfig } from '../../src/config/watch.ts';
import { type Folder, folder } from './folder.ts';

const SETTLE = 40;
const port = (number: number): string => `server: { port: ${number} }\n`;

interface Watched extends Disposable {
  readonly watch: ConfigWatch;
  /** The ports of the configurations that took effect. */
  readonly ports: number[];
  readonly configs: Config[];
  readonly problems: Error[];
}

async function watched(at: Folder, settleMs = SETTLE): Promise<Watched> {
  const load = (): Promise<Config> => at.read();
  const seen = { ports: [] as number[], configs: [] as Config[], problems: [] as Error[] };
  const watch = watchConfig(at.config, load, {
    current: await load(),
    settleMs,
    onChange: (config) => {
      seen.ports.push(config.server.port);
      seen.configs.push(config);
    },
    onProblem: (error) => seen.problems.push(error),
  });
  await watch.reload();
  return { ...seen, watch, [Symbol.dispose]: () => watch.close() };
}

describe('a configuration that is watched', () => {
  it('takes effect when its file is written', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    at.write(port(2));
    await expect.poll(() => config.ports).toEqual([2]);
    at.write(port(3));
    await expect.poll(() => config.ports).toEqual([2, 3]);
    expect(config.problems).toEqual([]);
  });

  it.each(['', '# nothing\n', 'server: { port: 9 }\n'])(
    'goes on with its agents when its file names none any more: %j',
    async (empty) => {
      using at = folder('agents: { one: { dialect: agentproc, command: echo } }\n');
      using config = await watched(at);
      at.write(empty);
      await expect
        .poll(() => config.problems.map(({ message }) => message))
        .toEqual([expect.stringContaining('The file names no agents any more')]);
      expect(config.configs).toEqual([]);
      at.write('agents: { two: { dialect: agentproc, command: echo } }\n');
      await expect.poll(() => config.configs.map(({ agents }) => [...agents.keys()])).toEqual([['two']]);
    },
  );

  it('takes effect when another file is renamed over it', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    for (const next of [2, 3]) {
      renameSync(at.write(port(next), '.plugboard.yaml.new'), at.config);
      await expect.poll(() => config.ports.at(-1)).toBe(next);
    }
  });

  it('takes effect when a link on the way to it is turned, as deployments do', async () => {
    using at = folder({ 'one/plugboard.yaml': port(1), 'two/plugboard.yaml': port(2) });
    symlinkSync('one', join(at.path, 'data'));
    symlinkSync('data/plugboard.yaml', at.config);
    using config = await watched(at);
    symlinkSync('two', join(at.path, 'data.new'));
    renameSync(join(at.path, 'data.new'), join(at.path, 'data'));
    await expect.poll(() => config.ports).toEqual([2]);
  });

  it('takes effect when the file is written that a link leads to, and when another is renamed over that', async () => {
    using at = folder({ 'real/deep/pb.yaml': port(1) });
    symlinkSync('deep/pb.yaml', join(at.path, 'real/middle.yaml'));
    symlinkSync('real/middle.yaml', at.config);
    using config = await watched(at);
    at.write(port(2), 'real/deep/pb.yaml');
    await expect.poll(() => config.ports).toEqual([2]);
    renameSync(at.write(port(3), 'real/deep/.new'), join(at.path, 'real/deep/pb.yaml'));
    await expect.poll(() => config.ports).toEqual([2, 3]);
    at.write(port(4), 'real/other.yaml');
    symlinkSync('other.yaml', join(at.path, 'real/link.new'));
    renameSync(join(at.path, 'real/link.new'), join(at.path, 'real/middle.yaml'));
    await expect.poll(() => config.ports).toEqual([2, 3, 4]);
    expect(config.problems).toEqual([]);
  });

  it('takes effect when the file of a circle of links is there at last', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    unlinkSync(at.config);
    symlinkSync('plugboard.yaml', at.config);
    await expect.poll(() => config.problems.length).toBe(1);
    unlinkSync(at.config);
    at.write(port(2));
    await expect.poll(() => config.ports).toEqual([2]);
  });

  it('is not read while it is being written', async () => {
    using at = folder(port(1));
    using config = await watched(at, 400);
    for (const part of ['', 'server: {', `server: { port: 2`]) {
      writeFileSync(at.config, part);
      await pause(20);
    }
    at.write(port(2));
    await expect.poll(() => config.ports).toEqual([2]);
    expect(config.problems).toEqual([]);
  });

  it('stays in effect when its file turns bad, says so once, and follows when it is good again', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    at.write('server: { prot: 2 }\n');
    await expect.poll(() => config.problems.length).toBe(1);
    expect(config.problems[0]?.message).toContain('unknown field "prot". Did you mean "port"?');
    at.write('server: { prot: 2 }\n# still\n');
    expect(await config.watch.reload()).toBe('problem');
    expect(config.problems).toHaveLength(1);
    expect(config.ports).toEqual([]);
    at.write(port(3));
    await expect.poll(() => config.ports).toEqual([3]);
    at.write('server: { prot: 2 }\n');
    await expect.poll(() => config.problems.length).toBe(2);
  });

  it('stays in effect when its file is gone, and follows when it is back', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    unlinkSync(at.config);
    await expect.poll(() => config.problems.length).toBe(1);
    at.write(port(2));
    await expect.poll(() => config.ports).toEqual([2]);
  });

  it('is not disturbed by a file beside it that is written all the time', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    const busy = setInterval(() => at.write(String(Math.random()), 'busy.db'), 5);
    try {
      at.write(port(2));
      await expect.poll(() => config.ports).toEqual([2]);
    } finally {
      clearInterval(busy);
    }
  });

  it('is not read again for nothing', async () => {
    using at = folder(port(1));
    const current = await at.read();
    let reads = 0;
    const load = (): Promise<Config> => {
      reads += 1;
      return at.read();
    };
    const watch = watchConfig(at.config, load, { current, settleMs: 10, onChange() {}, onProblem() {} });
    await expect.poll(() => reads).toBe(1);
    at.write('x', 'other');
    await pause(100);
    expect(reads).toBe(1);
    watch.close();
  });

  it('notices what changed before it was watched', async () => {
    using at = folder(port(1));
    const current = await at.read();
    at.write(port(2));
    const ports: number[] = [];
    const watch = watchConfig(at.config, () => at.read(), {
      current,
      settleMs: SETTLE,
      onChange: ({ server }) => void ports.push(server.port),
      onProblem() {},
    });
    await expect.poll(() => ports).toEqual([2]);
    watch.close();
  });
});

describe('a profile that a watched configuration names', () => {
  const TWO = 'agents: { a: { profile: sub/a.yaml }, b: { dialect: nib, command: x } }\n';

  it('is watched too, and the other agents stay the very same', async () => {
    using at = folder({ 'plugboard.yaml': TWO, 'sub/a.yaml': 'command: one\n' });
    using config = await watched(at);
    at.write('command: two\n', 'sub/a.yaml');
    await expect.poll(() => config.configs.length).toBe(1);
    at.write('command: three\n', 'sub/a.yaml');
    await expect.poll(() => config.configs.length).toBe(2);
    const [second, third] = config.configs;
    expect(third?.agents.get('a')?.profile.settings.command).toEqual({ argv: ['three'] });
    expect(third?.agents.get('b')).toBe(second?.agents.get('b'));
  });

  it('may be put there after the configuration', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    mkdirSync(join(at.path, 'sub'));
    at.write(TWO);
    await expect.poll(() => config.problems.length).toBe(1);
    at.write('command: one\n', 'sub/a.yaml');
    await expect.poll(() => config.configs.length).toBe(1);
  });
});

describe('reading again on request', () => {
  it('tells what came of it', async () => {
    using at = folder(port(1));
    using config = await watched(at);
    expect(await config.watch.reload()).toBe('unchanged');
    at.write(port(2));
    expect(await config.watch.reload()).toBe('changed');
    at.write('server: 1');
    expect(await config.watch.reload()).toBe('problem');
  });

  it('leaves the old one in effect when the new one cannot be applied', async () => {
    using at = folder(port(1));
    const problems: Error[] = [];
    let refuse = true;
    const watch = watchConfig(at.config, () => at.read(), {
      current: await at.read(),
      onChange() {
        if (refuse) throw new Error('no');
      },
      onProblem: (error) => problems.push(error),
    });
    at.write(port(2));
    expect(await watch.reload()).toBe('problem');
    refuse = false;
    expect(await watch.reload()).toBe('changed');
    expect(problems.map(({ message }) => message)).toEqual(['no']);
    watch.close();
  });
});

it('does nothing any more once it is closed', async () => {
  using at = folder(port(1));
  const config = await watched(at);
  config.watch.close();
  at.write(port(2));
  await pause(SETTLE * 4);
  expect(config.ports).toEqual([]);
  rmSync(at.path, { recursive: true });
});
