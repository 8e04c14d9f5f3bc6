/**
 * A person's input that cannot be a value is in the form as this, so that it
 * is never sent.
 */
export class Unusable {
  /** The fault, already translated. */
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
