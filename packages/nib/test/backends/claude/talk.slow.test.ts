import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { desk, result } from './claude.ts';

const ID = '9f63d056-f976-5821-a28d-6502ede9fd72';
const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const talk = (session: object) => ({ context: 'You are Ada.', session: { id: ID, ...session } });

describe('nib-agent-claude at the terminal', { concurrent: true }, () => {
  it('hands the terminal to claude, with the prompt as its first message', async () => {
    using at = desk();
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

  it('gives a character no tools at all', async () => {
    using at = desk();
    await at.talk('character-talk', talk({})).done;
    const [one] = at.starts();
    expect(one?.argv.slice(2, 7)).toEqual(['--effort', 'high', '--strict-mcp-config', '--tools', '']);
    expect(one?.cwd.startsWith(join(at.novel.env.XDG_STATE_HOME ?? '', 'nib', 'claude-talk'))).toBe(true);
    expect(readdirSync(one?.cwd ?? '')).toEqual([]);
  });

  it('begins a conversation whose prompt is too long for an argument over the pipes', async () => {
    using at = desk();
    const context = `You are Ada. ${'é'.repeat(80_000)}`;
    const says = at.says(result({ result: 'Yes?' }));
    expect((await at.talk('character-talk', { ...talk({}), context }, says).done).code).toBe(0);
    const [first, second] = at.starts();
    expect(first?.stdin).toBe(context);
    expect(first?.argv).toEqual(expect.arrayContaining(['-p', '--session-id', ID, '--tools', '']));
    expect(second?.argv.slice(0, 2)).toEqual(['--resume', ID]);
    expect(second?.prompt).toBe(null);
  });

  it('tells why a conversation with a long prompt could not begin', async () => {
    using at = desk();
    const says = at.says(result({ is_error: true, result: 'Invalid API key' }));
    const context = 'x'.repeat(120_000);
    const done = await at.talk('character-talk', { ...talk({}), context }, says).done;
    expect(done).toMatchObject({ code: 1, stderr: 'claude: Invalid API key\n' });
  });

  it('hands over a prompt that looks like an option', async () => {
    using at = desk();
    await at.talk('character-talk', { ...talk({}), context: '--dangerously You are Ada.' }).done;
    expect(at.starts()[0]?.prompt).toBe('\n--dangerously You are Ada.');
  });

  it('begins a conversation under its id, resumes it, and goes on with it when it is there already', async () => {
    using at = desk();
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

  it('begins anew under an id of its own, which later ones resume', async () => {
    using at = desk();
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

  it('goes back to the conversation before, when the new one never came about', async () => {
    using at = desk();
    await at.talk('character-talk', talk({})).done;
    const failed = await at.talk('character-talk', talk({ new: true }), {
      CLAUDE_FAILS: 'no network',
      CLAUDE_EXIT: '3',
    }).done;
    expect(failed).toMatchObject({ code: 3, stderr: 'no network\n' });
    await at.talk('character-talk', { session: { id: ID, resume: true } }).done;
    expect(at.starts().at(-1)?.argv.slice(0, 2)).toEqual(['--resume', ID]);
  });

  it('cannot resume what is not there', async () => {
    using at = desk();
    expect(await at.talk('character-talk', { session: { id: ID, resume: true } }).done).toMatchObject({
      code: 1,
      stderr: `There is no conversation ${ID} of this project to resume. Start one without --resume.\n`,
    });
  });

  it('makes an id that claude takes of one that it would not', async () => {
    using at = desk();
    await at.talk('character-talk', talk({ id: 'ada at dawn' })).done;
    await at.talk('character-talk', talk({ id: 'ada at dawn', resume: true })).done;
    const [first = '', second] = at.starts().map(({ argv }) => argv[1]);
    expect(first).toMatch(UUID);
    expect(second).toBe(first);
  });

  it('passes the exit code on, and does not try again for any other failure', async () => {
    using at = desk();
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
  ])('refuses the request %j on stderr', async (request, message) => {
    using at = desk();
    const file = at.novel.write('broken.json', request);
    const done = await at.talk('scene-critique', {}, { NIB_AGENT_REQUEST_FILE: file }).done;
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(existsSync(file)).toBe(false);
  });

  it('says how to get claude when it is not there', async () => {
    using at = desk();
    const done = await at.talk('character-talk', talk({ new: true }), {
      NIB_CLAUDE_COMMAND: 'no-such-claude',
    }).done;
    expect(done).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no-such-claude was not found\. Install/),
    });
  });

  it('leaves nothing running when it is terminated', async () => {
    using at = desk();
    const mark = `claude-hangs-${process.pid}-${at.novel.root}`;
    const program = at.talk('character-talk', talk({}), { CLAUDE_HANGS: mark });
    await until(() => at.starts().length === 1, 'claude has started');
    program.child.kill('SIGTERM');
    expect((await program.done).code).toBe(143);
    await until(() => processesWith(mark).length === 0, 'claude has ended', 5_000);
  });
});
