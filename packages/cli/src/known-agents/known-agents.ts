/** An agent that many people have installed, and its profile. */
export interface KnownAgent {
  readonly name: string;
  readonly title: string;
  /** Fields of a profile. `command` begins with the program that must be installed. */
  readonly profile: {
    readonly dialect: string;
    readonly command: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly protocol?: 'plain';
    readonly settle_ms?: number;
    readonly late_ms?: number;
  };
  /** Variables for which each profile gets a random value. */
  readonly randomVariables?: readonly string[];
  /** What the profile closes or switches off, as one sentence. */
  readonly closes: string;
  readonly install: string;
  readonly logIn: string;
  /** Signs of a login: files below the home directory, and variables that hold a key. */
  readonly files: readonly string[];
  readonly keys: readonly string[];
}

/** The agents with a profile of ours, in the order in which they are offered. */
export const KNOWN_AGENTS: readonly KnownAgent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    profile: {
      dialect: 'claude',
      command: ['claude'],
      env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    },
    closes: 'Updates, telemetry and error reports are off.',
    install: 'npm install -g @anthropic-ai/claude-code',
    logIn: 'Run claude once and type /login, or set ANTHROPIC_API_KEY.',
    files: ['.claude/.credentials.json'],
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  {
    name: 'codex',
    title: 'Codex',
    profile: { dialect: 'codex', command: ['codex'] },
    closes:
      'Statistics and the look for updates are off, and plugins and apps, which look up hosts at each start.',
    install: 'npm install -g @openai/codex',
    logIn: 'Run codex login, or set OPENAI_API_KEY.',
    files: ['.codex/auth.json'],
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  },
  {
    name: 'gemini',
    title: 'Gemini CLI',
    profile: {
      dialect: 'acp',
      command: ['gemini', '--acp'],
      env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_TELEMETRY_ENABLED: 'false' },
      // It goes on repeating the history of a loaded session after it has answered.
      settle_ms: 300,
    },
    closes:
      'Telemetry is off and it does not start itself a second time. Usage statistics and updates are switched off in ~/.gemini/settings.json alone.',
    install: 'npm install -g @google/gemini-cli',
    logIn: 'Run gemini once and choose how to sign in, or set GEMINI_API_KEY.',
    files: ['.gemini/oauth_creds.json'],
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
  {
    name: 'opencode',
    title: 'opencode',
    profile: {
      dialect: 'acp',
      command: ['opencode', 'acp'],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_CONFIG_CONTENT: '{"permission":{"bash":"ask","edit":"ask"},"share":"disabled"}',
      },
      // Its last chunks may come after the end of their turn.
      late_ms: 50,
    },
    randomVariables: ['OPENCODE_SERVER_PASSWORD'],
    closes:
      'Updates and sharing are off, it asks before commands and edits, and the HTTP port that it opens on this machine has a random password.',
    install: 'npm install -g opencode-ai',
    logIn: 'Run opencode auth login.',
    files: ['.local/share/opencode/auth.json'],
    keys: [],
  },
  {
    name: 'claude-acp',
    title: 'Claude Code behind its ACP adapter',
    profile: {
      dialect: 'acp',
      command: ['claude-agent-acp'],
      env: { DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    },
    closes: 'Updates, telemetry and error reports are off.',
    install: 'npm install -g @agentclientprotocol/claude-agent-acp',
    logIn: 'Run claude once and type /login, or set ANTHROPIC_API_KEY.',
    files: ['.claude/.credentials.json'],
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  {
    name: 'codex-acp',
    title: 'Codex behind its ACP adapter',
    profile: { dialect: 'acp', command: ['codex-acp'] },
    closes:
      'Nothing. In its standard mode a model decides about approvals: with mode: workspace-write it asks people.',
    install: 'npm install -g @agentclientprotocol/codex-acp',
    logIn: 'Run codex login, or set OPENAI_API_KEY.',
    files: ['.codex/auth.json'],
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  },
  {
    name: 'goose',
    title: 'goose',
    profile: {
      dialect: 'acp',
      command: ['goose', 'acp'],
      env: { GOOSE_TELEMETRY_ENABLED: 'false' },
    },
    closes: 'Telemetry is off.',
    install: 'See block.github.io/goose for an installer.',
    logIn: 'Run goose configure.',
    files: ['.config/goose/config.yaml'],
    keys: ['GOOSE_PROVIDER'],
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    profile: { dialect: 'acp', command: ['qwen', '--acp'] },
    closes: 'Nothing: usage statistics are switched off in ~/.qwen/settings.json.',
    install: 'npm install -g @qwen-code/qwen-code',
    logIn: 'Run qwen once and sign in, or set OPENAI_API_KEY.',
    files: ['.qwen/oauth_creds.json'],
    keys: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY'],
  },
  {
    name: 'kimi',
    title: 'Kimi Code CLI',
    profile: { dialect: 'acp', command: ['kimi', 'acp'], env: { KIMI_CLI_NO_AUTO_UPDATE: '1' } },
    closes: 'Updates are off.',
    install: 'uv tool install kimi-cli',
    logIn: 'Run kimi once and type /login.',
    files: ['.kimi/config.toml'],
    keys: ['KIMI_API_KEY', 'MOONSHOT_API_KEY'],
  },
  {
    name: 'cursor-agent',
    title: 'Cursor CLI',
    profile: { dialect: 'acp', command: ['cursor-agent', 'acp'] },
    closes: 'Nothing: it has no switch for updates that we know of.',
    install: 'See cursor.com/cli for an installer.',
    logIn: 'Run cursor-agent login, or set CURSOR_API_KEY.',
    files: ['.config/cursor/auth.json'],
    keys: ['CURSOR_API_KEY'],
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    profile: { dialect: 'acp', command: ['copilot', '--acp', '--stdio', '--no-auto-update'] },
    closes: 'Updates are off.',
    install: 'npm install -g @github/copilot',
    logIn: 'Run copilot once and type /login, or set GH_TOKEN.',
    files: ['.copilot/config.json'],
    keys: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  },
  {
    name: 'amp',
    title: 'Amp',
    profile: { dialect: 'terminal', command: ['amp', '-x', '{message}'], protocol: 'plain' },
    closes: 'Nothing. Each message is a conversation of its own, without approvals.',
    install: 'npm install -g @sourcegraph/amp',
    logIn: 'Run amp login, or set AMP_API_KEY.',
    files: ['.local/share/amp/secrets.json'],
    keys: ['AMP_API_KEY'],
  },
];

/** The agent of that name; undefined when we have no profile of it. */
export function findKnownAgent(name: string): KnownAgent | undefined {
  return KNOWN_AGENTS.find((agent) => agent.name === name);
}
