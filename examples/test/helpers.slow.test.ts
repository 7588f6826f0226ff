import { spawnSync } from 'node:child_process';
import { type DialectName, dialects } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { languages, python } from './agents.ts';
import { converse } from './conversation.ts';

/** The dialects that the helpers of each language speak. */
const NAMES: readonly DialectName[] = ['nib', 'agentproc', 'agentproc/v4', 'terminal', 'nuum'];
/** Tells the session of its turn. */
const KEYS = [
  process.execPath,
  '--input-type=module',
  '-e',
  `import { serve } from '@plugboard/agent';
   await serve(({ session }) => \`key=\${session.key} lasts=\${session.lasts ?? ''}.\`);`,
];

const AWKWARD = 'Ünï “quotes" \\back\\n \'single\' $HOME `id` 😀\u2028\n\tsecond line {"a":[1]} % \u0001';

describe.each(languages)('an agent in $name', ({ argv }) => {
  it.concurrent.each(NAMES)('says the same in %s', async (dialect) => {
    await using talk = converse(dialect, argv);
    const { capabilities } = dialects[dialect];

    expect(await talk.say(`echo ${AWKWARD}`)).toMatchObject({
      texts: [AWKWARD],
      faults: [],
      end: { outcome: 'success', text: AWKWARD },
    });

    const big = (await talk.say('big')).texts.join('');
    expect(big.length).toBeGreaterThan(300_000);
    expect(big.split('\n')).toHaveLength(3500);

    expect((await talk.say('fail')).end).toMatchObject({
      outcome: 'error',
      error: { message: expect.stringContaining('It broke: “ü”') },
    });
    expect((await talk.say('raise')).end).toMatchObject({ outcome: 'error' });

    expect(await talk.say('progress')).toMatchObject({
      texts: ['Looked.'],
      progress: capabilities.events.progress === 'said' ? ['Looking around'] : [],
    });

    // The only way in which a dialect changes text: such a line of an AgentProc body gets a space in front.
    const space = dialect === 'agentproc' ? ' ' : '';
    expect(await talk.say('lines')).toMatchObject({
      texts: [
        `${space}AGENT_ERROR:"not an error"\nplain\n${space}AGENT_SESSION:none\n{"type":"error","text":"not a frame"}`,
      ],
      faults: [],
      end: { outcome: 'success' },
    });

    expect(await talk.say('print')).toMatchObject({ texts: ['Printed.'], faults: [] });
  });

  it.concurrent.each(NAMES.filter((name) => dialects[name].capabilities.session === 'both'))(
    'remembers a conversation by its own id in %s',
    async (dialect) => {
      await using talk = converse(dialect, argv);
      expect(await talk.say('session')).toMatchObject({ texts: ['This is turn 1.'] });
      expect(await talk.say('session')).toMatchObject({ texts: ['This is turn 2.'] });
    },
  );
});

it.concurrent.each(languages)(
  '$name takes half a request for no question',
  async ({ argv: [file = '', ...args] }) => {
    const half = (input: string) => {
      const { status, stdout, stderr } = spawnSync(file, args, { input, encoding: 'utf8' });
      expect(status).toBe(1);
      return { said: stdout === '' ? undefined : JSON.parse(stdout), stderr };
    };
    const cutOff = expect.stringContaining('cut off');
    expect(half('{"version":1,"text":"ec').said).toEqual({ type: 'error', text: cutOff });
    expect(half('{"type":"turn","mess').said).toMatchObject({ type: 'error', message: cutOff });
    expect(half('{"operation":"scene-pr').said).toMatchObject({ type: 'error', error: cutOff });
    expect(half('{"what":"eve')).toEqual({ said: undefined, stderr: cutOff });
  },
);

