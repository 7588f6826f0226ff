/** What an id begins with that was put into another form. */
const MARK = 'pb~';

/** Why an id cannot be a session id, or undefined when it can. */
type ProblemOf = (id: string) => string | undefined;

/**
 * A session id in a form that hosts take: as it is, or else written in characters that every version allows. The two
 * versions do not allow the same ids, and the one a host brings again must be the one the agent gave. Undefined when it has
 * no such form, because it is empty, too long or no text.
 */
export function carriedId(id: string, problemOf: ProblemOf): string | undefined {
  if (id === '' || !id.isWellFormed()) return undefined;
  if (!id.startsWith(MARK) && problemOf(id) === undefined) return id;
  const carried = MARK + encodeURIComponent(id);
  return problemOf(carried) === undefined ? carried : undefined;
}

/** The id that the agent gave. */
export function originalId(carried: string): string {
  if (!carried.startsWith(MARK)) return carried;
  try {
    return decodeURIComponent(carried.slice(MARK.length)) || carried;
  } catch {
    return carried; // not from us
  }
}

/** Why a host cannot be told of an id in any form. */
export function carriedProblem(id: string, problemOf: ProblemOf): string | undefined {
  if (carriedId(id, problemOf) !== undefined) return undefined;
  return problemOf(id) ?? 'A session id must be short, and well-formed Unicode.';
}
