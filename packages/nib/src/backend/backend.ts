import { StringDecoder } from 'node:string_decoder';
import { createTurn, type End, open, type Profile } from '@plugboard/host';
import { nib } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import { chooseBackend } from './choose-backend.ts';
import { findBackend } from './find-backend.ts';
import type { BackendRequest } from './request.ts';

type Listener = (text: string) => void;

/** The result of `Backend.run`. */
export interface Answer {
  readonly end: End;
  /** The first protocol violation of the backend; the error is then nib's, not the backend's. */
  readonly fault?: string;
}

/** Options of `Backend.run`. */
interface RunOptions {
  readonly signal: AbortSignal;
  /** Receives the backend's stderr while it runs. */
  readonly onStderr?: Listener;
}

/** A backend opened for a project. */
export interface Backend {
  readonly name: string;
  readonly root: string;
  /** Runs one request to its end; a failure is in `Answer.end`, never thrown. */
  run(request: BackendRequest, options: RunOptions): Promise<Answer>;
  /** Sends SIGKILL to all processes of the backend. */
  kill(): Promise<void>;
}

/** Options of `openBackend` beside the settings of the project. */
export interface BackendOptions {
  /** The backend's name; without it `chooseBackend` decides. */
  readonly name?: string | undefined;
  /** Seconds for a request without a conversation; 0 means no limit. */
  readonly timeout?: number | undefined;
  /** The path shown to the person instead of `root`, which is a temporary copy. */
  readonly shownAs?: string;
  /** Environment variables added to the person's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Finds the backend of a project; its process starts with the first `run`. */
export async function openBackend(env: Env, root: string, options: BackendOptions = {}): Promise<Backend> {
  const name = options.name ?? (await chooseBackend(env, root)).name;
  return createBackend(env, root, { ...options, name, path: findBackend(env, name).path });
}

interface Found extends BackendOptions {
  readonly name: string;
  readonly path: string;
}

function createBackend(env: Env, root: string, found: Found): Backend {
  const listeners = new Map<string, Listener>();
  const agent = open(createProfile(root, found), {
    environment: env.variables,
    ...(env.variables.TMPDIR ? { temporary: env.variables.TMPDIR } : {}),
    // Raw bytes without line buffering: a progress bar of dots has no line end.
    recorder: { tap: (_agent, turn) => createStderrTap(listeners.get(turn?.id ?? '')) },
  });
  const { shownAs = root } = found;
  const show = (text: string): string => text.replaceAll(root, () => shownAs);
  let count = 0;
  return {
    name: found.name,
    root,
    async run({ operation, fields, schema }, { signal, onStderr }) {
      count += 1;
      const id = String(count);
      if (onStderr !== undefined) listeners.set(id, (text) => onStderr(show(text)));
      const turn = createTurn({
        id,
        operation: { name: operation, fields },
        ...(schema === undefined ? {} : { schema }),
      });
      let fault: string | undefined;
      const run = agent.run(turn, signal);
      for await (const event of run) if (event.type === 'fault') fault ??= event.fault.message;
      listeners.delete(id);
      return {
        end: replacePaths(await run.result, show),
        ...(fault === undefined ? {} : { fault: show(fault) }),
      };
    },
    kill: () => agent.close({ graceMs: 0 }),
  };
}

/** Replaces the path of the copy by that of the project in the messages of an end. */
function replacePaths(end: End, show: (text: string) => string): End {
  const { error } = end;
  const told = error === undefined ? {} : { error: { ...error, message: show(error.message) } };
  return { ...end, text: show(end.text), ...told };
}

/** `inherit: 'all'`: a backend runs in the person's own environment, because they chose to install it. */
function createProfile(root: string, { name, path, timeout, variables = {} }: Found): Profile {
  return {
    name: `nib-agent-${name}`,
    identity: path,
    dialect: 'nib',
    settings: {
      ...nib.defaults,
      command: { argv: [path] },
      env: variables,
      ...(timeout === undefined ? {} : { timeoutSecs: timeout }),
    },
    inherit: 'all',
    workspace: root,
  };
}

function createStderrTap(listener: Listener | undefined) {
  const decoder = new StringDecoder('utf8');
  return {
    write(stream: string, bytes: Uint8Array) {
      if (stream === 'stderr') listener?.(decoder.write(Buffer.from(bytes)));
    },
    end: () => listener?.(decoder.end()),
  };
}
