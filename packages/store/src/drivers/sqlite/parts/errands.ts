import type { Errands } from '../../../contract/errands.ts';
import { storableText } from '../../../storable.ts';
import type { Context } from '../context.ts';
import { listErrands } from '../statements/errands/list.ts';
import { noteErrand } from '../statements/errands/note.ts';
import { removeErrand } from '../statements/errands/remove.ts';
import { theSession } from './sessions.ts';

/** The errands of a store. */
export function createErrands({ connection, read, write }: Context): Errands {
  return {
    note: (sessionId, agent) =>
      write(() => {
        if (agent === undefined) removeErrand(connection, sessionId);
        else noteErrand(connection, theSession(connection, sessionId).seq, storableText(agent));
      }),
    list: () => read(() => listErrands(connection)),
  };
}
