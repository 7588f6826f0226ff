import type { Term } from './words.ts';

const BEFORE = 60;
const LENGTH = 240;
/** The most occurrences of a term that are considered. */
const MOST_PLACES = 200;

interface Place {
  readonly at: number;
  readonly term: string;
}

/** The part of a text with the most terms close together, on one line. */
export function snippetOf(text: string, terms: readonly Term[]): string {
  const start = Math.max(0, bestPlace(placesOf(text.toLowerCase(), terms)) - BEFORE);
  const part = text
    .slice(start, start + LENGTH)
    .replaceAll(/\s+/g, ' ')
    .toWellFormed();
  return `${start > 0 ? '…' : ''}${part}${start + LENGTH < text.length ? '…' : ''}`;
}

function placesOf(lower: string, terms: readonly Term[]): Place[] {
  return terms
    .flatMap(({ literal }) => {
      const term = literal.toLowerCase();
      const places: Place[] = [];
      let at = lower.indexOf(term);
      while (at >= 0 && places.length < MOST_PLACES) {
        places.push({ at, term });
        at = lower.indexOf(term, at + term.length);
      }
      return places;
    })
    .sort((a, b) => a.at - b.at);
}

/**
 * Where the terms within `LENGTH` characters have the greatest weight, and are closest. The weight of a term is its
 * length, since longer words are rarer.
 */
function bestPlace(places: readonly Place[]): number {
  let best: Cluster = { at: 0, weight: 0, span: 0 };
  for (const index of places.keys()) {
    const cluster = clusterFrom(places, index);
    const tighter = cluster.weight === best.weight && cluster.span < best.span;
    if (cluster.weight > best.weight || tighter) best = cluster;
  }
  return best.at;
}

interface Cluster {
  readonly at: number;
  readonly weight: number;
  readonly span: number;
}

function clusterFrom(places: readonly Place[], first: number): Cluster {
  const at = places[first]?.at ?? 0;
  const together = new Set<string>();
  let [weight, span] = [0, 0];
  for (let next = first; next < places.length; next += 1) {
    const place = places[next];
    if (place === undefined || place.at >= at + LENGTH - BEFORE) break;
    if (together.has(place.term)) continue;
    together.add(place.term);
    weight += place.term.length;
    span = place.at - at;
  }
  return { at, weight, span };
}

/** How many exacting terms a text contains literally, ignoring case. */
export function literalMatches(text: string, terms: readonly Term[]): number {
  const lower = text.toLowerCase();
  return terms.filter(({ literal, exacting }) => exacting && lower.includes(literal.toLowerCase())).length;
}
