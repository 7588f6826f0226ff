import { type Connection, run } from '../../connection.ts';

const SQL = 'insert into said (rowid, text) values (:doc, :text)';

/** A megabyte takes 100 ms to index, in which nothing else happens; nobody looks for what stands so far in. */
const MOST_CHARACTERS = 65_536;

/** Makes a text findable; the two spaces let its last characters begin a trigram like all the others. */
export function indexText(connection: Connection, doc: number, text: string): void {
  if (text !== '') run(connection, SQL, { doc, text: `${text.slice(0, MOST_CHARACTERS)}  ` });
}
