import { disconnectionOf } from '../disconnection.ts';
import { Problem } from '../problem.ts';
import type { Reply, RouteRequest } from '../route.ts';
import { openStream } from '../stream.ts';
import { admitQuestion } from './asking/ask.ts';
import { keyOf } from './asking/key.ts';
import type { Question } from './asking/session-choice.ts';
import { sessionNameOf } from './asking/session-name.ts';
import type { Continuations } from './conversation/continuations.ts';
import { type AnswerContext, collectAnswer, type Listener, type TurnAnswer } from './turn/collect-answer.ts';

/** Encodes an answer as a stream. */
export interface AnswerEncoder {
  readonly listener: Listener;
  /** Called after the end of the turn. */
  finish(answer: TurnAnswer): void;
  /** Called instead of `finish` when the turn failed. */
  fail(problem: Problem): void;
}

/** The parts in which the two APIs differ. */
export interface AnswerFormat {
  readQuestion(): Promise<Pick<Question, 'conversation' | 'previous'>>;
  /** The body of an answer without `stream`. */
  view(answer: TurnAnswer): unknown;
  createEncoder(send: (text: string) => void): AnswerEncoder;
}

/** Fields of a body that both APIs have. */
interface AskingBody {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Errors that a retry repeats, or that have already cost a turn. */
const FINAL: ReadonlySet<string> = new Set(['agent-failed', 'conflict']);

/**
 * Admits the question of a request and answers with the turn. OpenAI clients retry the statuses of `FINAL` by default;
 * `x-should-retry: false` stops them, because the agent may have had side effects.
 */
export async function answerQuestion(
  request: RouteRequest<unknown, AskingBody>,
  continuations: Continuations,
  format: AnswerFormat,
): Promise<Reply> {
  const { body, incoming, outgoing, principal } = request;
  const gone = disconnectionOf(outgoing);
  try {
    const asked = await admitQuestion(request, continuations, {
      ...(await format.readQuestion()),
      pair: { principal: principal.id, model: body.model },
      sessionName: sessionNameOf(incoming, body.metadata),
      key: keyOf(request),
    });
    const context = { ...request, asked, gone, live: body.stream === true };
    // A client that has disconnected gets no stream; the answer is read all the same.
    return await (context.live && !gone.aborted ? answerLive : answerWhole)(context, format);
  } catch (error) {
    const final = error instanceof Problem && FINAL.has(error.code);
    if (final && !outgoing.headersSent) outgoing.setHeader('x-should-retry', 'false');
    throw error;
  }
}

/** Answers with one JSON body after the turn. */
async function answerWhole(context: AnswerContext, { view }: AnswerFormat): Promise<Reply> {
  const answer = await collectAnswer(context);
  return answer === undefined ? 'taken' : { status: 200, json: view(answer) };
}

/** Streams the answer during the turn. */
async function answerLive(
  context: AnswerContext & Pick<RouteRequest, 'outgoing' | 'principal' | 'services'>,
  { createEncoder }: AnswerFormat,
): Promise<Reply> {
  const { outgoing, principal, services } = context;
  const stream = openStream(outgoing, () => undefined, services.timing);
  // Not `stream.end`: a client would take what it has for the whole answer.
  const unwatch = services.tokenWatch.watch(principal, () => outgoing.destroy());
  const encoder = createEncoder((text) => stream.send(Buffer.from(text)));
  try {
    const answer = await collectAnswer(context, encoder.listener);
    if (answer !== undefined) encoder.finish(answer);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    encoder.fail(error);
  } finally {
    unwatch();
  }
  stream.end();
  return 'taken';
}
