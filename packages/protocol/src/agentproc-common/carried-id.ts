/** Prefix of an id that `carriedId` has encoded; `originalId` decodes it. */
const MARK = 'pb~';

/** Why an id cannot be a session id, or undefined when it can. */
type ProblemOf = (id: string) => string | undefined;

/**
 * Turns an agent's session id into a form that hosts accept: unchanged when `problemOf` allows it, else percent-encoded
 * behind `MARK`. The two wire versions allow different ids, and the id that a host brings again must decode to the
 * agent's own. Undefined for an id that is empty, too long or not well-formed Unicode.
 */
export function carriedId(id: string, problemOf: ProblemOf): string | undefined {
  if (id === '' || !id.isWellFormed()) return undefined;
  if (!id.startsWith(MARK) && problemOf(id) === undefined) return id;
  const carried = MARK + encodeURIComponent(id);
  return problemOf(carried) === undefined ? carried : undefined;
}

/** The agent's own id for an id from `carriedId`. */
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
