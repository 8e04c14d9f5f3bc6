/** A refusal that the person is told in their language; the English text is its translation key. */
export class SessionRefusal extends Error {
  readonly values: Readonly<Record<string, unknown>>
  constructor(text: string, values: Readonly<Record<string, unknown>> = {}) {
    super(text)
    this.name = 'SessionRefusal'
    this.values = values
  }
}
