import type { MoveProgress } from '@plugboard/store/move';
import { createSpinner } from '../screen/spinner.ts';

/** Shows how far a move is: on a terminal in one line, elsewhere by a line for each tenth. */
export interface MoveScreen {
  rows(progress: MoveProgress): void;
  files(done: number): void;
  hide(): void;
}

const WORDS = { copying: 'Copied', comparing: 'Compared' } as const;

export function createMoveProgress(stream: NodeJS.WriteStream): MoveScreen {
  const spinner = createSpinner(stream);
  let told = '';
  return {
    rows({ stage, table, rows, of }) {
      const words = `${WORDS[stage]} ${rows} of ${of} rows`;
      spinner.show(`${words} (${table})`);
      const tenth = `${stage} ${Math.floor((rows * 10) / Math.max(1, of))}`;
      if (stream.isTTY || tenth === told) return;
      told = tenth;
      stream.write(`${words}.\n`);
    },
    files(done) {
      spinner.show(`${done} files`);
    },
    hide: spinner.hide,
  };
}
