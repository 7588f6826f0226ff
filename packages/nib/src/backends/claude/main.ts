import { readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { withoutUndefined } from '@plugboard/process';
import { nib, type Request, type Turn } from '@plugboard/protocol';
import { VERSION } from '../../version.ts';
import { BackendError } from '../failure.ts';
import { wishOf } from '../flags.ts';
import { stateDirectory } from '../private-file.ts';
import { environmentFor, type Program } from './program.ts';

/** Runs the backend, or does what a person has started it for; ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === '--permit') return permit(argv[1] ?? '');
  const wish = wishOf(argv);
  if (typeof wish === 'object') return leave(`nib-agent-claude takes no ${wish.unknown}. See --help.`, 2);
  if (wish === 'version') return void process.stdout.write(`${VERSION}\n`);
  if (wish === 'help') return void process.stdout.write((await import('./help.ts')).HELP);
  if (wish === 'check') return reporting(check);
  const request = takeRequestFile();
  if (request !== undefined) return reporting(() => converse(request));
  if (process.stdin.isTTY)
    return leave('nib-agent-claude is started by nib. See --help; --check tries claude.', 2);
  await answer();
}

function leave(sentence: string, exitCode: number): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = exitCode;
}

/** Our own sentences are all that a person needs to see of what went wrong. */
async function reporting(work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    if (!(error instanceof BackendError)) throw error;
    leave(error.message, 1);
  }
}

/** `claude` asks this before each tool call; it takes the end code 2 for a refusal. */
async function permit(policyFile: string): Promise<void> {
  try {
    const { decideCall } = await import('./confinement.ts');
    process.stdout.write(decideCall(policyFile, readFileSync(0, 'utf8')));
  } catch (error) {
    leave(`The policy of this operation cannot be read: ${String(error)}`, 2);
  }
}

function program(): Program {
  return {
    command: process.env.NIB_CLAUDE_COMMAND || 'claude',
    environment: environmentFor(withoutUndefined(process.env)),
    hook: [process.execPath, process.argv[1] ?? ''],
    temporary: tmpdir(),
  };
}

/** The request of an interactive operation, which is ours to delete; one that is gone was another program's. */
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

async function answer(): Promise<void> {
  const [{ serve }, { createHandler }, { createRunner }] = await Promise.all([
    import('@plugboard/agent'),
    import('./handler.ts'),
    import('./run.ts'),
  ]);
  const claude = program();
  const runner = createRunner(claude);
  await serve(createHandler(runner, claude, process.cwd()), {
    as: 'nib',
    version: VERSION,
    close: () => runner.close(),
  });
}

async function converse(request: string): Promise<number> {
  const turn = turnOf(request);
  const [{ talk }, { claudeSessions }] = await Promise.all([import('./talk.ts'), import('./sessions.ts')]);
  const ending = new AbortController();
  let signalled: number | undefined;
  const end = (code: number) => (): void => {
    signalled ??= code;
    ending.abort();
  };
  process.on('SIGTERM', end(143)).on('SIGHUP', end(129));
  // On a terminal Ctrl-C reaches claude as well, to which it may mean something else than the end.
  process.on('SIGINT', process.stdin.isTTY ? () => {} : end(130));
  const code = await talk(turn, {
    program: program(),
    cwd: process.cwd(),
    signal: ending.signal,
    state: stateDirectory(process.env, homedir()),
    sessions: claudeSessions(stateDirectory(process.env, homedir())),
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  return signalled ?? code;
}

function turnOf(requestFile: string): Turn {
  const state = nib.agent.initial({ environment: {}, requestFile, nextTurnId: () => 'turn-1' });
  const out: Request[] = [];
  nib.agent.begin(state, out);
  const [first] = out;
  if (first?.type === 'turn') return first.turn;
  throw new BackendError(
    'bad-request',
    first?.type === 'fault' ? first.fault.message : 'There was no request.',
  );
}

async function check(): Promise<number> {
  const [{ createRunner }, { pipeArguments }] = await Promise.all([
    import('./run.ts'),
    import('./arguments.ts'),
  ]);
  const { signal } = new AbortController();
  const { text } = await createRunner(program()).run({
    args: [...pipeArguments('low'), '--tools', ''],
    prompt: 'Say the word ready.',
    cwd: process.cwd(),
    signal,
    onStep: () => {},
  });
  process.stdout.write(`claude says: ${text.slice(0, 200)}\n`);
  return 0;
}
