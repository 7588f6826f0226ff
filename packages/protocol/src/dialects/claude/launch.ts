import type { CommandSpec, Launch, LaunchContext } from '../../contract/host-side.ts';
import type { ClaudeSettings } from './settings.ts';

/** The flags that make the program speak this dialect. */
const WIRE_FLAGS: readonly (readonly string[])[] = [
  ['-p'],
  ['--input-format', 'stream-json'],
  ['--output-format', 'stream-json'],
  ['--verbose'],
  ['--permission-prompt-tool', 'stdio'],
  ['--include-partial-messages'],
];

/** No updates, no telemetry: a process behind a host must not change under it. `env` of the profile overrides them. */
const QUIET: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
};

/** How the program is started for a session. The session is a flag, so that a process has one session for its life. */
export function launchClaude(settings: ClaudeSettings, { session }: LaunchContext): Launch {
  const flags = [...WIRE_FLAGS, ...settingFlags(settings), ...sessionFlags(settings, session?.agentId)];
  return {
    command: withFlags(settings.command, flags),
    env: { ...QUIET, ...settings.env },
    ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
  };
}

function settingFlags(settings: ClaudeSettings): string[][] {
  const { settingSources: sources } = settings;
  return [
    ...flag('--model', settings.model),
    ...flag('--fallback-model', settings.fallbackModel),
    ...flag('--effort', settings.effort),
    ...flag('--permission-mode', settings.permissionMode),
    ...list('--allowedTools', settings.allowedTools),
    ...list('--disallowedTools', settings.disallowedTools),
    ...list('--add-dir', settings.addDirs),
    ...list('--mcp-config', settings.mcpConfig),
    ...(settings.strictMcpConfig ? [['--strict-mcp-config']] : []),
    ...flag('--system-prompt', settings.systemPrompt),
    ...flag('--append-system-prompt', settings.appendSystemPrompt),
    ...(sources === undefined ? [] : [['--setting-sources', sources.join(',')]]),
    ...flag('--max-turns', settings.maxTurns),
    ...flag('--max-budget-usd', settings.maxBudgetUsd),
  ];
}

/** The session of the turn comes first. `resume`, `continue` and `fork` say how a conversation without one begins. */
function sessionFlags({ resume, continue: goesOn, fork }: ClaudeSettings, agentId?: string): string[][] {
  if (agentId !== undefined) return [['--resume', agentId]];
  const copy = fork ? [['--fork-session']] : [];
  if (resume !== undefined) return [['--resume', resume], ...copy];
  return goesOn ? [['--continue'], ...copy] : [];
}

function flag(name: string, value: string | number | undefined): string[][] {
  return value === undefined ? [] : [[name, String(value)]];
}

function list(name: string, values: readonly string[]): string[][] {
  return values.length === 0 ? [] : [[name, ...values]];
}

/** Adds the flags that the command does not have itself. */
function withFlags(command: CommandSpec, flags: readonly (readonly string[])[]): CommandSpec {
  if ('shell' in command) return { shell: [command.shell, ...flags.flat().map(quoteWord)].join(' ') };
  const missing = flags.filter(([name = '']) => !command.argv.includes(name));
  return { argv: [...command.argv, ...missing.flat()] };
}

function quoteWord(word: string): string {
  return /^[\w./:=,@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
