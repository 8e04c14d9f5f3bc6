/** A refusal that the person sees in their language; the English text is its translation key. */
export class SessionRefusal extends Error {
  readonly values: Readonly<Record<string, unknown>>
  /** Exit code reported for a program that was asked for; undefined: it could not be reached. */
  readonly exitCode: number | undefined
  constructor(text: string, values: Readonly<Record<string, unknown>> = {}, exitCode?: number) {
    super(text)
    this.name = 'SessionRefusal'
    this.values = values
    this.exitCode = exitCode
  }
}
