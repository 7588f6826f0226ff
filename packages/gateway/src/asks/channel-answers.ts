import type { Answer } from '@plugboard/protocol';
import type { StoredAsk } from '@plugboard/store';
import type { ChannelAccess } from '../access/access.ts';
import type { Channel, Inbound, Press, Pressed } from '../channels/channel.ts';
import { platformPlace } from '../channels/places.ts';
import { findQuestionDelivery } from '../delivery/questions.ts';
import { readCommand } from '../sessions/commands.ts';
import type { Engine } from '../sessions/engine.ts';
import { answerOpenAsk, findOpenAsk, listOpenAsks } from './any-open-ask.ts';
import { answerProblem, type OpenAsk } from './open-asks.ts';
import { overWords } from './over-words.ts';
import { optionNamed, readButtonKey } from './question-text.ts';

/** Answers to questions of agents that come in through one channel. */
export interface ChannelAnswers {
  press(press: Press): Promise<Pressed>;
  /** Whether the message answers an open question of the session. */
  take(message: Inbound, sessionId: string): Promise<boolean>;
}

interface AnswersOptions {
  readonly engine: Pick<Engine, 'store' | 'asks' | 'log' | 'peers' | 'agents'>;
  readonly channel: Channel;
  readonly access: ChannelAccess;
}

const GONE = refused('This question is gone.');
const NOT_ALLOWED = refused('You may not answer here.');

export function createChannelAnswers(options: AnswersOptions): ChannelAnswers {
  return {
    press: (press) => answerByPress(options, press),
    take: (message, sessionId) => answerByText(options, message, sessionId),
  };
}

async function answerByPress(options: AnswersOptions, press: Press): Promise<Pressed> {
  const { engine, channel } = options;
  const key = readButtonKey(press.key);
  const ask = key === undefined ? undefined : await engine.store.asks.get(key.id);
  if (key === undefined || ask === undefined) return GONE;
  const session = await engine.store.sessions.get(ask.sessionId);
  // A key is no secret: it must come from the place where the question was asked.
  if (session?.channel !== channel.name || platformPlace(session.place) !== press.place) return GONE;
  const option = ask.question.options[key.index]?.id;
  return giveAnswer(options, ask, press, {
    ...(option === undefined ? {} : { option }),
    ...(press.text === undefined ? {} : { text: press.text }),
  });
}

type Person = Pick<Press, 'sender' | 'senderName'> & { readonly isAskedText?: boolean };

/** Checks who answers, and passes the answer to the agent. */
async function giveAnswer(
  { engine, channel, access }: AnswersOptions,
  ask: StoredAsk,
  person: Person,
  given: Pick<Answer, 'option' | 'text'>,
): Promise<Pressed> {
  const open = await findOpenAsk(engine, ask);
  if (open === undefined) return refused(overWords(ask, engine.asks.given(ask.id)));
  const refusal = await approverProblem({ channel, access }, open, person);
  if (refusal !== undefined) return refusal;
  const problem = answerProblem(open.question, given);
  if (problem !== undefined) return refused(problem);
  const by = nameOf(channel, person);
  if (!(await answerOpenAsk(engine, open, { ...given, by, via: 'person' })))
    return refused(overWords(ask, engine.asks.given(ask.id)));
  const { id, sessionId } = open;
  const fields = { ask: id, session: sessionId, by, option: given.option ?? '' };
  engine.log.info('A question of an agent was answered.', { code: 'ask-answered', ...fields });
  const label = open.question.options.find((option) => option.id === given.option)?.label;
  return { accepted: true, message: label ?? 'Thank you.' };
}

/**
 * `approvers` of the profile decide; without them the owners of the channel; without those, everybody who may talk. A
 * question for a text in a private place needs no owner.
 */
async function approverProblem(
  { channel, access }: Pick<AnswersOptions, 'channel' | 'access'>,
  { approvers }: OpenAsk,
  { sender, isAskedText: needsNoOwner = false }: Person,
): Promise<Pressed | undefined> {
  if (approvers !== undefined) {
    const isApprover = approvers.includes(`${channel.name}:${sender}`);
    return isApprover ? undefined : refused('Only the approvers of this agent may answer.');
  }
  if (access.hasOwners() && !needsNoOwner)
    return access.isOwner(sender) ? undefined : refused('Only an owner of this channel may answer.');
  return (await access.isKnown(sender)) ? undefined : NOT_ALLOWED;
}

function nameOf({ name }: Channel, { sender, senderName }: Person): string {
  const id = `${name}:${sender}`;
  return senderName === undefined || senderName === '' ? id : `${senderName} (${id})`;
}

function refused(message: string): Pressed {
  return { accepted: false, message };
}

/**
 * A reply to the message of a question answers it. So does a message that names one of its choices, and in a private place
 * any message where a text is asked for. Everything else is a message to the agent, also what a person says who may not
 * answer.
 */
async function answerByText(options: AnswersOptions, message: Inbound, sessionId: string): Promise<boolean> {
  const { engine } = options;
  // `/stop` must stop a turn that asks, too.
  if (readCommand(message.text) !== undefined) return false;
  const open = await listOpenAsks(engine, sessionId);
  if (open.length === 0) return false;
  const meant = await questionMeant(options, message, open);
  if (meant === undefined) return false;
  const option = optionNamed(meant.question, message.text);
  const isText = meant.question.kind === 'text' || (meant.question.kind === 'choice' && option === undefined);
  if (option === undefined && !isText) return false;
  const ask = await engine.store.asks.get(meant.id);
  if (ask === undefined) return false;
  const given = isText ? { text: message.text } : { option: option ?? '' };
  const pressed = await giveAnswer(
    options,
    ask,
    { ...message, isAskedText: isAskedText(meant, message) },
    given,
  );
  if (!pressed.accepted)
    options.access.notices.tellOnce(message.place, `answer ${meant.id} ${message.sender}`, pressed.message);
  // What does not count as an answer is a message like any other.
  return pressed.accepted;
}

/** A question for a text, in a private place: it is for the person there, whoever the owners are. */
function isAskedText({ question }: OpenAsk, { group }: Inbound): boolean {
  return question.kind === 'text' && group === undefined;
}

async function questionMeant(
  { engine }: AnswersOptions,
  { repliesTo, group, text }: Inbound,
  open: readonly OpenAsk[],
): Promise<OpenAsk | undefined> {
  if (repliesTo !== undefined) {
    for (const one of open) {
      const delivery = await findQuestionDelivery(engine.store, one.sessionId, one.id);
      if (delivery?.platformId === repliesTo) return one;
    }
  }
  const [only, other] = open;
  if (only === undefined || other !== undefined) return undefined;
  const isNamed = optionNamed(only.question, text) !== undefined;
  return isNamed || (only.question.kind === 'text' && group === undefined) ? only : undefined;
}
