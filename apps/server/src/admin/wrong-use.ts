/** A command was called with words that it does not take, or without those that it needs. */
export class WrongUse extends Error {}
