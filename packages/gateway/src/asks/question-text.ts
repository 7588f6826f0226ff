import type { Question } from '@plugboard/protocol';
import type { StoredAsk } from '@plugboard/store';
import type { Button, ChannelLimits, Outgoing } from '../channels/channel.ts';
import { headOf } from '../delivery/split.ts';

/** A `form` cannot be filled in by a chat message. */
const FORM = 'This is a form: answer it on the page of the gateway.';

/** Longest part of a tool's input that a question shows. */
const MOST_INPUT = 1_500;

/** A question as one message: with buttons where the channel has enough of them, else with numbered choices. */
export function questionMessage(id: string, question: Question, limits: ChannelLimits): Outgoing {
  const { options, kind } = question;
  const hasButtons = options.length > 0 && options.length <= (limits.buttons ?? 0);
  const buttons = hasButtons ? options.map((_option, index) => buttonFor(id, question, index)) : [];
  const choices = hasButtons || options.length === 0 ? [] : [listChoices(question)];
  const hints = kind === 'text' ? ['Answer with a message.'] : kind === 'form' ? [FORM] : [];
  const ending = [...choices, ...hints].join('\n\n');
  const { textLength, measure } = limits;
  const head = headOf(describeQuestion(question), textLength - ending.length - 2, measure);
  const text = [head, ending].filter((part) => part !== '').join('\n\n');
  return {
    kind: 'question',
    text,
    media: [],
    buttons,
    ...(kind === 'text' ? { asksText: true, textKey: `${id}:0` } : {}),
  };
}

/** The key names the question and the place of the option, never its text. */
function buttonFor(id: string, { options }: Question, index: number): Button {
  const { label = '', effect } = options[index] ?? {};
  const style = effect === undefined ? undefined : effect.startsWith('allow') ? 'allow' : 'deny';
  return { key: `${id}:${index}`, label, ...(style === undefined ? {} : { style }) };
}

/** The question and the option that the key of a button names. */
export function readButtonKey(key: string): { readonly id: string; readonly index: number } | undefined {
  const match = /^(.+):(\d{1,4})$/.exec(key);
  return match?.[1] === undefined ? undefined : { id: match[1], index: Number(match[2]) };
}

function listChoices({ options }: Question): string {
  const lines = options.map(({ label }, index) => `${index + 1}. ${label}`);
  return [...lines, 'Answer with the number.'].join('\n');
}

function describeQuestion({ title, detail, tool }: Question): string {
  const parts = [`❓ ${title}`, ...(detail === undefined ? [] : [detail])];
  if (tool !== undefined) parts.push(fenced(tool.command ?? JSON.stringify(tool.input, undefined, 1)));
  for (const { path } of tool?.diffs ?? []) parts.push(`Changes ${path}`);
  return parts.join('\n');
}

function fenced(text: string): string {
  const cut = text.length > MOST_INPUT ? `${text.slice(0, MOST_INPUT).toWellFormed()}…` : text;
  const marks = '`'.repeat(Math.max(3, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${marks}\n${cut}\n${marks}`;
}

/** What stands in place of the question once it is over. */
export function endedText({ question, state, answer }: StoredAsk): string {
  return `❓ ${question.title}\n${outcomeOf(question, state, answer)}`;
}

function outcomeOf({ options }: Question, state: StoredAsk['state'], answer: StoredAsk['answer']): string {
  if (state === 'withdrawn') return '⌛ The agent waits for the answer no longer.';
  if (state === 'void') return '⌛ The agent that asked is gone.';
  if (state === 'expired' || answer?.via === 'deadline')
    return '⌛ Nobody answered in time, which counts as a no.';
  const option = options.find(({ id }) => id === answer?.option);
  const said = option?.label ?? answer?.text ?? 'Answered';
  const mark = option?.effect?.startsWith('deny') === true ? '🚫' : '✅';
  return `${mark} ${said} — ${answer?.by ?? 'unknown'}`;
}

/** The option that a text names: by its number, or by its label. */
export function optionNamed({ options }: Question, text: string): string | undefined {
  const said = text.trim().toLowerCase();
  const byNumber = /^\d{1,3}$/.test(said) ? options[Number(said) - 1] : undefined;
  return (byNumber ?? options.find(({ label }) => label.toLowerCase() === said))?.id;
}
