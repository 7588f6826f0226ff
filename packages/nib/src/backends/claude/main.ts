import { readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { withoutUndefined } from '@plugboard/process';
import { type AgentEffect, nib, type Turn } from '@plugboard/protocol';
import { VERSION } from '../../version.ts';
import { BackendError } from '../failure.ts';
import { parseFlags } from '../flags.ts';
import { getStateDirectory } from '../private-file.ts';
import { type ClaudeProgram, createEnvironment } from './claude-program.ts';

/** Serves nib, or runs `--check`, `--help`, `--version` or `--permit`; sets `process.exitCode`. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === '--permit') return decidePermission(argv[1] ?? '');
  const mode = parseFlags(argv);
  if (typeof mode === 'object') return exitWith(`nib-agent-claude takes no ${mode.unknown}. See --help.`, 2);
  if (mode === 'version') return void process.stdout.write(`${VERSION}\n`);
  if (mode === 'help') return void process.stdout.write(HELP);
  if (mode === 'check') return runReporting(checkClaude);
  const request = takeRequestFile();
  if (request !== undefined) return runReporting(() => runConversation(request));
  if (process.stdin.isTTY)
    return exitWith('nib-agent-claude is started by nib. See --help; --check tries claude.', 2);
  await serveHost();
}

function exitWith(sentence: string, exitCode: number): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = exitCode;
}

/** Prints a `BackendError` without a stack trace: its sentence tells the person what to do. */
async function runReporting(work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    exitWith(error.message, 1);
  }
}

/** The PreToolUse hook, which `claude` calls before each tool call; exit code 2 denies the call. */
async function decidePermission(policyFile: string): Promise<void> {
  try {
    const { decideCall } = await import('./confinement.ts');
    process.stdout.write(decideCall(policyFile, readFileSync(0, 'utf8')));
  } catch (error) {
    exitWith(`The policy of this operation cannot be read: ${String(error)}`, 2);
  }
}

function createProgram(): ClaudeProgram {
  return {
    command: process.env.NIB_CLAUDE_COMMAND || 'claude',
    environment: createEnvironment(withoutUndefined(process.env)),
    hook: [process.execPath, process.argv[1] ?? ''],
    temporary: tmpdir(),
  };
}

/** Reads and deletes the file of NIB_AGENT_REQUEST_FILE; a missing file means that another process has taken it. */
function takeRequestFile(): string | undefined {
  const path = process.env.NIB_AGENT_REQUEST_FILE;
  if (path === undefined || path === '') return undefined;
  try {
    const content = readFileSync(path, 'utf8');
    rmSync(path, { force: true });
    return content;
  } catch {
    return undefined;
  }
}

async function serveHost(): Promise<void> {
  const [{ serve }, { createHandler }, { createRunner }] = await Promise.all([
    import('@plugboard/agent'),
    import('./handler.ts'),
    import('./claude-runner.ts'),
  ]);
  const claude = createProgram();
  const runner = createRunner(claude);
  await serve(createHandler(runner, claude, process.cwd()), {
    as: 'nib',
    version: VERSION,
    close: () => runner.close(),
  });
}

async function runConversation(request: string): Promise<number> {
  const turn = parseTurn(request);
  const [{ runTalk }, { createClaudeSessions }] = await Promise.all([
    import('./talk.ts'),
    import('./sessions.ts'),
  ]);
  const ending = new AbortController();
  let signalled: number | undefined;
  const end = (code: number) => (): void => {
    signalled ??= code;
    ending.abort();
  };
  process.on('SIGTERM', end(143)).on('SIGHUP', end(129));
  // On a terminal Ctrl-C reaches `claude` as well, where it may be a command.
  process.on('SIGINT', process.stdin.isTTY ? () => {} : end(130));
  const code = await runTalk(turn, {
    program: createProgram(),
    cwd: process.cwd(),
    signal: ending.signal,
    state: getStateDirectory(process.env, homedir()),
    sessions: createClaudeSessions(getStateDirectory(process.env, homedir())),
    print: (text) => void process.stderr.write(`${text}\n`),
  });
  return signalled ?? code;
}

function parseTurn(requestFile: string): Turn {
  const state = nib.agent.initial({ environment: {}, requestFile, nextTurnId: () => 'turn-1' });
  const out: AgentEffect[] = [];
  nib.agent.step(state, { type: 'started' }, out);
  const [first] = out;
  if (first?.type === 'turn') return first.turn;
  throw new BackendError(
    'bad-request',
    first?.type === 'refuse' ? first.failure.message : 'There was no request.',
  );
}

async function checkClaude(): Promise<number> {
  const [{ createRunner }, { createPipeArguments }] = await Promise.all([
    import('./claude-runner.ts'),
    import('./arguments.ts'),
  ]);
  const { signal } = new AbortController();
  const { text } = await createRunner(createProgram()).run({
    args: [...createPipeArguments('low'), '--tools', ''],
    prompt: 'Say the word ready.',
    cwd: process.cwd(),
    signal,
    onStep: () => {},
  });
  process.stdout.write(`claude says: ${text.slice(0, 200)}\n`);
  return 0;
}

const HELP = `nib-agent-claude: nib's backend for Claude Code.

nib starts it when no other agent is chosen. It needs the program claude, installed and logged in:
npm install -g @anthropic-ai/claude-code

  --check     try whether claude is there and answers
  --version   print the version
  --help      print this

  NIB_CLAUDE_COMMAND   where claude is, when it is not on the PATH
`;
