import type { Answer, AskEnded, Question } from '@plugboard/protocol';

/** More of a tool's input than this is not shown on a terminal. */
const LONGEST_INPUT = 2_000;

/** Formats a `Question` for a terminal: its title, the input of the tool, and the answers to type. */
export function questionText(question: Question): string {
  const { title, detail, tool } = question;
  const input = tool === undefined ? undefined : JSON.stringify(tool.input, null, 2);
  const lines = [
    `? ${title}`,
    ...(detail === undefined ? [] : [detail]),
    ...(input === undefined
      ? []
      : [input.length > LONGEST_INPUT ? `${input.slice(0, LONGEST_INPUT)}…` : input]),
    choicesText(question),
  ];
  return lines.join('\n');
}

/** The answers that can be typed. */
export function choicesText({ kind, options }: Question): string {
  if (kind === 'text') return 'Type your answer.';
  if (kind === 'form') return 'Type your answer as JSON.';
  return `Type ${options.map(({ label }, at) => `${at + 1} (${label})`).join(' or ')}.`;
}

/** The answer that a typed line gives to a question; undefined when it gives none. */
export function readAnswer(
  { kind, options }: Question,
  line: string,
): Pick<Answer, 'option' | 'text' | 'data'> | undefined {
  const typed = line.trim();
  const word = typed.toLowerCase();
  const chosen =
    options[Number(typed) - 1] ??
    options.find(({ id, label }) => id.toLowerCase() === word || label.toLowerCase() === word) ??
    options.find(({ effect }) => effect === SHORT[word]);
  if (chosen !== undefined) return { option: chosen.id };
  if (kind === 'text') return { text: typed };
  return kind === 'form' ? readData(typed) : undefined;
}

const SHORT: Readonly<Record<string, string>> = {
  y: 'allow-once',
  yes: 'allow-once',
  n: 'deny-once',
  no: 'deny-once',
};

function readData(typed: string): Pick<Answer, 'data'> | undefined {
  try {
    return { data: JSON.parse(typed) };
  } catch {
    return undefined;
  }
}

/** One line that says how a question ended: `outcome` and, if answered, the answer and its author. */
export function askEndText({ outcome, answer }: AskEnded): string {
  if (outcome !== 'answered' || answer === undefined) return ENDS[outcome];
  return `Answered ${answer.option ?? answer.text ?? 'no'} (${answer.by}).`;
}

const ENDS = {
  answered: 'Answered.',
  expired: 'Nobody answered in time, which counts as a no.',
  withdrawn: 'The agent waits for the answer no longer.',
  void: 'The agent ended before an answer came.',
} as const;
