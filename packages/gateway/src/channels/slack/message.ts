import type { Button, Outgoing } from '../channel.ts';
import { escapeText, renderMrkdwn } from './mrkdwn.ts';

/** `chat.update` refuses longer texts, and a message that is posted may be edited later. */
const MOST_TEXT = 4_000;

/** The longest text of a section block, and of a message, before marks are added. */
export const MOST_SECTION = 3_000;

/** Most buttons of an actions block. */
export const MOST_BUTTONS = 25;

const MOST_LABEL = 75;

/** Prefix of the `action_id` of a button that opens a form for a text. */
export const TEXT_ACTION = 'text:';

/** Text and blocks of a message. `blocks` is always sent: an edit without it would keep the buttons. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

/** Renders text and buttons. Falls back to `escapeText` when mrkdwn would exceed `MOST_TEXT` or `MOST_SECTION`. */
export function messageOf({ text, buttons = [], textKey }: Outgoing): SlackMessage {
  const elements = [...buttons.map(buttonOf), ...(textKey === undefined ? [] : [formButton(textKey)])];
  const rendered = renderMrkdwn(text);
  const most = elements.length === 0 ? MOST_TEXT : MOST_SECTION;
  const shown = rendered.length > most || rendered.trim() === '' ? escapeText(text) : rendered;
  if (elements.length === 0) return { text: shown, blocks: [] };
  const section = shown === '' ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: shown } }];
  return { text: shown, blocks: [...section, { type: 'actions', elements }] };
}

/** The same message without marks and buttons; its choices are numbered. */
export function plainMessageOf({ text, buttons = [] }: Outgoing): SlackMessage {
  const choices = buttons.map(({ label }, index) => `${index + 1}. ${label}`);
  const lines = choices.length === 0 ? [] : ['', ...choices, 'Answer with the number.'];
  return { text: escapeText([text, ...lines].join('\n')).slice(0, MOST_TEXT), blocks: [] };
}

const STYLES = { allow: 'primary', deny: 'danger' } as const;

function buttonOf({ key, label, style }: Button): object {
  return {
    type: 'button',
    text: { type: 'plain_text', text: cutLabel(label) },
    action_id: key,
    ...(style === undefined ? {} : { style: STYLES[style] }),
  };
}

function formButton(key: string): object {
  return { type: 'button', text: { type: 'plain_text', text: 'Answer' }, action_id: `${TEXT_ACTION}${key}` };
}

function cutLabel(label: string): string {
  if (label === '') return '-';
  return label.length <= MOST_LABEL ? label : `${label.slice(0, MOST_LABEL - 1).toWellFormed()}…`;
}
