import { describe, expect, it } from 'vitest';
import type { AgentEffect } from '../src/contract/agent-side.ts';
import { nib } from '../src/dialects/nib/index.ts';
import { OPERATIONS } from '../src/dialects/nib/operations.ts';
import type { Event } from '../src/model/event.ts';
import { createTurn } from '../src/model/turn.ts';
import { agentOf, answered, ask, host, read, received } from './nib-sides.ts';
import { CLEAN_EXIT, CONTEXT, describeOneShot, eventsIn, hostEffects, launchOf, said } from './one-shot.ts';

describe('nib transcripts', () => describeOneShot(nib));

describe('nib requests', () => {
  it.each(Object.entries(OPERATIONS))(
    '%s carries its fields to the agent and nothing else',
    (name, shape) => {
      const fields = Object.fromEntries(shape.fields.map((field) => [field, field === 'dir' ? '/work' : {}]));
      const launch = launchOf(host, nib.defaults, ask(name, fields));
      const json = 'stdin' in launch ? launch.stdin || launch.requestFile?.content : '';
      expect(JSON.parse(json || '')).toEqual({ operation: name, ...fields });
    },
  );

  it('leaves stdin to the person in an interactive operation, and the request file to no other', () => {
    const interactive = host.launch(nib.defaults, CONTEXT, ask('scene-critique'));
    expect(Object.keys(interactive).sort()).toEqual(['command', 'cwd', 'env', 'requestFile']);
    const pipe = launchOf(host, nib.defaults, ask('scene-proof'));
    expect(Object.keys(pipe).sort()).toEqual(['command', 'cwd', 'env', 'stdin']);
  });

  it('works in the directory of the profile when the request names none', () => {
    const launch = launchOf(host, { ...nib.defaults, cwd: '/novel' }, ask('scene-proof'));
    expect(launch).toMatchObject({ cwd: '/novel', env: { PWD: '/novel' } });
  });

  it.each([
    ['', 'malformed-frame'],
    [' \n ', 'malformed-frame'],
    ['{"operation":', 'invalid-json'],
    ['[]', 'malformed-frame'],
    ['{}', 'malformed-frame'],
    ['{"operation":7}', 'malformed-frame'],
    ['{"operation":""}', 'malformed-frame'],
    ['{"operation":"scene-proof","operation":"chapter-proof"}', 'duplicate-key'],
    ['{"operation":"a"}{"operation":"b"}', 'invalid-json'],
  ])('answers the unreadable request %j with a structured error', (input, code) => {
    const state = agentOf();
    expect(received(state, input)).toMatchObject([{ type: 'refuse', failure: { code } }]);
    const end = { type: 'end', outcome: 'error', text: '', error: { message: 'no' } } as const;
    expect(said(nib.agent, state, [end])).toBe('{"type":"error","error":"no"}\n');
    expect(nib.agent.exitCode(end, state)).toBe(0);
  });

  it('is read whole, however many lines it takes', () => {
    expect(received(agentOf(), '{\n  "operation": "scene-proof",\n\n  "paths": ["a.md"]\n}\n')).toMatchObject(
      [
        {
          type: 'turn',
          turn: { text: 'scene-proof a.md', session: { key: 'nib' }, attachments: [{ path: 'a.md' }] },
        },
      ],
    );
  });

  it.each([
    [{ id: 'bo' }, { key: 'nib:/novel/:bo' }],
    [{ id: 'bo', resume: false, new: true }, { key: 'nib:/novel/:bo' }],
    [{ id: 'bo', resume: 'yes' }, { key: 'nib:/novel/:bo' }],
    [
      { id: 'bo', resume: true },
      { key: 'nib:/novel/:bo', agentId: 'bo' },
    ],
    [{ resume: true }, { key: 'nib:/novel/' }],
  ])('belongs to the session that %j means', (session, expected) => {
    const request = { operation: 'character-talk', dir: '/novel/', session };
    const [turn] = received(agentOf(), JSON.stringify(request));
    expect(turn?.type === 'turn' && turn.turn.session).toEqual(expected);
  });

  it.each([
    ['/novel/scenes/a.md', '/novel', 'scenes/a.md'],
    ['/novel/scenes/a.md', '/novel/', 'scenes/a.md'],
    ['/novel2/a.md', '/novel', '/novel2/a.md'],
    ['/novel/../etc/passwd', '/novel', '/novel/../etc/passwd'],
    ['a.md', '/novel', 'a.md'],
  ])('is given an attachment %s of the project %s as the path %s', (path, cwd, expected) => {
    const turn = createTurn({ id: 't1', text: 'Hi', attachments: [{ kind: 'file', path }] });
    const launch = launchOf(host, { ...nib.defaults, cwd }, turn);
    expect(JSON.parse('stdin' in launch ? (launch.stdin ?? '') : '')).toMatchObject({ paths: [expected] });
  });

  it('names its files from the root, whether or not that ends in a slash', () => {
    const request = { operation: 'scene-proof', dir: '/novel/', paths: ['scenes/a.md'] };
    expect(received(agentOf(), JSON.stringify(request))).toMatchObject([
      { turn: { attachments: [{ path: '/novel/scenes/a.md' }] } },
    ]);
  });

  it('longer than 64 MiB is refused', () => {
    const state = agentOf();
    const out: AgentEffect[] = [];
    const line = { type: 'line', text: ' '.repeat(16 * 1024 * 1024) } as const;
    for (let count = 0; count < 5; count++) nib.agent.step(state, line, out);
    nib.agent.step(state, { type: 'input-end' }, out);
    expect(out).toMatchObject([
      { type: 'refuse', failure: { message: 'The request is longer than 64 MiB.' } },
    ]);
  });

  it('keeps fields of the wrong type without tripping over them', () => {
    const request = { operation: 'scene-proof', dir: 1, paths: 'x', question: {}, session: 'me', schema: [] };
    const { operation: name, ...fields } = request;
    expect(received(agentOf(), JSON.stringify(request))).toEqual([
      {
        type: 'turn',
        turn: createTurn({ id: 't1', text: name, session: { key: 'nib' }, operation: { name, fields } }),
      },
    ]);
  });
});

