import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { begun, ended, home, say, shellAgent, type Up } from './gateway.ts';

const mark = (name: string): string => `plugboard-reload-${process.pid}-${name}`;

const replies = (text: string): string => shellAgent(`echo ${text}`);

async function agents(up: Up): Promise<string[]> {
  const { json } = await up.api<{ agents: { name: string }[] }>('GET', '/api/agents');
  return json.agents.map(({ name }) => name);
}

function readAgain(up: Up, times = 1): Promise<void> {
  return until(() => up.stderr.split('was read again').length > times, 'the configuration is read again');
}

describe.concurrent('a configuration that is changed while the gateway is up', () => {
  it('is taken over: agents come, go and change; a running turn finishes with the agent it began with', async () => {
    const own = mark('old');
    const slow = (word: string): string =>
      shellAgent(`echo 'AGENT_PARTIAL:"begun"'; sleep 1.5; echo 'AGENT_PARTIAL:" ${word}"'; : ${own}`);
    await using place = home(`agents:\n  slow: ${slow('old')}\n  gone: ${replies('gone')}\n`);
    const up = await place.up();
    const running = await say(up, 'hi', 'slow');
    await running.hears('the turn begins', begun);
    place.write(`agents:\n  slow: ${slow('new')}\n  came: ${replies('came')}\n`);
    await readAgain(up);
    expect(up.stderr).toContain('added="came" removed="gone" changed="slow"');
    expect(await agents(up)).toEqual(['slow', 'came']);
    const came = await say(up, 'hi', 'came');
    expect(await came.hears('the new one answers', ended)).toMatchObject({ text: 'came' });
    expect(await running.hears('the old one finishes', ended)).toMatchObject({ text: 'begun old' });
    const again = await say(up, 'hi', 'slow');
    expect(await again.hears('the changed one answers', ended)).toMatchObject({ text: 'begun new' });
    await until(() => processesWith(own).length === 0, 'nothing is left');
  });

  it('keeps the old one when the file is bad, says where, and is well when it is good again', async () => {
    await using place = home(`agents: { one: ${replies('one')} }\n`);
    const up = await place.up();
    place.write(`agents:\n  two: ${replies('two')}\nsrver: {}\n`);
    await until(() => up.stderr.includes('stays as it was'), 'the problem is told');
    expect(up.stderr).toMatch(/plugboard\.yaml:3:1: unknown field "srver"\. Did you mean "server"\?/);
    expect(await agents(up)).toEqual(['one']);
    const still = await say(up, 'hi', 'one');
    expect(await still.hears('the old one answers', ended)).toMatchObject({ text: 'one' });
    // As editors and deployments do it: written beside, and moved into place.
    writeFileSync(join(place.path, 'next'), `agents: { two: ${replies('two')} }\n`);
    renameSync(join(place.path, 'next'), join(place.path, 'plugboard.yaml'));
    await readAgain(up);
    expect(await agents(up)).toEqual(['two']);
    // The session of an agent that is gone says so, and can be given to another.
    await up.api('POST', `/api/sessions/${still.id}/messages`, { text: 'again' });
    await still.hears('it says so', ({ error }) => (error as { code?: string })?.code === 'unknown-agent');
  });

  it('says what needs a restart, and reads secrets anew at SIGHUP', async () => {
    await using place = home(`agents: { one: ${replies('one')} }\n`);
    const up = await place.up('--port', '0');
    place.write(`agents: { one: ${replies('one')} }\nstore: { synchronous: normal }\nspawn: node\n`);
    await until(
      () => up.stderr.includes('spawn, store.synchronous: this takes effect when'),
      'it says what needs a restart',
    );
    const before = up.stderr.length;
    up.child.kill('SIGHUP');
    expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
    expect(up.stderr.length).toBe(before);
    expect(await up.end()).toBe(0);
  });

  it('says that another port needs a restart', async () => {
    const free = 20_000 + (process.pid % 20_000);
    await using place = home(`server: { port: ${free} }\n`);
    const up = place.start([]);
    await until(() => up.url !== '', 'it comes up');
    place.write(`server: { port: ${free + 1} }\n`);
    await until(() => up.stderr.includes('server.port: this takes effect when'), 'it says so');
    expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
  });
});
