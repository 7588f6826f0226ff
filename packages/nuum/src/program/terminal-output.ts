import { terminalText, type Usage } from '@plugboard/protocol';
import type { Sink } from '../loop/sink.ts';

/** The output of a turn at the terminal. */
export interface Screen {
  readonly sink: Sink;
  write(text: string): void;
  /** A line that is not part of the answer. */
  notice(text: string): void;
  end(usage: Usage, problem: string | undefined): void;
}

const DIM = '\u001B[2m';
const RED = '\u001B[31m';
const PLAIN = '\u001B[0m';

/** The longest line of a tool result. */
const RESULT_CHARS = 160;

/** Streams an answer, cleaned by `terminalText`. */
export function createScreen(write: (text: string) => void, colour: boolean): Screen {
  let streamed = '';
  const styled = (style: string, text: string): string => (colour ? `${style}${text}${PLAIN}` : text);
  const line = (style: string, text: string): void => {
    if (streamed !== '' && !streamed.endsWith('\n')) write('\n');
    streamed = '';
    write(`${styled(style, terminalText(text))}\n`);
  };
  return {
    sink: {
      delta(kind, text) {
        if (kind !== 'output') return;
        streamed += text;
        write(terminalText(text));
      },
      restart() {
        if (streamed !== '') write(' […]\n');
        streamed = '';
      },
      async message(text) {
        if (streamed === '') write(terminalText(text));
        write('\n');
        streamed = '';
      },
      call: async ({ name, input }) => line(DIM, `· ${name} ${shortenLine(JSON.stringify(input))}`),
      result: async ({ content, isError }) => line(isError ? RED : DIM, `  ${shortenLine(content)}`),
      progress: async (text) => line(DIM, `… ${text}`),
      log: (text) => line(DIM, text),
    },
    write: (text) => write(terminalText(text)),
    notice: (text) => line(DIM, text),
    end({ input_tokens = 0, output_tokens = 0 }, problem) {
      if (problem !== undefined) line(RED, problem);
      if (input_tokens + output_tokens > 0) line(DIM, `${input_tokens} tokens in, ${output_tokens} out`);
    },
  };
}

function shortenLine(text: string): string {
  const first = text.split('\n', 1)[0] ?? '';
  const cut = first.length > RESULT_CHARS || first.length < text.length;
  return cut ? `${first.slice(0, RESULT_CHARS)} …` : first;
}
