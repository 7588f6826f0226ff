import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLUGBOARD, processesWith, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { type Person, startEditor } from '../../packages/cli/test/editor.ts';
import { home, type Logged, say, type Up } from '../../packages/cli/test/gateway.ts';
import { type Options, plugboard } from '../../packages/cli/test/plugboard.ts';
import type { Scene } from './scene.ts';
import { AGENTS, type AgentName, type RealAgent } from './table.ts';

/** Runs the program through each way to an agent: `plugboard run` and `chat`, a gateway, and an editor. */
export function describeDoors(name: AgentName, scene: () => Scene): void {
  const { askedCommand }: RealAgent = AGENTS[name];
  const touch = `run ${askedCommand.replace('FILE', 'made')}`;

  it('answers in plugboard run, by the profile that comes with Plugboard', async () => {
    const command = installed(name, scene());
    const done = await plugboard(['run', '--agent', name, '-m', 'hello there'], command);
    expect(done).toMatchObject({ code: 0, stdout: 'You said: hello there\n' });
  });

  it('remembers in plugboard chat what was said', async () => {
    const command = installed(name, scene());
    // One after the other: a message during an answer would be taken into its turn.
    const during: Options['during'] = async (child, output) => {
      child.stdin?.write('hello there\n');
      await until(() => output().includes('You said: hello there\n'), 'the first answer', 60_000);
      child.stdin?.end('count them\n');
    };
    const done = await plugboard(['chat', '--agent', name], { ...command, during });
    expect(done).toMatchObject({ code: 0, stdout: 'You said: hello there\nThere were 2 messages.\n' });
  });

  it('answers in a gateway, asks through its API, and goes on with the session after a kill of the gateway', async () => {
    const place = scene();
    const fields = { ...place.fields, approvals: { default: 'ask' } };
    await using gateway = home(JSON.stringify({ agents: { real: fields } }));
    const up = await gateway.up();
    const session = await say(up, touch);
    const allowed = await answerQuestion(up, session.id, 'allow');
    expect(allowed).toBe(202);
    await untilEnds(up, session.id, 1);
    expect(existsSync(join(place.workspace, 'made'))).toBe(true);

    await up.api('POST', `/api/sessions/${session.id}/messages`, { text: 'slow one' });
    await until(
      async () => (await eventsOf(up, session.id)).some(({ event }) => /tick/.test(String(event.text))),
      'the answer to begin',
      60_000,
    );
    const before = processesWith(place.path);
    expect(before).not.toEqual([]);
    await up.end('SIGKILL');
    await place.untilResumable();
    const next = await gateway.up();
    expect(processesWith(place.path).filter((pid) => before.includes(pid))).toEqual([]);
    await expectGoesOn(next, session.id);
  });

  it('answers an editor through plugboard serve --as acp, which asks the person there', async () => {
    const { path, fields, workspace } = scene();
    const file = join(path, 'profile.yaml');
    writeFileSync(file, JSON.stringify(fields));
    const env = { PLUGBOARD_HOME: join(path, 'state') };
    const command = [...PLUGBOARD, 'serve', '--as', 'acp', file];
    const editor = startEditor(command, { cwd: workspace, env, person: { permission: allowOnce } });
    try {
      await editor.initialize();
      const session = await editor.open();
      expect(await editor.prompt(session, 'hello there')).toBe('end_turn');
      expect(editor.textOf(session)).toBe('You said: hello there');
      expect(await editor.prompt(session, touch)).toBe('end_turn');
      expect(existsSync(join(workspace, 'made'))).toBe(true);
      expect(await editor.close()).toBe(0);
      expect(processesWith(path)).toEqual([]);
    } finally {
      editor.child.kill('SIGKILL');
    }
  });
}

const allowOnce: NonNullable<Person['permission']> = ({ options }) => {
  const optionId = options.find(({ kind }) => kind === 'allow_once')?.optionId ?? '';
  return { outcome: { outcome: 'selected', optionId } };
};

/** A machine on which the program is installed under its own name. */
function installed(name: AgentName, { path, fields, workspace }: Scene) {
  const bin = join(path, 'bin');
  mkdirSync(bin);
  const { arguments: added = [] }: RealAgent = AGENTS[name];
  const words = fields.command as readonly string[];
  const program = words.slice(0, words.length - added.length).map((word) => `'${word}'`);
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${program.join(' ')} "$@"\n`);
  chmodSync(join(bin, name), 0o755);
  const env = {
    ...(fields.env as Record<string, string>),
    PATH: `${bin}:${process.env.PATH}`,
    PLUGBOARD_HOME: join(path, 'state'),
  };
  return { cwd: workspace, env };
}

async function eventsOf(up: Up, session: string): Promise<readonly Logged[]> {
  const path = `/api/sessions/${session}/events?after=0`;
  return (await up.api<{ events: Logged[] }>('GET', path)).json.events;
}

async function untilEnds(up: Up, session: string, count: number): Promise<readonly Logged['event'][]> {
  let ends: Logged['event'][] = [];
  await until(
    async () => {
      ends = (await eventsOf(up, session)).map(({ event }) => event).filter(({ type }) => type === 'end');
      return ends.length >= count;
    },
    `the end of turn ${count}`,
    60_000,
  );
  return ends;
}

interface OpenQuestion {
  readonly id: string;
  readonly question: { readonly options: readonly { readonly id: string; readonly effect?: string }[] };
}

/** Waits for the question of a session and answers it; the status of the answer. */
async function answerQuestion(up: Up, session: string, effect: string): Promise<number> {
  let asks: readonly OpenQuestion[] = [];
  await until(
    async () => {
      const path = `/api/asks?state=open&session=${session}`;
      asks = (await up.api<{ asks: OpenQuestion[] }>('GET', path)).json.asks;
      return asks.length > 0;
    },
    'the question',
    60_000,
  );
  const [{ id, question } = { id: '', question: { options: [] } }] = asks;
  const option = question.options.find((one) => one.effect?.startsWith(effect))?.id;
  return (await up.api('POST', `/api/asks/${id}`, { option })).status;
}

async function expectGoesOn(next: Up, session: string): Promise<void> {
  await untilEnds(next, session, 2);
  await next.api('POST', `/api/sessions/${session}/messages`, { text: 'count them' });
  const [, interrupted, last] = await untilEnds(next, session, 3);
  expect(interrupted).toMatchObject({ outcome: 'cancelled', error: { code: 'interrupted' } });
  expect(last).toMatchObject({
    outcome: 'success',
    text: expect.stringMatching(/There were [2-9] messages/),
  });
}