describe('nib answers', () => {
  it.each([
    ['a log line before the object', 'loading…\n{"type":"success","operation":"scene-proof"}'],
    ['a byte order mark', '\uFEFF{"type":"success","operation":"scene-proof"}'],
    ['two objects', '{"type":"error","error":"a"}\n{"type":"error","error":"b"}'],
    ['half an object', '{"type":"success","operation":"scene-pr'],
    ['plain text', 'No issues found.'],
  ])('%s is not one JSON object', (_what, stdout) => {
    const message = expect.stringMatching(/^The answer of the agent cannot be read\./);
    expect(read(ask('scene-proof'), stdout)).toMatchObject([
      { type: 'fault', fault: { code: 'invalid-json' } },
      { type: 'end', outcome: 'error', error: { message } },
    ]);
  });

  it.each(['', '/a', '\\\\share\\a', 'C:\\a', 'd:/a', '..', '../a', 'a/../../b', 'a\\..\\..\\b'])(
    'refuse the file %j, which is not inside the project',
    (file) => {
      const stdout = JSON.stringify({ type: 'success', operation: 'project-scaffold', files: [file] });
      expect(read(ask('project-scaffold'), stdout).at(-1)).toMatchObject({ outcome: 'error' });
    },
  );

  it.each(['a', './a', 'a/../b', '..a', 'a/b..', 'c:a', 'a//b/'])('take the file %j, which is', (file) => {
    const stdout = JSON.stringify({ type: 'success', operation: 'project-scaffold', files: [file] });
    expect(read(ask('project-scaffold'), stdout).at(-1)).toMatchObject({ outcome: 'success', files: [file] });
  });

  it('of an interactive operation are not even kept', () => {
    const state = host.initial(nib.defaults, CONTEXT);
    host.step(state, { type: 'send', turn: ask('scene-critique') }, []);
    host.step(state, { type: 'line', text: 'for the person' }, []);
    expect(state.turn?.reading.output.chars).toBe(0);
  });

  it('refuses an answer nested too deeply to be read', () => {
    const stdout = `{"type":"success","operation":"continuity-index","data":${'{"a":'.repeat(99)}1${'}'.repeat(99)}}`;
    expect(read(ask('continuity-index'), stdout)).toMatchObject([
      { type: 'fault', fault: { code: 'too-deep' } },
      { type: 'end', outcome: 'error' },
    ]);
  });

  it('reads thirty million characters on one line', () => {
    const long = 'ä'.repeat(30_000_000);
    const stdout = `{"type":"success","operation":"scene-proof","text":"${long}"}`;
    expect(read(ask('scene-proof'), stdout).at(-1)).toMatchObject({ outcome: 'success' });
  });

  it('says once that an answer is too long, and ends as an error', () => {
    const line = { type: 'line', text: ' '.repeat(16 * 1024 * 1024) } as const;
    const inputs = [
      { type: 'send', turn: ask('scene-proof') } as const,
      ...Array(6).fill(line),
      { type: 'exit', exit: CLEAN_EXIT } as const,
    ];
    expect(eventsIn(hostEffects(host, nib.defaults, inputs))).toMatchObject([
      { type: 'fault', fault: { code: 'output-too-long' } },
      { type: 'end', outcome: 'error', error: { message: 'The answer of the agent is longer than 64 MiB.' } },
    ]);
  });

  it('are given once: whatever follows the end is not written', () => {
    const end: Event = { type: 'end', outcome: 'success', text: 'ok' };
    expect(answered(ask('scene-proof'), [end, { type: 'message', text: 'more', media: [] }, end])).toBe(
      '{"type":"success","operation":"scene-proof","text":"ok"}\n',
    );
  });

  it('to nothing are errors', () => {
    const end: Event = { type: 'end', outcome: 'success', text: 'ok' };
    expect(said(nib.agent, agentOf(), [end])).toBe(
      '{"type":"error","error":"There was no request to answer."}\n',
    );
  });
});

