import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLUGBOARD, processesWith, until } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { getLauncher, startProgram } from '../start-program.ts';
import { createBlockLine, createClaudeTest, createResultLine } from './claude-test.ts';

const PROOF = { paths: ['scenes/dawn.md', 'scenes/the long day.md'], effort: 'max' };

describe.concurrent('nib-agent-claude over the pipes', { concurrent: true }, () => {
  it('nib-agent-claude passes the prompt by stdin, and the tools of the operation', async () => {
    using at = createClaudeTest();
    const says = at.says(
      { type: 'system', subtype: 'init' },
      createBlockLine({ type: 'thinking', thinking: 'hm' }),
      createBlockLine({
        type: 'tool_use',
        id: 't',
        name: 'Edit',
        input: { file_path: 'scenes/dawn.md', old_string: 'x' },
      }),
      'not JSON at all',
      createBlockLine({ type: 'text', text: 'working on it' }),
      createResultLine({ result: 'One fix — “the the”.' }),
    );
    const done = await at.ask('scene-proof', PROOF, {
      ...says,
      CLAUDECODE: '1',
      NIB_AGENT_REQUEST_FILE: '/gone',
    }).done;
    expect(done).toMatchObject({ code: 0, stderr: 'Edit scenes/dawn.md\n' });
    expect(JSON.parse(done.stdout)).toEqual({
      type: 'success',
      operation: 'scene-proof',
      text: 'One fix — “the the”.',
    });
    const [one] = at.starts();
    expect(one?.argv).toEqual([
      ...['-p', '--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
      ...['--effort', 'max', '--permission-mode', 'dontAsk', '--strict-mcp-config', '--tools', 'Read,Edit'],
      ...['--settings', expect.stringMatching(/\/nib-claude-\w+\/settings\.json$/)],
    ]);
    expect(existsSync(dirname(one?.argv.at(-1) ?? ''))).toBe(false);
    expect(one?.cwd).toBe(at.novel.root);
    expect(one?.stdin).toContain('\nscenes/dawn.md\nscenes/the long day.md\n');
    expect(one?.variables).not.toContain('CLAUDECODE');
    expect(one?.variables).not.toContain('NIB_AGENT_REQUEST_FILE');
  });

  it('nib-agent-claude accepts prompts and answers of any size', async () => {
    using at = createClaudeTest();
    const question = `-${'ü'.repeat(300_000)}`;
    const says = at.says(
      createBlockLine({ type: 'text', text: 'y'.repeat(100_000) }),
      createResultLine({ result: 'ä'.repeat(2_000_000) }),
    );
    const done = await at.ask('continuity-ask', { question }, says).done;
    expect(JSON.parse(done.stdout).text).toHaveLength(2_000_000);
    expect(at.starts()[0]?.stdin).toContain(question);
  });

  it.each([
    [
      'is_error',
      { is_error: true, result: 'Invalid API key · Please run /login' },
      'claude: Invalid API key · Please run /login',
    ],
    [
      'a subtype of its own',
      { subtype: 'error_max_turns', result: undefined },
      'claude: it stopped with error_max_turns.',
    ],
    ['errors', { subtype: 'error_during_execution', errors: ['one', 'two'] }, 'claude: one two'],
  ])('nib-agent-claude reports a result with %s as an error', async (_what, more, error) => {
    using at = createClaudeTest();
    const done = await at.ask(
      'continuity-ask',
      { question: 'q' },
      { ...at.says(createResultLine(more)), CLAUDE_EXIT: '1' },
    ).done;
    expect(JSON.parse(done.stdout)).toEqual({ type: 'error', error });
    expect(done.code).toBe(0);
  });

  it.each([
    ['what it wrote to stderr', { CLAUDE_FAILS: 'Error: no network' }, 'claude: Error: no network'],
    ['the exit code', { CLAUDE_EXIT: '7' }, 'claude: it ended with exit code 7 and no result.'],
  ])('nib-agent-claude gives %s as the reason when there is no result', async (_what, env, error) => {
    using at = createClaudeTest();
    const done = await at.ask('continuity-ask', { question: 'q' }, { ...at.says({ type: 'system' }), ...env })
      .done;
    expect(JSON.parse(done.stdout)).toEqual({ type: 'error', error });
  });

  it('nib-agent-claude reports a wrong key within seconds, although claude would retry for minutes', async () => {
    using at = createClaudeTest();
    const retry = (attempt: number) => ({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      retry_delay_ms: 600,
      error_status: 401,
      error: 'authentication_failed',
    });
    const mark = `claude-retries-${process.pid}-${at.novel.root}`;
    const began = performance.now();
    const says = at.says(retry(1), retry(2));
    const done = await at.ask('continuity-ask', { question: 'q' }, { ...says, CLAUDE_HANGS: mark }).done;
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(JSON.parse(done.stdout).error).toBe(
      'claude: the server refuses the key or the login (401 authentication_failed). Check ANTHROPIC_API_KEY, or start claude once to log in.',
    );
    expect(done.stderr).toContain('claude tries again, 1 of 10: 401 authentication_failed\n');
    expect(processesWith(mark)).toEqual([]);
  });

  it('nib-agent-claude waits while claude retries a busy server', async () => {
    using at = createClaudeTest();
    const busy = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 3,
      max_retries: 10,
      error_status: 529,
      error: 'overloaded',
    };
    const done = await at.ask(
      'continuity-ask',
      { question: 'q' },
      at.says(busy, createResultLine({ result: 'Bo.' })),
    ).done;
    expect(JSON.parse(done.stdout)).toMatchObject({ type: 'success', text: 'Bo.' });
  });

  it('nib-agent-claude gives printed text that is no JSON as the reason', async () => {
    using at = createClaudeTest();
    const done = await at.ask('continuity-ask', { question: 'q' }, at.says('Please update first.')).done;
    expect(JSON.parse(done.stdout).error).toBe('claude: Please update first.');
  });

  it('nib-agent-claude passes the schema of an index on, and returns its data', async () => {
    using at = createClaudeTest();
    const schema = { type: 'object', required: ['scene'], properties: { scene: { type: 'string' } } };
    const says = at.says(createResultLine({ result: 'done', structured_output: { scene: 'dawn' } }));
    const done = await at.ask('continuity-index', { context: 'Index it.', schema }, says).done;
    expect(JSON.parse(done.stdout)).toEqual({
      type: 'success',
      operation: 'continuity-index',
      data: { scene: 'dawn' },
    });
    const argv = at.starts()[0]?.argv ?? [];
    expect(JSON.parse(argv[argv.indexOf('--json-schema') + 1] ?? '')).toEqual(schema);
    expect(argv).toContain('Read');
  });

  it.each([
    [
      { structured_output: null, result: '```json\n{"scene":"dawn"}\n```' },
      { type: 'success', data: { scene: 'dawn' } },
    ],
    [
      { structured_output: { scene: 7 } },
      { type: 'error', error: expect.stringContaining('data.scene is not of type') },
    ],
    [{ result: 'No idea.' }, { type: 'error', error: expect.stringContaining('data is missing') }],
  ])('nib-agent-claude validates the data of an index: %j', async (more, expected) => {
    using at = createClaudeTest();
    const schema = { type: 'object', required: ['scene'], properties: { scene: { type: 'string' } } };
    const done = await at.ask('continuity-index', { context: 'c', schema }, at.says(createResultLine(more)))
      .done;
    expect(JSON.parse(done.stdout)).toMatchObject(expected);
  });

  it('nib-agent-claude writes the guide of a project without claude', async () => {
    using at = createClaudeTest();
    const done = await at.ask('project-scaffold', { project_name: 'tide' }).done;
    expect(JSON.parse(done.stdout)).toMatchObject({ type: 'success', files: ['CLAUDE.md'] });
    expect(readFileSync(join(at.novel.root, 'CLAUDE.md'), 'utf8')).toMatch(/^# tide\n/);
    expect(at.starts()).toEqual([]);
  });

  it('nib-agent-claude says how to install claude when it is missing', async () => {
    using at = createClaudeTest();
    const done = await at.ask('continuity-ask', { question: 'q' }, { NIB_CLAUDE_COMMAND: '/not/claude' })
      .done;
    expect(JSON.parse(done.stdout).error).toMatch(
      /^\/not\/claude was not found\. Install Claude Code .* NIB_AGENT=local/,
    );
    expect(done.code).toBe(0);
  });

  it('nib-agent-claude kills the whole group of claude on SIGTERM', async () => {
    using at = createClaudeTest();
    const mark = `claude-hangs-${process.pid}-${at.novel.root}`;
    const program = at.ask(
      'continuity-ask',
      { question: 'q' },
      { ...at.says({ type: 'system' }), CLAUDE_HANGS: mark },
    );
    await until(() => at.starts().length === 1, 'claude has started');
    program.child.kill('SIGTERM');
    expect((await program.done).code).toBe(143);
    expect(processesWith(mark)).toEqual([]);
  });

  it('nib-agent-claude has --help, --version and --check', async () => {
    using at = createClaudeTest();
    const run = (flag: string, env: Record<string, string> = {}) =>
      startProgram([process.execPath, getLauncher('nib-agent-claude'), flag], {
        cwd: at.novel.root,
        env: { ...at.novel.env, ...env },
      }).done;
    expect(await run('--version')).toMatchObject({ code: 0, stdout: '0.1.0\n' });
    expect((await run('--help')).stdout).toContain('NIB_CLAUDE_COMMAND');
    expect(await run('-x')).toMatchObject({ code: 2, stderr: 'nib-agent-claude takes no -x. See --help.\n' });
    const command = join(at.novel.root, '..', 'bin', 'claude');
    const env = {
      ...at.says(createResultLine({ result: 'ready' })),
      NIB_CLAUDE_COMMAND: command,
      CLAUDE_RECORD: '/dev/null',
    };
    expect(await run('--check', env)).toMatchObject({ code: 0, stdout: 'claude says: ready\n' });
    expect(await run('--check', { NIB_CLAUDE_COMMAND: '/not/there' })).toMatchObject({ code: 1 });
  });

  it('nib-agent-claude passes every case of the conformance kit', async () => {
    using at = createClaudeTest();
    const scene = { pov: 'bo', scene_type: 'regular', summary: 'He waits.' };
    const says = at.says(createResultLine({ result: 'Well done.', structured_output: { scene, facts: [] } }));
    const command = [...PLUGBOARD, 'check', '--dialect', 'nib', '--json', '--'];
    const { done } = startProgram([...command, process.execPath, getLauncher('nib-agent-claude')], {
      cwd: at.novel.root,
      env: { ...at.env, ...says },
    });
    const { cases } = JSON.parse((await done).stdout);
    // The case `nib/text-kept` needs a backend that echoes its input.
    const others = cases.filter(({ id }: { id: string }) => id !== 'nib/text-kept');
    expect(others.filter(({ outcome }: { outcome: string }) => outcome !== 'pass')).toEqual([]);
  });
});
