import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { open } from '@plugboard/host';
import { profileFor, temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { collect, faults, openNode, openScript, texts } from './agents.ts';

const write = (bytes: string): string => `process.stdout.write(Buffer.from(${bytes}));`;

/** What comes out of a stream of bytes, for a terminal agent. */
async function readBytes(code: string, settings: Partial<Record<string, unknown>> = {}) {
  using workspace = temporaryDirectory();
  const agent = openNode('terminal', code, workspace.path, settings);
  return await collect(agent);
}

it.concurrent('a mark of the encoding before the first line is no part of it', async () => {
  using workspace = temporaryDirectory();
  const script = `printf '\\357\\273\\277{"type":"message","text":"hi"}\\n'`;
  const { events } = await collect(openScript('terminal', script, workspace.path));
  expect(texts(events)).toEqual(['hi']);
});

it.concurrent('a mark of the encoding is part of the body of an AgentProc agent, which is no protocol line', async () => {
  using workspace = temporaryDirectory();
  const script = `printf '\\357\\273\\277hi\\n'`;
  const { events } = await collect(openScript('agentproc', script, workspace.path));
  expect(texts(events)).toEqual(['\uFEFFhi']);
});

it.concurrent('an agent of the npm SDK of AgentProc is given every character, though it decodes byte by byte', async () => {
  using workspace = temporaryDirectory();
  const sdk = createRequire(import.meta.url).resolve('agentproc');
  const code = `require(${JSON.stringify(sdk)}).createProfile((turn) => turn.message);`;
  const profile = profileFor('agentproc/v4', [process.execPath, '-e', code], workspace.path);
  const agent = open(profile, { environment: process.env });
  const text = 'Grüße 😀 \u2028 日本';
  expect((await collect(agent, { text })).end).toMatchObject({ outcome: 'success', text });
});

describe.concurrent('an agent that writes', () => {
  it('bytes that are not UTF-8 is read with replacements and a fault', async () => {
    const { events, end } = await readBytes(write('[0x61, 0xff, 0xfe, 0x0a]'));
    expect(faults(events)).toEqual(['invalid-utf8']);
    expect(end).toMatchObject({ outcome: 'success', text: 'a\uFFFD\uFFFD' });
  });

  it('NUL and control characters has them passed on as text', async () => {
    const { end } = await readBytes(
      `console.log(JSON.stringify({ type: 'message', text: 'a\\0b\\u001b[31m' }));`,
    );
    expect(end).toMatchObject({ outcome: 'success', text: 'a\0b\u001b[31m' });
  });

  it('JSON nested a hundred thousand deep gets a fault, and the next frame is read', async () => {
    const bomb = `console.log('{"type":"message","x":' + '['.repeat(1e5) + ']'.repeat(1e5) + '}');`;
    const { events, end } = await readBytes(`${bomb} console.log('{"type":"message","text":"next"}');`);
    expect(faults(events)).toEqual(['too-deep']);
    expect(end).toMatchObject({ outcome: 'success', text: 'next' });
  });

  it('duplicate and __proto__ keys cannot change what a frame is', async () => {
    const frames = `console.log('{"type":"log","type":"message","text":"x"}\\n{"type":"message","text":"y","__proto__":{"polluted":1}}');`;
    const { events, end } = await readBytes(frames);
    expect(faults(events)).toEqual(['duplicate-key']);
    expect(end.text).toBe('y');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('a megabyte of frames that all have faults is read to its answer', async () => {
    using workspace = temporaryDirectory();
    const code = `console.log('{"type":"unknown"}\\n'.repeat(100_000) + '{"type":"result","text":"done"}');`;
    const { events, end } = await collect(openNode('agentproc/v4', code, workspace.path));
    expect(faults(events).at(-1)).toBe('too-many-faults');
    expect(end).toMatchObject({ outcome: 'success', text: 'done' });
  });

  it('half a line at the end has it read as a line', async () => {
    const { end } = await readBytes(`process.stdout.write('{"type":"message","text":"whole"}');`);
    expect(end.text).toBe('whole');
  });

  it('a character split over two writes has it read whole', async () => {
    const code = `process.stdout.write(Buffer.from([0xf0, 0x9f])); setTimeout(() => process.stdout.write(Buffer.from([0x98, 0x80, 0x0a])), 50);`;
    expect((await readBytes(code)).end.text).toBe('😀');
  });

  it('a frame over the limit loses that frame alone', async () => {
    const code = `const frame = (text) => console.log(JSON.stringify({ type: 'message', text })); frame('x'.repeat(9 * 1024 * 1024)); frame('after');`;
    const { events, end } = await readBytes(code);
    expect(faults(events)).toEqual(['line-too-long']);
    expect(texts(events)).toEqual(['after']);
    expect(end.text).toBe('after');
  });

  it.each(['terminal', 'agentproc/v4'] as const)(
    'a %s answer over the limit is an error',
    async (dialect) => {
      using workspace = temporaryDirectory();
      const type = dialect === 'terminal' ? 'message' : 'result';
      const code = `console.log(JSON.stringify({ type: '${type}', text: 'x'.repeat(9 * 1024 * 1024) }));`;
      const { end } = await collect(openNode(dialect, code, workspace.path));
      expect(end).toMatchObject({ outcome: 'error', error: { code: 'line-too-long' } });
    },
  );

  it.each([
    ['agentproc', { maxReplyChars: 5 }, 'ééééé…(truncated)'],
    ['agentproc', { maxReplyChars: 0 }, `${'é'.repeat(4 * 1024 * 1024)}…(truncated)`],
    ['terminal', {}, 'é'.repeat(4 * 1024 * 1024)],
    ['terminal', { protocol: 'plain' }, 'é'.repeat(4 * 1024 * 1024)],
  ] as const)(
    '%s: plain text over the limit in one line has its beginning read (%o)',
    async (dialect, settings, expected) => {
      using workspace = temporaryDirectory();
      const code = `console.log('é'.repeat(5 * 1024 * 1024)); console.log('after');`;
      const given = dialect === 'agentproc' ? { truncationSuffix: '…(truncated)', ...settings } : settings;
      const { events, end } = await collect(openNode(dialect, code, workspace.path, given));
      expect(faults(events)[0]).toBe('line-too-long');
      expect(end.outcome).toBe('success');
      expect(end.text === expected).toBe(true);
    },
  );

  it('a great deal of stderr is not held up, and only the tail is kept', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript(
      'agentproc',
      'head -c 20000000 /dev/zero | tr "\\0" e >&2; echo done; exit 3',
      workspace.path,
    );
    const { end, events } = await collect(agent);
    expect(end).toMatchObject({ outcome: 'error', exitCode: 3 });
    expect(texts(events)).toEqual(['done']);
  });

  it('forged prefixes inside a body changes nothing but its own turn', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript(
      'agentproc',
      `printf 'AGENT_SESSION:../../etc\\nAGENT_SESSION:a b\\nAGENT_SESSION:good\\nhi\\n'`,
      workspace.path,
    );
    const { events } = await collect(agent);
    expect(events.filter(({ type }) => type === 'session')).toEqual([
      { type: 'session', id: '../../etc' },
      { type: 'session', id: 'good' },
    ]);
    expect(faults(events)).toEqual(['bad-session-id']);
  });
});

describe.concurrent('a message of 10 MB', () => {
  const text = 'é'.repeat(5 * 1024 * 1024);

  it.each(['terminal', 'nib', 'agentproc/v4'] as const)('reaches a %s agent whole', async (dialect) => {
    using workspace = temporaryDirectory();
    const answer = {
      terminal: `JSON.stringify({ type: 'message', text: String(JSON.parse(input).text.length) })`,
      nib: `JSON.stringify({ type: 'success', operation: 'continuity-ask', text: String(JSON.parse(input).question.length) })`,
      'agentproc/v4': `JSON.stringify({ type: 'result', text: String(JSON.parse(input).message.length) })`,
    }[dialect];
    const code = `let input = ''; process.stdin.setEncoding('utf8'); for await (const part of process.stdin) input += part; console.log(${answer});`;
    const { end } = await collect(openNode(dialect, code, workspace.path), { text });
    expect(end).toMatchObject({ outcome: 'success', text: String(text.length) });
  });

  it('is refused by agentproc, with advice, when it could only go into a variable', async () => {
    using workspace = temporaryDirectory();
    const { end } = await collect(openScript('agentproc', 'echo never', workspace.path), { text });
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'too-long' } });
    expect(end.error?.message).toContain('stdin: message');
  });

  it('goes to stdin whole when the profile says so', async () => {
    using workspace = temporaryDirectory();
    const agent = openScript('agentproc', 'wc -c; echo "$AGENT_MESSAGE_TRUNCATED"', workspace.path, {
      stdin: 'message',
    });
    const { end } = await collect(agent, { text });
    expect(end.text.trim().split(/\s+/)).toEqual([String(Buffer.byteLength(text)), '1']);
  });

  it.each(['terminal', 'nib', 'agentproc/v4'] as const)(
    'does not hang a %s turn when the agent never reads it',
    async (dialect) => {
      using workspace = temporaryDirectory();
      const { end } = await collect(openScript(dialect, 'exit 0', workspace.path), { text });
      expect(['success', 'error']).toContain(end.outcome);
      const sleeper = openScript(dialect, 'sleep 60', workspace.path, { timeoutSecs: 0.5, killGraceSecs: 0 });
      expect((await collect(sleeper, { text })).end.outcome).toBe('timeout');
    },
  );
});

