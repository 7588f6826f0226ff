import { z } from 'zod';
import { cursorProblem, fullPage } from './full-page.ts';
import { maySeeRow } from './resources.ts';
import type { RouteRequest } from './route.ts';

/** A row of the store that is visible with its session: an ask or a delivery. */
interface Row {
  readonly id: string;
  readonly sessionId: string;
}

/** Query of a list of rows. */
export function rowsQuery<State extends z.ZodType>(state: State) {
  return z.strictObject({
    state: state.optional(),
    session: z.string().min(1).max(200).optional().describe('Those of one session; it must be there.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().max(200).optional().describe('The `next` of the page before.'),
  });
}

interface Asked<State> {
  readonly limit: number;
  readonly state?: State | undefined;
  readonly session?: string | undefined;
  /** Id of the last row of the previous page. */
  readonly cursor?: string | undefined;
}

interface ListOptions<State> {
  readonly limit: number;
  readonly state?: State;
  readonly sessionId?: string;
  readonly before?: string;
}

/** A page of the rows that the principal may see, newest first. */
export async function listRows<State, Found extends Row>(
  asking: Pick<RouteRequest, 'gateway' | 'principal'>,
  { limit, state, session, cursor }: Asked<State>,
  list: (options: ListOptions<State>) => Promise<readonly Found[]>,
): Promise<{ readonly rows: readonly Found[]; readonly next: string | null }> {
  const only = {
    limit,
    ...(state === undefined ? {} : { state }),
    ...(session === undefined ? {} : { sessionId: session }),
  };
  try {
    const { found, last } = await fullPage<Pick<Found, 'id'>, Found>({
      limit,
      before: cursor === undefined ? undefined : ({ id: cursor } as Pick<Found, 'id'>),
      read: (before) => list({ ...only, ...(before === undefined ? {} : { before: before.id }) }),
      may: (row) => maySeeRow(asking, row),
    });
    return { rows: found, next: last?.id ?? null };
  } catch (error) {
    throw cursorProblem(error);
  }
}
