import type { Handler, Result, Tasks, TurnIO, Unasked } from '@plugboard/agent';
import { createTurn, reasonOf, type Turn } from '@plugboard/protocol';
import type { Sink } from '../loop/sink.ts';
import type { Occasion } from '../tasks/background-work.ts';
import type { Nuum } from './nuum.ts';
import type { Answered, RequestContext } from './request.ts';
import { omittedBlocks, textOfTurn } from './turn-text.ts';

/** `plainText` where a person reads stdout at a terminal, else the identity. */
type Clean = (text: string) => string;

/** The agent as any host can talk to it. */
export function handlerOf(nuum: Nuum, session: string, clean: Clean = (text) => text): Handler {
  return async (turn, io) => {
    await io.session(session);
    const waiting = nuum.waiting(turn);
    await tellOmitted(turn, io);
    const { schema, extensions } = turn;
    const answered = await nuum.respond(
      {
        text: textOfTurn(turn),
        ...(waiting === undefined ? {} : { waiting }),
        ...(schema === undefined ? {} : { schema }),
        ...(extensions === undefined ? {} : { extensions }),
      },
      aroundOf(nuum, io, clean),
    );
    await tellTasks(nuum, io);
    return resultOf(answered, io);
  };
}

/** Invalid settings of a steered message are told by `progress`: they must not fail the running turn. */
async function adoptSettings(
  nuum: Nuum,
  extensions: NonNullable<Turn['extensions']>,
  io: TurnIO,
): Promise<void> {
  try {
    await nuum.adopt(extensions, io.signal);
  } catch (error) {
    io.signal.throwIfAborted();
    await io.progress(reasonOf(error));
  }
}

async function tellOmitted(turn: Turn, io: TurnIO): Promise<void> {
  for (const line of omittedBlocks(turn)) await io.progress(line);
}

/** Sends changed tasks before the end of the turn: a host that has seen the end knows the tasks that outlive it. */
async function tellTasks({ background }: Nuum, io: TurnIO): Promise<void> {
  // Events of an aborted turn are discarded. `BackgroundWork.updates` then delivers the tasks.
  const tasks = io.signal.aborted ? undefined : background.takeChanged();
  if (tasks !== undefined) await io.emit({ type: 'tasks', tasks });
}

function aroundOf(nuum: Nuum, io: TurnIO, clean: Clean): RequestContext {
  return {
    sink: sinkOf(io, clean),
    askPermission: io.permission,
    takeMore: () => takeMoreFrom(nuum, io),
    spent: io.usage,
    signal: io.signal,
  };
}

/**
 * `takeWaiting` and `steering.take` run without an `await` in between, so that memory and the turn get the same
 * messages.
 */
async function takeMoreFrom(nuum: Nuum, io: TurnIO): Promise<boolean> {
  const { steering } = io;
  if (steering.waiting === 0) return false;
  nuum.takeWaiting();
  const turn = await steering.take();
  if (turn !== undefined) await tellOmitted(turn, io);
  if (turn?.extensions !== undefined) await adoptSettings(nuum, turn.extensions, io);
  return true;
}

/** Shown after the deltas of an answer that broke off. */
const BROKEN_OFF = ' […]';

function sinkOf(io: TurnIO, clean: Clean): Sink {
  return {
    delta: (kind, text) => void io.emit({ type: 'delta', kind, text: clean(text) }),
    restart: () => void io.emit({ type: 'delta', kind: 'output', text: BROKEN_OFF, restart: true }),
    message: (text) => io.reply(clean(text)),
    call: ({ id, name, input }) => io.emit({ type: 'tool-call', id, name, input }),
    result: ({ id, content, isError }) => io.emit({ type: 'tool-result', id, content, isError }),
    progress: (text) => io.progress(clean(text)),
    log: (text) => void io.log(text),
  };
}

function resultOf({ usage, data, files, problem }: Answered, io: TurnIO): Result {
  if (problem !== undefined) io.error(problem.message, problem.code);
  return { usage, ...(data === undefined ? {} : { data }), ...(files.length === 0 ? {} : { files }) };
}

/** Turns that the agent begins by itself, and changed lists of tasks, until the agent is closed. */
export async function* unaskedOf(nuum: Nuum, clean: Clean = (text) => text): AsyncGenerator<Unasked | Tasks> {
  let count = 0;
  for await (const next of nuum.background.updates) {
    if ('tasks' in next) yield { type: 'tasks', tasks: next.tasks };
    else yield unaskedTurn(nuum, next, { id: `unasked-${++count}`, clean });
  }
}

/**
 * The occasion is settled as told when its turn has ended, also when the user has cancelled it; after a failure it
 * comes again.
 */
function unaskedTurn(
  nuum: Nuum,
  { origin, text, settle }: Occasion,
  { id, clean }: { readonly id: string; readonly clean: Clean },
): Unasked {
  return {
    origin,
    turn: createTurn({ id, text }),
    handler: async (_turn, io) => {
      try {
        const answered = await nuum.respond({ text, origin }, aroundOf(nuum, io, clean));
        settle(answered.problem?.passing === true ? 'failed' : 'told');
        await tellTasks(nuum, io);
        return resultOf(answered, io);
      } catch (error) {
        // The turn is aborted because the process ends, so that the next process must begin it again.
        settle(io.signal.reason?.code === 'ending' ? 'failed' : 'told');
        throw error;
      }
    },
  };
}
