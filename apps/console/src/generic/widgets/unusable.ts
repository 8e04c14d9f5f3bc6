/**
 * What a person has put into a widget that cannot be a value stands in the form as this, so that it
 * is never sent.
 */
export class Unusable {
  /** What is wrong, already translated. */
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}
