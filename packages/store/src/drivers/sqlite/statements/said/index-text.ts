import { type Connection, run } from '../../connection.ts';
import { fold } from '../../fold.ts';

const SQL = 'insert into said (rowid, text) values (:doc, :text)';

/** A megabyte takes 100 ms to index, in which nothing else happens; nobody looks for what stands so far in. */
const MOST_CHARACTERS = 65_536;

/** Makes a text findable; the two spaces let its last characters begin a trigram like all the others. */
export function indexText(connection: Connection, doc: number, text: string): void {
  if (text === '') return;
  // A few letters become many when they are folded.
  const folded = fold(text.slice(0, MOST_CHARACTERS)).slice(0, MOST_CHARACTERS);
  run(connection, SQL, { doc, text: `${folded}  ` });
}
