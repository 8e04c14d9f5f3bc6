/**
 * A refusal that is told to the person in plain words of their language; English text is the key.
 */
export class SessionRefusal extends Error {
  readonly values: Readonly<Record<string, unknown>>
  constructor(text: string, values: Readonly<Record<string, unknown>> = {}) {
    super(text)
    this.name = 'SessionRefusal'
    this.values = values
  }
}
