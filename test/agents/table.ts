import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '@plugboard/protocol';

/** A program of another maker, in a version that the tests were made with. */
export interface RealAgent {
  readonly dialect: DialectName;
  /** The package in npm's registry, at one version. */
  readonly package: string;
  readonly version: string;
  /** Its file below the folder it was installed in. Install scripts are not run. */
  readonly program: string;
  /** Words in front of the program, for example a Node. */
  readonly launcher?: readonly string[];
  /** Words behind the program in its profile. */
  readonly arguments?: readonly string[];
  /** Its variables: the address of the scripted model, and a home of its own. */
  environment(surroundings: Surroundings): Readonly<Record<string, string>>;
  /** Files that it finds in its home, by their paths there. */
  files?(surroundings: Surroundings): Readonly<Record<string, string>>;
  /** Further fields of its profile, as settings. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** A command that it asks about before it runs it; `FILE` is replaced. */
  readonly askedCommand: string;
  /** What the result of a tool says that a person has denied; their reason, "Not today.", when absent. */
  readonly denied?: string;
  /** A message during a turn is not taken into the turn, but waits for a turn of its own. */
  readonly queuesSteering?: boolean;
  /** A session can be resumed only after the minute in which it began: the names of its files end with the minute. */
  readonly resumesNextMinute?: boolean;
}

interface Surroundings {
  /** The scripted model, without a path. */
  readonly model: string;
  readonly home: string;
}

/** No statistics, no updates, a login by key. */
const GEMINI_SETTINGS = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

/** One model at one address; questions before commands and edits. */
function opencodeConfig(baseURL: string): object {
  const model = {
    name: 'Scripted',
    tool_call: true,
    reasoning: true,
    limit: { context: 100_000, output: 8000 },
  };
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Scripted',
    options: { baseURL, apiKey: 'scripted' },
    models: { scripted: model },
  };
  return {
    provider: { scripted: provider },
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    permission: { bash: 'ask', edit: 'ask' },
    share: 'disabled',
    autoupdate: false,
  };
}

/** Where the platform's package of Codex has its binary. */
const CODEX_TARGET = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-${
  process.platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-musl'
}`;

/** A model of its own list, so that it offers all its tools, at one address. */
function codexConfig(baseUrl: string): string {
  return [
    'model = "gpt-5.5"',
    'model_provider = "scripted"',
    '[model_providers.scripted]',
    'name = "Scripted"',
    `base_url = "${baseUrl}"`,
    'wire_api = "responses"',
    'env_key = "SCRIPTED_KEY"',
    'request_max_retries = 1',
    'stream_max_retries = 1',
    '',
  ].join('\n');
}

/** Every program that `npm run test:agents` tries. To add one: its lines here, and a test file that calls `describeAgent`. */
export const AGENTS = {
  claude: {
    dialect: 'claude',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    environment: ({ model, home }) => ({
      HOME: home,
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'scripted',
      CLAUDE_CODE_MAX_RETRIES: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    askedCommand: 'touch FILE',
  },
  gemini: {
    dialect: 'acp',
    package: '@google/gemini-cli',
    version: '0.61.0',
    launcher: [process.execPath],
    program: 'node_modules/@google/gemini-cli/bundle/gemini.js',
    arguments: ['--acp'],
    environment: ({ model, home }) => ({
      HOME: home,
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    files: () => ({ '.gemini/settings.json': JSON.stringify(GEMINI_SETTINGS) }),
    settings: { authMethod: 'gemini-api-key', settleMs: 300 },
    askedCommand: 'touch FILE',
    denied: 'refused',
    queuesSteering: true,
    resumesNextMinute: true,
  },
  opencode: {
    dialect: 'acp',
    package: 'opencode-ai',
    version: '1.18.33',
    program: `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
    arguments: ['acp'],
    environment: ({ home }) => ({
      HOME: home,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_SERVER_PASSWORD: 'scripted',
    }),
    files: ({ model }) => ({
      '.config/opencode/opencode.json': JSON.stringify(opencodeConfig(`${model}/v1`)),
    }),
    settings: { lateMs: 50 },
    askedCommand: 'touch FILE',
    denied: 'rejected permission',
    queuesSteering: true,
  },
  codex: {
    dialect: 'codex',
    package: '@openai/codex',
    version: '0.166.0',
    program: `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor/${CODEX_TARGET}/bin/codex`,
    environment: ({ home }) => ({ HOME: home, CODEX_HOME: home, SCRIPTED_KEY: 'scripted' }),
    files: ({ model }) => ({ 'config.toml': codexConfig(`${model}/v1`) }),
    // It asks in a sandbox alone.
    settings: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
    askedCommand: 'touch FILE',
  },
} as const satisfies Record<string, RealAgent>;

export type AgentName = keyof typeof AGENTS;

/** Outside of `node_modules`, which `npm ci` empties. */
const CACHE = join(import.meta.dirname, '../../.cache/agents');

/** The folder that a program is installed in: one for each version. */
export function folderOf(name: AgentName): string {
  return join(CACHE, `${name}-${AGENTS[name].version}`);
}

/** Its command, or why there is none. */
export function commandOf(name: AgentName): readonly string[] | { readonly missing: string } {
  const agent: RealAgent = AGENTS[name];
  const program = join(folderOf(name), agent.program);
  if (!existsSync(program))
    return { missing: `${agent.package}@${agent.version} is not in ${folderOf(name)}.` };
  const found = installedVersion(name);
  if (found !== agent.version) return { missing: `${agent.package} is ${found}, not ${agent.version}.` };
  return [...(agent.launcher ?? []), program, ...(agent.arguments ?? [])];
}

function installedVersion(name: AgentName): string {
  const path = join(folderOf(name), 'node_modules', AGENTS[name].package, 'package.json');
  if (!existsSync(path)) return 'not installed';
  return String((JSON.parse(readFileSync(path, 'utf8')) as { version?: unknown }).version);
}
