import type { Delivery, Media, Session, StoredAsk, StoredTurn } from '@plugboard/store';
import type { ResourceKind } from './authorize.ts';
import type { Problem } from './problem.ts';

/** What a handler gets of each kind of resource that has an id. */
export interface Found {
  readonly agent: string;
  readonly session: Session;
  readonly notice: Session;
  readonly turn: StoredTurn;
  readonly recording: StoredTurn;
  readonly response: { readonly turn: StoredTurn; readonly session: Session };
  readonly media: Media;
  readonly ask: StoredAsk;
  readonly answer: StoredAsk;
  readonly delivery: Delivery;
}

export type FoundKind = keyof Found & ResourceKind;

/** The name of a route parameter or field that holds the id of a resource, and the error when there is none. */
export interface Lookup<Kind extends FoundKind = FoundKind> {
  readonly kind: Kind;
  readonly in: 'params' | 'query' | 'body';
  readonly name: string;
  readonly missing?: ((id: string) => Problem) | undefined;
}

/** The resource of `:id` in the path. */
export function inPath<Kind extends FoundKind>(kind: Kind, missing?: Lookup['missing']): Lookup<Kind> {
  return { kind, in: 'params', name: 'id', missing };
}

/** The resource of a query parameter. An optional parameter that is absent names none. */
export function inQuery<Kind extends FoundKind>(kind: Kind, name: string): Lookup<Kind> {
  return { kind, in: 'query', name };
}

/** The resource of a field of the body. An optional field that is absent names none. */
export function inBody<Kind extends FoundKind>(
  kind: Kind,
  name: string,
  missing?: Lookup['missing'],
): Lookup<Kind> {
  return { kind, in: 'body', name, missing };
}
