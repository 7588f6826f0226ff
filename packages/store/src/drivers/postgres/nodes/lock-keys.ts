/*
 * First keys of the advisory locks, ASCII for "Plu" and a letter. Locks with one key are apart from those with two.
 */

/** Held by a node, with `nodes.seq` as the second key. */
export const NODE_LOCKS = 0x506c7569;

/** Held by the node that has a channel, with the hash of the lock's name as the second key. */
export const NAMED_LOCKS = 0x506c756e;

/** Held together by all nodes, and by a program that needs the database for itself. */
export const GATEWAY_LOCK = 0x506c7568;
