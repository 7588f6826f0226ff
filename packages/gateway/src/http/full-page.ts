/** Where things are listed from, page by page, and which of them somebody may see. */
interface Listing<Before, One extends Before> {
  readonly limit: number;
  /** The last of the page before. */
  readonly before: Before | undefined;
  read(before: Before | undefined): Promise<readonly One[]>;
  may(one: One): boolean | Promise<boolean>;
}

interface FullPage<Before, One> {
  readonly found: readonly One[];
  /** Where the next page begins; undefined when there is none. */
  readonly last: Before | undefined;
}

/** What is passed over for one page, because it is nothing for whoever asks. */
const MOST_PASSED = 5_000;

/** A page of what somebody may see, as full as it can be. */
export async function fullPage<Before, One extends Before>(
  listing: Listing<Before, One>,
): Promise<FullPage<Before, One>> {
  const { limit } = listing;
  const found: One[] = [];
  let { before } = listing;
  for (let passed = 0; passed < MOST_PASSED; passed += limit) {
    const page = await listing.read(before);
    for (const one of page) {
      before = one;
      if (await listing.may(one)) found.push(one);
      if (found.length === limit) return { found, last: one };
    }
    if (page.length < limit) return { found, last: undefined };
  }
  return { found, last: before };
}
