import { StringDecoder } from 'node:string_decoder';
import { createTurn, type End, open, type Profile } from '@plugboard/host';
import { nib } from '@plugboard/protocol';
import type { Env } from '../env.ts';
import { chooseBackend } from './choice.ts';
import { findBackend } from './lookup.ts';
import type { BackendRequest } from './request.ts';

type Listener = (text: string) => void;

/** What came of a request. */
export interface Answer {
  readonly end: End;
  /** What broke the protocol first, if anything did: the error is then ours and not the backend's. */
  readonly fault?: string;
}

/** How one request is run. */
interface RunOptions {
  readonly signal: AbortSignal;
  /** Gets what the backend writes to stderr, as it comes. */
  readonly onStderr?: Listener;
}

/** A backend at work in a project. */
export interface Backend {
  readonly name: string;
  readonly root: string;
  /** Runs one request to its end; never throws. */
  run(request: BackendRequest, options: RunOptions): Promise<Answer>;
  /** Ends everything at once. */
  kill(): Promise<void>;
}

/** How a backend is opened, beyond what the project says. */
export interface BackendOptions {
  /** The name, when it was said on the command line. */
  readonly name?: string | undefined;
  /** Seconds for a request without a conversation; 0 is no limit. */
  readonly timeout?: number | undefined;
  /** The path that a person reads in the place of the backend's own directory. */
  readonly shownAs?: string;
  /** Variables for the backend beside the person's own. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Finds the backend of a project; nothing is started before it is asked for something. */
export async function openBackend(env: Env, root: string, options: BackendOptions = {}): Promise<Backend> {
  const name = options.name ?? (await chooseBackend(env, root)).name;
  return backendAt(env, root, { ...options, name, path: findBackend(env, name).path });
}

interface Found extends BackendOptions {
  readonly name: string;
  readonly path: string;
}

function backendAt(env: Env, root: string, found: Found): Backend {
  const listeners = new Map<string, Listener>();
  const agent = open(profileOf(root, found), {
    environment: env.variables,
    ...(env.variables.TMPDIR ? { temporary: env.variables.TMPDIR } : {}),
    // Raw bytes as they come: a row of dots without an end of line is news too.
    recorder: { tap: (_agent, turn) => stderrTap(listeners.get(turn?.id ?? '')) },
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
        end: shownEnd(await run.result, show),
        ...(fault === undefined ? {} : { fault: show(fault) }),
      };
    },
    kill: () => agent.close({ graceMs: 0 }),
  };
}

/** An end whose words name the project where the backend has named its copy. */
function shownEnd(end: End, show: (text: string) => string): End {
  const { error } = end;
  const told = error === undefined ? {} : { error: { ...error, message: show(error.message) } };
  return { ...end, text: show(end.text), ...told };
}

/** A backend runs in the person's own environment: it is a program they have chosen to install. */
function profileOf(root: string, { name, path, timeout, variables = {} }: Found): Profile {
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

function stderrTap(listener: Listener | undefined) {
  const decoder = new StringDecoder('utf8');
  return {
    write(stream: string, bytes: Uint8Array) {
      if (stream === 'stderr') listener?.(decoder.write(Buffer.from(bytes)));
    },
    end: () => listener?.(decoder.end()),
  };
}
