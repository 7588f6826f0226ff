import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createClaudeTest, createResultLine } from './claude-test.ts';

const ID = '9f63d056-f976-5821-a28d-6502ede9fd72';
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const talk = (session: object) => ({ context: 'You are Ada.', session: { id: ID, ...session } });

describe.concurrent('nib-agent-claude at the terminal', { concurrent: true }, () => {
  it('a conversation gives claude the terminal, with the prompt as its first message', async () => {
    using at = createClaudeTest();
    const done = await at.talk('scene-critique', { paths: ['scenes/dawn.md'], effort: 'low' }).done;
    expect(done).toEqual({ code: 0, stdout: 'at the terminal\n', stderr: '' });
    const [one] = at.starts();
    expect(one?.argv.slice(0, 5)).toEqual([
      '--effort',
      'low',
      '--strict-mcp-config',
      '--tools',
      'Read,Grep,Glob,Bash',
    ]);
    expect(one?.argv.at(-2)).toBe('--');
    expect(one?.prompt).toContain('\nscenes/dawn.md\n');
    expect(one?.variables).not.toContain('NIB_AGENT_REQUEST_FILE');
    expect(existsSync(join(at.novel.root, '..', 'request.json'))).toBe(false);
  });

  it('a conversation with a character has no tools', async () => {
    using at = createClaudeTest();
    await at.talk('character-talk', talk({})).done;
    const [one] = at.starts();
    expect(one?.argv.slice(2, 7)).toEqual(['--effort', 'high', '--strict-mcp-config', '--tools', '']);
    expect(one?.cwd.startsWith(join(at.novel.env.XDG_STATE_HOME ?? '', 'nib', 'claude-talk'))).toBe(true);
    expect(readdirSync(one?.cwd ?? '')).toEqual([]);
  });

  it('a conversation with a prompt too long for an argument starts over the pipes', async () => {
    using at = createClaudeTest();
    const context = `You are Ada. ${'é'.repeat(80_000)}`;
    const says = at.says(createResultLine({ result: 'Yes?' }));
    expect((await at.talk('character-talk', { ...talk({}), context }, says).done).code).toBe(0);
    const [first, second] = at.starts();
    expect(first?.stdin).toBe(context);
    expect(first?.argv).toEqual(expect.arrayContaining(['-p', '--session-id', ID, '--tools', '']));
    expect(second?.argv.slice(0, 2)).toEqual(['--resume', ID]);
    expect(second?.prompt).toBe(null);
  });

  it('a conversation with a long prompt that fails to start reports the reason', async () => {
    using at = createClaudeTest();
    const says = at.says(createResultLine({ is_error: true, result: 'Invalid API key' }));
    const context = 'x'.repeat(120_000);
    const done = await at.talk('character-talk', { ...talk({}), context }, says).done;
    expect(done).toMatchObject({ code: 1, stderr: 'claude: Invalid API key\n' });
  });

  it('a conversation may start with a prompt that looks like an option', async () => {
    using at = createClaudeTest();
    await at.talk('character-talk', { ...talk({}), context: '--dangerously You are Ada.' }).done;
    expect(at.starts()[0]?.prompt).toBe('\n--dangerously You are Ada.');
  });

  it('a conversation starts under its id, and continues if claude has that id already', async () => {
    using at = createClaudeTest();
    expect((await at.talk('character-talk', talk({})).done).code).toBe(0);
    expect((await at.talk('character-talk', { session: { id: ID, resume: true } }).done).code).toBe(0);
    const third = await at.talk('character-talk', talk({})).done;
    expect(third).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('goes on. Use --new to begin another.'),
    });
    expect(third.stderr).not.toContain('already in use');
    const flags = at.starts().map(({ argv }) => argv.slice(0, 2));
    expect(flags).toEqual([
      ['--session-id', ID],
      ['--resume', ID],
      ['--session-id', ID],
      ['--resume', ID],
    ]);
    expect(at.starts().map(({ prompt }) => prompt)).toEqual(['You are Ada.', null, 'You are Ada.', null]);
  });

  it('--new starts a conversation under a new id, which --resume then uses', async () => {
    using at = createClaudeTest();
    await at.talk('character-talk', talk({})).done;
    await at.talk('character-talk', talk({ new: true })).done;
    await at.talk('character-talk', { session: { id: ID, resume: true } }).done;
    const [first, second, third] = at.starts().map(({ argv }) => argv[1] ?? '');
    expect(first).toBe(ID);
    expect(second).toMatch(UUID);
    expect(second).not.toBe(ID);
    expect(third).toBe(second);
    const state = join(at.novel.env.XDG_STATE_HOME ?? '', 'nib', 'claude-sessions.json');
    expect(statSync(state).mode & 0o777).toBe(0o600);
  });

  it('a new conversation that fails to start keeps the previous one', async () => {
    using at = createClaudeTest();
    await at.talk('character-talk', talk({})).done;
    const failed = await at.talk('character-talk', talk({ new: true }), {
      CLAUDE_FAILS: 'no network',
      CLAUDE_EXIT: '3',
    }).done;
    expect(failed).toMatchObject({ code: 3, stderr: 'no network\n' });
    await at.talk('character-talk', { session: { id: ID, resume: true } }).done;
    expect(at.starts().at(-1)?.argv.slice(0, 2)).toEqual(['--resume', ID]);
  });

  it('resuming a missing conversation fails', async () => {
    using at = createClaudeTest();
    expect(await at.talk('character-talk', { session: { id: ID, resume: true } }).done).toMatchObject({
      code: 1,
      stderr: `There is no conversation ${ID} of this project to resume. Start one without --resume.\n`,
    });
  });

  it('a session id that is no UUID becomes one', async () => {
    using at = createClaudeTest();
    await at.talk('character-talk', talk({ id: 'ada at dawn' })).done;
    await at.talk('character-talk', talk({ id: 'ada at dawn', resume: true })).done;
    const [first = '', second] = at.starts().map(({ argv }) => argv[1]);
    expect(first).toMatch(UUID);
    expect(second).toBe(first);
  });

  it('a failed conversation passes the exit code of claude on, without a retry', async () => {
    using at = createClaudeTest();
    const done = await at.talk('character-talk', talk({}), { CLAUDE_FAILS: 'oh no', CLAUDE_EXIT: '4' }).done;
    expect(done).toMatchObject({ code: 4, stderr: 'oh no\n' });
    expect(at.starts()).toHaveLength(1);
  });

  it.each([
    ['{"operation":', /Not valid JSON/],
    ['{"operation":"scene-dance"}', /unknown operation: scene-dance/],
    [
      '{"operation":"scene-critique","dir":"/not/there"}',
      /The project directory \/not\/there does not exist/,
    ],
  ])('a conversation with the request %j is refused on stderr', async (request, message) => {
    using at = createClaudeTest();
    const file = at.novel.write('broken.json', request);
    const done = await at.talk('scene-critique', {}, { NIB_AGENT_REQUEST_FILE: file }).done;
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(existsSync(file)).toBe(false);
  });

  it('a conversation without claude installed says how to install it', async () => {
    using at = createClaudeTest();
    const done = await at.talk('character-talk', talk({ new: true }), {
      NIB_CLAUDE_COMMAND: 'no-such-claude',
    }).done;
    expect(done).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no-such-claude was not found\. Install/),
    });
  });

  it('a conversation ended by SIGTERM leaves no process running', async () => {
    using at = createClaudeTest();
    const mark = `claude-hangs-${process.pid}-${at.novel.root}`;
    const program = at.talk('character-talk', talk({}), { CLAUDE_HANGS: mark });
    await until(() => at.starts().length === 1, 'claude has started');
    program.child.kill('SIGTERM');
    expect((await program.done).code).toBe(143);
    await until(() => processesWith(mark).length === 0, 'claude has ended', 5_000);
  });

  it('a test that ends early leaves no process running', async () => {
    const leaveEarly = async (): Promise<string> => {
      using at = createClaudeTest();
      const mark = `claude-hangs-${process.pid}-${at.novel.root}`;
      at.talk('character-talk', talk({}), { CLAUDE_HANGS: mark });
      await until(() => at.starts().length === 1, 'claude has started');
      return mark;
    };
    const mark = await leaveEarly();
    await until(() => processesWith(mark).length === 0, 'claude has ended', 5_000);
  });
});
