import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bridge, createTurn, type Event, type OpenAgent, type Turn } from '@plugboard/host';
import { type DialectName, dialects, type JsonObject } from '@plugboard/protocol';
import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createQueue, pushEvents, runOf } from '../src/run/queue.ts';

/** An agent that answers every turn with these messages. */
function agentSaying(dialect: DialectName, ...messages: readonly string[]) {
  const asked: Turn[] = [];
  const agent: OpenAgent = {
    name: 'fake',
    dialect,
    capabilities: dialects[dialect].capabilities,
    takesTerminal: () => false,
    mediaAccess: (turn, since) => ({ roots: [], withheld: [], since, said: turn.text }),
    close: async () => {},
    run(turn) {
      asked.push(turn);
      const queue = createQueue({ onDrained: () => {}, onAbandoned: () => {} });
      pushEvents(queue, [
        ...messages.map((text) => ({ type: 'message' as const, text, media: [] })),
        { type: 'end', outcome: 'success', text: messages.at(-1) ?? '' },
      ]);
      return runOf(queue);
    },
  };
  return { agent, asked };
}

async function ask(agent: OpenAgent, turn: Turn, forget?: (key: string) => void): Promise<Event[]> {
  const said: Event[] = [];
  await bridge(agent, forget === undefined ? {} : { forget }).handler(turn, {
    signal: new AbortController().signal,
    emit: async (event) => void said.push(event),
  });
  return said;
}

function operation(name: string, fields: JsonObject, more: Partial<Turn> = {}): Turn {
  return createTurn({ id: 't', text: 'folded', operation: { name, fields }, ...more });
}

const schema = { type: 'object', required: ['scene'] };

describe('an operation, asked of an agent that knows none', () => {
  it('is put into words, with the schema of its answer', async () => {
    const { agent, asked } = agentSaying('terminal', '{"scene":1}');
    await ask(agent, operation('continuity-index', { context: 'Index it.' }, { schema }));
    expect(asked[0]?.text).toMatch(/^Index it\.[\s\S]*conform to this JSON Schema:\n\{"type":"object"/);
  });

  it('is left as it is where the agent knows operations', async () => {
    const { agent, asked } = agentSaying('nib', 'not JSON');
    const turn = operation('continuity-index', { context: 'Index it.' }, { schema });
    expect((await ask(agent, turn)).at(-1)).toMatchObject({ outcome: 'success' });
    expect(asked).toEqual([turn]);
  });

  it('does not concern a turn that only talks', async () => {
    const { agent, asked } = agentSaying('agentproc', '{"a":1}');
    const turn = createTurn({ id: 't', text: 'hello' });
    expect((await ask(agent, turn)).at(-1)).toEqual({ type: 'end', outcome: 'success', text: '{"a":1}' });
    expect(asked).toEqual([turn]);
  });

  it('is taken for talk when it is a question where there is no book', async () => {
    using place = temporaryDirectory();
    const { agent, asked } = agentSaying('terminal', 'hi');
    const question = (fields: JsonObject = {}) =>
      ask(
        agent,
        operation('continuity-ask', { question: 'Who?', dir: place.path, ...fields }, { text: 'Who?' }),
      );
    await question();
    await question({ range: '1' });
    writeFileSync(join(place.path, 'book.yaml'), '');
    await question();
    expect(asked.map(({ text }) => text === 'Who?')).toEqual([true, false, false]);
    expect(asked[2]?.text).toMatch(/\nWho\?$/);
  });

  it.each([
    ['the last message', ['Let me see {"scene":0}', 'So: {"scene":1}'], { scene: 1 }],
    ['an earlier one, when the last holds none', ['```json\n{"scene":1}\n```', 'That is all.'], { scene: 1 }],
  ])('is answered with the data in %s', async (_which, messages, data) => {
    const { agent } = agentSaying('terminal', ...messages);
    const said = await ask(agent, operation('continuity-index', { context: 'c' }, { schema }));
    expect(said.at(-1)).toMatchObject({ outcome: 'success', data });
  });

  it.each([
    [[], 'The agent did not answer with the JSON object that continuity-index asks for.'],
    [
      ['I would rather not.'],
      'The agent did not answer with the JSON object that continuity-index asks for.',
    ],
    [
      ['{"facts":[]}'],
      'The agent did not answer with the JSON object that continuity-index asks for: data.scene is missing.',
    ],
  ])('fails with one sentence when the agent says %j', async (messages, message) => {
    const { agent } = agentSaying('terminal', ...messages);
    const said = await ask(agent, operation('continuity-index', { context: 'c' }, { schema }));
    expect(said.at(-1)).toMatchObject({ outcome: 'error', error: { message } });
  });

  it.each([
    ['{"files":["AGENTS.md","../out.md","/etc/hostname","gone.md","sub","AGENTS.md"]}', ['AGENTS.md']],
    ['["./AGENTS.md"]', ['AGENTS.md']],
    ['I have written AGENTS.md.', []],
    ['{"files":"AGENTS.md"}', []],
  ])('names only the files that are there: %s', async (text, files) => {
    using place = temporaryDirectory();
    writeFileSync(join(place.path, 'AGENTS.md'), '');
    const { agent } = agentSaying('terminal', text);
    const said = await ask(agent, operation('project-scaffold', { dir: place.path }));
    expect(said.at(-1)).toMatchObject({ outcome: 'success', files });
  });

  it('forgets the conversation that is to begin anew, and no other', async () => {
    const { agent } = agentSaying('agentproc', 'hi');
    const forgotten: string[] = [];
    for (const session of [{ id: 'a' }, { id: 'b', new: true }, { id: 'c', new: true, resume: true }]) {
      const fields = { dir: '/novel', context: 'c', session };
      const turn = operation('character-talk', fields, { session: { key: session.id } });
      await ask(agent, turn, (key) => forgotten.push(key));
    }
    expect(forgotten).toEqual(['nib:/novel:b']);
  });
});