describe.each([...languages, { name: 'JavaScript', argv: KEYS }])('before the turn, $name', ({ argv }) => {
  const [file = '', ...args] = argv;
  const said = (input: string, more: readonly string[] = []) =>
    spawnSync(file, [...args, ...more], { input, encoding: 'utf8' }).stdout;

  it.each([
    [
      'agentproc/v4',
      '{"type":"turn","message":"key","session_id":"id-1"}\n',
      /^\{"type":"result","text":"key=id-1/,
    ],
    ['terminal', '{"version":1,"text":"key","session_key":"k"}\n', /^\{"type":"message","text":"key=k/],
    ['nib', '{"operation":"continuity-ask","dir":"/p","question":"key"}', /^\{"type":"success"/],
    ['nuum', '{"type":"user","message":{"role":"user","content":"key"}}\n', /"result":"key=/],
  ])('skips a byte order mark and blank lines of a host that speaks %s', (_dialect, request, answer) => {
    for (const lead of ['\uFEFF', '\n', '\r\n \n', '\uFEFF\n\n'])
      expect(said(lead + request), JSON.stringify(lead)).toMatch(answer);
  });

  it('takes a byte order mark off a text, and leaves it whole but for that', () => {
    expect(said('\uFEFFkey')).toMatch(/^key=/);
    expect(said('\n \n')).toBe('');
  });
});

it.concurrent.each(languages)(
  '$name takes a --stdio after -- for one of a program that it starts',
  async ({ argv: [file = '', ...args] }) => {
    const env = { ...process.env, AGENT_MESSAGE: 'echo hi' };
    const said = (more: string[]) => spawnSync(file, [...args, ...more], { env, encoding: 'utf8' }).stdout;
    expect(said(['--', 'agent', '--stdio'])).toBe('hi\n');
    expect(said(['--stdio', '--', 'agent'])).toContain('"subtype":"init"');
  },
);

describe.each([...languages, { name: 'JavaScript', argv: KEYS }])('the session key in $name', ({ argv }) => {
  const [file = '', ...args] = argv;
  const keyFor = (input: string, env: Record<string, string> = {}) => {
    const { stdout } = spawnSync(file, args, {
      input,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    const [, key, lasts] = /key=(.*) lasts=(\w*)\./.exec(stdout) ?? [];
    return { key, lasts };
  };
  const user = '{"type":"user","message":{"role":"user","content":"key"}}\n';

  it.each([
    ['AgentProc 0.1', '', 'turn', { AGENT_MESSAGE: 'key', AGENT_SESSION_NAME: 'work' }],
    ['AgentProc 0.4', '{"type":"turn","message":"key","session_id":"","session_name":"work"}\n', 'turn'],
    ['Terminal v1', '{"version":1,"text":"key"}\n', 'turn'],
    ['Nuum', user, 'process'],
    ['plain text', 'key\n', 'process'],
  ])(
    'is one of its own for a conversation that %s has no name for',
    (_host, input, lasts, env: Record<string, string> = {}) => {
      const [one, two] = [keyFor(input, env), keyFor(input, env)];
      expect([one.lasts, two.lasts]).toEqual([lasts, lasts]);
      expect(one.key).toMatch(/^[\w-]{16,}$/);
      expect(one.key).not.toBe(two.key);
    },
  );

  it.each([
    ['AgentProc 0.1', '', 'id-1', 'turn', { AGENT_MESSAGE: 'key', AGENT_SESSION_ID: 'id-1' }],
    ['AgentProc 0.4', '{"type":"turn","message":"key","session_id":"id-1"}\n', 'id-1', 'turn'],
    ['Terminal v1', '{"version":1,"text":"key","channel":"c","chat_id":"1"}\n', 'c:1', ''],
    ['nib', '{"operation":"continuity-ask","dir":"/p","question":"key"}', 'nib:/p', ''],
    [
      'nib, for a session of a project,',
      '{"operation":"continuity-ask","dir":"/p","question":"key","session":{"id":"bo"}}',
      'nib:/p:bo',
      '',
    ],
  ])(
    'is that of the host where %s names the conversation',
    (_host, input, key, lasts, env: Record<string, string> = {}) => {
      expect(keyFor(input, env)).toEqual({ key, lasts });
    },
  );
});

it.concurrent.each(languages)(
  '$name gives the answer alone to who pipes it on, and its progress to stderr',
  async ({ argv: [file = '', ...args] }) => {
    const { stdout, stderr } = spawnSync(file, args, { input: 'progress\n', encoding: 'utf8' });
    expect(stdout).toBe('Looked.\n');
    expect(stderr).toContain('Looking around');
  },
);

describe.runIf(python)('an agent in Python', () => {
  const argv = languages.find(({ name }) => name === 'Python')?.argv ?? [];

  it.concurrent.each(NAMES)('streams what it yields in %s', async (dialect) => {
    await using talk = converse(dialect, argv);
    const seen = await talk.say('stream one two three');
    expect(seen.texts).toEqual(['one two three ']);
    expect(seen.streamed).toBe(
      dialects[dialect].capabilities.events.delta === 'said' ? 'one two three ' : '',
    );
  });

  it.concurrent('speaks UTF-8 in a locale that does not', async () => {
    const locale = { LC_ALL: 'C', PYTHONCOERCECLOCALE: '0', PYTHONUTF8: '0' };
    for (const dialect of ['agentproc', 'terminal'] as const) {
      await using talk = converse(dialect, argv, locale);
      expect(await talk.say('echo Grüße 😀')).toMatchObject({ texts: ['Grüße 😀'], faults: [] });
    }
  });

  it.concurrent('fails the turn for an answer that is none, and says what it may be', async () => {
    await using talk = converse('nuum', argv);
    const wrong = async (what: string) => (await talk.say(`wrong ${what}`)).end;
    const failed = (sentence: string) => ({
      outcome: 'error',
      error: { message: expect.stringContaining(sentence) },
    });
    const mayReturn = 'it may return text, a dict with text, data, files or usage';
    expect(await wrong('number')).toMatchObject(failed(`returned a value of the type int; ${mayReturn}`));
    expect(await wrong('false')).toMatchObject(failed('returned a value of the type bool'));
    expect(await wrong('bytes')).toMatchObject(failed('returned a value of the type bytes'));
    expect(await wrong('fields')).toMatchObject(failed(`returned a dict with only answer; ${mayReturn}`));
    expect(await wrong('text')).toMatchObject(
      failed('a dict whose text is of the type int; it must be a str'),
    );
    expect(await wrong('usage')).toMatchObject(failed('a dict whose usage is of the type int'));
    expect(await wrong('piece')).toMatchObject(failed('yielded a value of the type int; it may yield text'));
    expect(await wrong('async piece')).toMatchObject(failed('yielded a value of the type NoneType'));
    expect(await wrong('returned')).toMatchObject(
      failed('is a generator and returned a value of the type str'),
    );
    expect(await wrong('nothing')).toMatchObject({ outcome: 'success' });
    expect(await wrong('empty')).toMatchObject({ outcome: 'success' });
  });

  it.concurrent('may be async', async () => {
    await using talk = converse('terminal', argv);
    expect(await talk.say('async later')).toMatchObject({ texts: ['later'] });
  });
});

it.concurrent('joins the messages of a shell agent, except where a host takes them one by one', async () => {
  const argv = ['sh', languages.at(-1)?.argv[1] ?? ''];
  for (const dialect of NAMES) {
    await using talk = converse(dialect, argv);
    const texts = ['The first "message".', 'The second.'];
    expect((await talk.say('say')).texts, dialect).toEqual(
      dialect === 'terminal' ? texts : [texts.join('\n\n')],
    );
  }
});
