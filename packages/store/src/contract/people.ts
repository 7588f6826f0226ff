/** People of channels: who may talk there, who has asked to, and what each has used up on a day. */
export interface People {
  get(channel: string, sender: string): Promise<Person | undefined>;
  /** Newest first. Requests that have expired are left out. */
  list(options: { readonly state?: Person['state']; readonly limit: number }): Promise<readonly Person[]>;
  /**
   * Stores the request of a stranger. An open request of the same person stays as it is. Resolves to `full` when the
   * channel has `most` open requests, so that strangers cannot fill the disk.
   */
  ask(request: PairingRequest & { readonly most: number }): Promise<'asked' | 'again' | 'paired' | 'full'>;
  /** Pairs the person whose open request has this code. Undefined when there is none. */
  acceptCode(codeHash: string, by: string): Promise<Person | undefined>;
  /** Pairs a person, with or without a request. */
  pair(
    person: PersonKey & { readonly name: string; readonly place: string; readonly by: string },
  ): Promise<Person>;
  /** Stores a code that pairs the first person who sends it to `channel`. */
  invite(invitation: {
    readonly channel: string;
    readonly codeHash: string;
    readonly by: string;
    readonly expiresInMs: number;
  }): Promise<void>;
  /** Pairs the sender of an invitation and uses it up. Undefined when the channel has no such invitation. */
  redeem(
    person: PersonKey & { readonly name: string; readonly place: string; readonly codeHash: string },
  ): Promise<Person | undefined>;
  /** Removes a person or a request. False when there is none. */
  remove(channel: string, sender: string): Promise<boolean>;
  /** Gives a person another id on the platform, for example after a change of the number. False when there is none. */
  renameSender(channel: string, from: string, to: string): Promise<boolean>;
  /**
   * Adds turns and cost to those of `principal` on `day`, and resolves to the sum. `day` is a date that sorts as text. Rows of
   * days before the one before it are deleted. A cost in another currency than the first one of the day is not added.
   */
  spend(spent: {
    readonly principal: string;
    readonly day: string;
    readonly turns: number;
    readonly cost?: { readonly amount: number; readonly currency: string };
  }): Promise<Spent>;
}

export interface PersonKey {
  readonly channel: string;
  /** Unchanging id of the person on the platform. */
  readonly sender: string;
}

/** A stranger who would like to talk. */
export interface PairingRequest extends PersonKey {
  /** For display alone: people choose their names. */
  readonly name: string;
  readonly place: string;
  readonly codeHash: string;
  readonly expiresInMs: number;
}

export interface Person extends PersonKey {
  readonly name: string;
  /** Where the person has written to the channel. */
  readonly place: string;
  /** `asking`: has an open request. `paired`: may talk. */
  readonly state: 'asking' | 'paired';
  readonly askedAt: number;
  /** End of a request; undefined once `paired`. */
  readonly expiresAt: number | undefined;
  readonly pairedAt: number | undefined;
  readonly pairedBy: string | undefined;
}

/** Turns and cost of one principal on one day. */
export interface Spent {
  readonly turns: number;
  readonly amount: number;
  readonly currency: string | undefined;
}
