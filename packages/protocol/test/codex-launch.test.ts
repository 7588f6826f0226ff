import { describe, expect, it } from 'vitest';
import type { HostEffect, LaunchContext } from '../src/contract/host-side.ts';
import { codex } from '../src/dialects/codex/index.ts';
import type { CodexSettings } from '../src/dialects/codex/settings.ts';
import { codexExec } from '../src/dialects/codex-exec/index.ts';
import type { CodexExecSettings } from '../src/dialects/codex-exec/settings.ts';
import { createTurn, type TurnInput } from '../src/model/turn.ts';

const CONTEXT: LaunchContext = { environment: {}, workspace: '/ws' };
const QUIET =
  '-c features.plugins=false -c features.apps=false -c analytics.enabled=false -c check_for_update_on_startup=false';

function launch(settings: Partial<CodexSettings> = {}): string {
  const result = codex.host.launch({ ...codex.defaults, ...settings }, CONTEXT);
  if ('refused' in result) throw new Error(result.refused.message);
  return 'argv' in result.command ? result.command.argv.join(' ') : result.command.shell;
}

function launchExec(settings: Partial<CodexExecSettings> = {}, turn: Partial<TurnInput> = {}): string[] {
  const asked = createTurn({ id: 't1', text: 'hi', ...turn });
  const result = codexExec.host.launch({ ...codexExec.defaults, ...settings }, CONTEXT, asked);
  if ('refused' in result) throw new Error(result.refused.message);
  return 'argv' in result.command ? [...result.command.argv] : [result.command.shell];
}

describe('the launch of codex app-server', () => {
  it('adds the subcommand, and switches off what would leave the machine', () => {
    expect(launch()).toBe(`codex app-server ${QUIET}`);
  });

  it('keeps a subcommand that the command has itself', () => {
    expect(launch({ command: { argv: ['nice', 'codex', 'app-server'] } })).toBe(
      `nice codex app-server ${QUIET}`,
    );
  });

  it('writes the keys of a profile as TOML, and lets them win', () => {
    const config = {
      'analytics.enabled': true,
      model_verbosity: 'low "x"',
      'shell_environment_policy.include_only': ['PATH', 'HOME'],
      tools: { web_search: false, limit: 3 },
    };
    const words = launch({ config });
    expect(words).toContain('-c analytics.enabled=true');
    expect(words).not.toContain('analytics.enabled=false');
    expect(words).toContain('-c model_verbosity="low \\"x\\""');
    expect(words).toContain('-c shell_environment_policy.include_only=["PATH", "HOME"]');
    expect(words).toContain('-c tools={ "web_search" = false, "limit" = 3 }');
  });

  it('quotes words for a command that is a line for the shell', () => {
    const words = launch({ command: { shell: 'nice codex' }, config: { note: "Don't" } });
    expect(words).toContain("nice codex app-server -c 'features.plugins=false'".replaceAll("'", ''));
    expect(words).toMatch(/-c 'note="Don'\\''t"'$/);
  });

  it('names no secret: what a thread is given is sent to the process', () => {
    const mcpServers = { files: { command: 'files', env: { KEY: 's3cret' } } };
    expect(launch({ mcpServers, developerInstructions: 'Be kind.' })).toBe(`codex app-server ${QUIET}`);
  });

  it('asks for logs without escape sequences, unless the profile says otherwise', () => {
    for (const { host, defaults } of [codex, codexExec] as const) {
      const machine = host as typeof codex.host;
      const envOf = (env: Record<string, string>) =>
        machine.launch({ ...codex.defaults, ...defaults, env }, CONTEXT);
      expect(envOf({})).toMatchObject({ env: { NO_COLOR: '1' } });
      expect(envOf({ NO_COLOR: '' })).toMatchObject({ env: { NO_COLOR: '' } });
    }
  });

  it('opens the thread of a session before its first turn, in a process that is started ahead', () => {
    const state = codex.host.initial(codex.defaults, { ...CONTEXT, session: { key: 's', agentId: 'th1' } });
    const out: HostEffect[] = [];
    codex.host.step(state, { type: 'started' }, out);
    codex.host.step(state, { type: 'line', text: '{"id":0,"result":{}}' }, out);
    const written = out.flatMap((effect) => (effect.type === 'write' ? [effect.text] : []));
    expect(written.at(-1)).toContain('"method":"thread/resume","params":{"threadId":"th1"');
  });
});

describe('the launch of codex exec', () => {
  it('takes the message from stdin', () => {
    expect(launchExec().join(' ')).toBe(`codex exec --json --skip-git-repo-check ${QUIET} -`);
  });

  it('goes on with the thread of the turn, whatever a new conversation begins with', () => {
    const session = { key: 's', agentId: '-known' };
    expect(launchExec({ resume: 'other' }, { session }).slice(-4)).toEqual(['resume', '--', '-known', '-']);
    expect(launchExec({ resume: 'other' }).slice(-4)).toEqual(['resume', '--', 'other', '-']);
  });

  it('passes images as flags, and settings as keys that every subcommand takes', () => {
    const attachments = [
      { kind: 'image' as const, path: '/ws/a b.png' },
      { kind: 'image' as const, path: 'c.png' },
      { kind: 'file' as const, path: '/ws/d.pdf' },
    ];
    const settings = { model: 'gpt-5.5', sandbox: 'workspace-write', addDirs: ['/more'], ephemeral: true };
    const words = launchExec({ ...settings, effort: 'high', networkAccess: false }, { attachments });
    expect(words.filter((word) => word.startsWith('--image'))).toEqual(['--image=/ws/a b.png']);
    expect(words).toContain('--ephemeral');
    expect(words).toContain('model="gpt-5.5"');
    expect(words).toContain('model_reasoning_effort="high"');
    expect(words).toContain('sandbox_mode="workspace-write"');
    expect(words).toContain('sandbox_workspace_write.network_access=false');
    expect(words).toContain('sandbox_workspace_write.writable_roots=["/more"]');
  });

  it('cannot be started before its turn is known', () => {
    expect(codexExec.host.prewarmProblem(codexExec.defaults)).toContain('arguments of its command');
  });
});