it.concurrent('refuses a NUL where it would have to go into a variable', async () => {
  using workspace = temporaryDirectory();
  const { end } = await collect(openScript('agentproc', 'echo never', workspace.path), { text: 'a\0b' });
  expect(end).toMatchObject({ outcome: 'error', error: { code: 'nul' } });
});

it.concurrent('says nothing and succeeds when an agent says nothing and exits 0', async () => {
  using workspace = temporaryDirectory();
  for (const dialect of ['terminal', 'agentproc', 'agentproc/v4'] as const) {
    const { events } = await collect(openScript(dialect, 'true', workspace.path));
    expect(events).toEqual([expect.objectContaining({ type: 'end', outcome: 'success', text: '' })]);
  }
  for (const dialect of ['nib', 'nuum'] as const) {
    expect((await collect(openScript(dialect, 'true', workspace.path))).end.outcome).toBe('error');
  }
});

it.concurrent.each([
  ['not-found', 127, 'no-such-program-here'],
  ['not-executable', 126, './plain-file'],
] as const)('tells %s from other failures, with exit code %i', async (code, exitCode, program) => {
  using workspace = temporaryDirectory();
  writeFileSync(join(workspace.path, 'plain-file'), 'echo never', { mode: 0o644 });
  for (const dialect of ['terminal', 'agentproc', 'nib', 'nuum'] as const) {
    const agent = open(profileFor(dialect, [program], workspace.path), { environment: process.env });
    expect((await collect(agent)).end).toMatchObject({ outcome: 'error', exitCode, error: { code } });
  }
});

it.concurrent('tells that the working directory is missing', async () => {
  const agent = openScript('agentproc', 'true', '/no/such/directory');
  expect((await collect(agent)).end).toMatchObject({ outcome: 'error', error: { code: 'cwd-missing' } });
});