describe('a nib conversation on the terminal', () => {
  const request =
    '{"operation":"character-talk","dir":"/work","context":"You are Bo.","session":{"id":"bo"}}\n';

  it('takes every further line as a turn of the same session', () => {
    const turns = received(agentOf(request), 'Hello?\n\n  \nWho are you?\n');
    expect(turns).toMatchObject([
      { turn: { text: 'You are Bo.', operation: { name: 'character-talk' } } },
      { turn: { text: 'Hello?', session: { key: 'nib:/work:bo' } } },
      { turn: { text: 'Who are you?', session: { key: 'nib:/work:bo' } } },
    ]);
    expect(turns.slice(1).every((one) => one.type === 'turn' && one.turn.operation === undefined)).toBe(true);
  });

  it('reads lines only when the request could be read', () => {
    const states = [agentOf(), agentOf(request), agentOf('{')];
    for (const state of states) nib.agent.step(state, { type: 'started' }, []);
    expect(states.map((state) => nib.agent.readsInput(state))).toEqual([true, true, false]);
  });

  it('reports an error by its exit code and by nothing else', () => {
    const state = agentOf(request);
    nib.agent.step(state, { type: 'started' }, []);
    const end = { type: 'end', outcome: 'error', text: '', error: { message: 'no' } } as const;
    expect(said(nib.agent, state, [end])).toBe('');
    expect(nib.agent.exitCode(end, state)).toBe(1);
    expect(nib.agent.exitCode({ type: 'end', outcome: 'success', text: '' }, state)).toBe(0);
  });

  it('names the media of a message that was streamed, which no delta could', () => {
    const state = agentOf(request);
    const media = [{ kind: 'image', path: '/tmp/a.png' } as const];
    const events: Event[] = [
      { type: 'delta', kind: 'output', text: 'Look' },
      { type: 'message', text: 'Look', media, streamed: true },
      { type: 'message', text: '', media },
    ];
    expect(said(nib.agent, state, events)).toBe('Look\n/tmp/a.png\n/tmp/a.png\n');
  });
});
