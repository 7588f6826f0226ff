import { describe, expect, it } from 'vitest';
import type { LaunchContext } from '../src/contract/host-side.ts';
import { claude } from '../src/dialects/claude/index.ts';
import type { ClaudeSettings } from '../src/dialects/claude/settings.ts';

const WIRE =
  '-p --input-format stream-json --output-format stream-json --verbose --permission-prompt-tool stdio --include-partial-messages';

function launch(settings: Partial<ClaudeSettings> = {}, session?: LaunchContext['session']) {
  const context = { environment: {}, workspace: '/ws', ...(session === undefined ? {} : { session }) };
  const result = claude.host.launch({ ...claude.defaults, ...settings }, context);
  if ('refused' in result) throw new Error(result.refused.message);
  return result;
}

function flagsOf(settings: Partial<ClaudeSettings>, session?: LaunchContext['session']): string {
  const { command } = launch(settings, session);
  return ('argv' in command ? command.argv.join(' ') : command.shell).replace(`claude ${WIRE}`, '').trim();
}

describe('the launch of Claude Code', () => {
  it('adds every flag of the protocol to the command', () => {
    expect(launch().command).toEqual({ argv: ['claude', ...WIRE.split(' ')] });
  });

  it('keeps a flag that the command has itself', () => {
    const { command } = launch({ command: { argv: ['claude', '--verbose', '-p'] } });
    const words = 'argv' in command ? command.argv : [];
    expect(words.filter((word) => word === '--verbose' || word === '-p')).toEqual(['--verbose', '-p']);
  });

  it('quotes flags for a command that is a line for the shell', () => {
    const { command } = launch({ command: { shell: 'nice claude' }, appendSystemPrompt: "Don't" });
    expect(command).toEqual({ shell: `nice claude ${WIRE} --append-system-prompt 'Don'\\''t'` });
  });

  it('turns updates and telemetry off, unless the profile says otherwise', () => {
    const off = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' };
    expect(launch().env).toEqual(off);
    expect(launch({ env: { DISABLE_AUTOUPDATER: '0' } }).env).toEqual({ ...off, DISABLE_AUTOUPDATER: '0' });
  });

  it.each<[string, Partial<ClaudeSettings>, string]>([
    ['a model', { model: 'opus', fallbackModel: 'sonnet' }, '--model opus --fallback-model sonnet'],
    ['rules', { allowedTools: ['Read', 'Bash(git *)'] }, '--allowedTools Read Bash(git *)'],
    ['refused tools', { disallowedTools: ['WebFetch'] }, '--disallowedTools WebFetch'],
    ['directories', { addDirs: ['/a', '/b'] }, '--add-dir /a /b'],
    [
      'MCP servers',
      { mcpConfig: ['a.json'], strictMcpConfig: true },
      '--mcp-config a.json --strict-mcp-config',
    ],
    ['a mode', { permissionMode: 'plan', effort: 'high' }, '--effort high --permission-mode plan'],
    ['limits', { maxTurns: 3, maxBudgetUsd: 0.5 }, '--max-turns 3 --max-budget-usd 0.5'],
    ['settings files', { settingSources: [] }, '--setting-sources'],
    ['a system prompt', { systemPrompt: 'Be kind.' }, '--system-prompt Be kind.'],
  ])('passes %s on', (_name, settings, flags) => expect(flagsOf(settings)).toBe(flags));

  it('goes on with the session of the turn, whatever a new conversation begins with', () => {
    const session = { key: 's', agentId: 'known' };
    expect(flagsOf({ resume: 'other', fork: true, continue: true }, session)).toBe('--resume known');
    expect(flagsOf({}, { key: 's' })).toBe('');
  });

  it('begins a new conversation from another session, or from a copy of it', () => {
    expect(flagsOf({ resume: 'other' }, { key: 's' })).toBe('--resume other');
    expect(flagsOf({ resume: 'other', fork: true })).toBe('--resume other --fork-session');
    expect(flagsOf({ continue: true, fork: true })).toBe('--continue --fork-session');
    expect(flagsOf({ fork: true })).toBe('');
  });
});
