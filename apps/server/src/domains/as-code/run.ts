import type { AsCodeChange, AsCodeError, AsCodeRequest, WantedSecret } from '@sallyport/contract/as-code.ts'
import { AppError, refused } from '../../kernel/errors/app-error.ts'
import { translateError } from '../../kernel/errors/translate-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { ReadContext } from '../../kernel/resource/mount.ts'
import type { Current } from './current-rows.ts'
import type { Desired } from './documents.ts'
import type { Kind } from './kinds.ts'
import type { Names } from './names.ts'
import type { References } from './references.ts'

/** The effect of documents. With errors, nothing of it may stay. */
export interface Outcome {
  changes: AsCodeChange[]
  errors: AsCodeError[]
  wanted: WantedSecret[]
  unchanged: number
}

/** A row of the files with the one that is there. */
export interface Pair {
  desired: Desired
  current: Current | undefined
}

/** The state of one call. */
export interface Run {
  context: ReadContext
  request: AsCodeRequest
  /** Whether secrets that were not sent are only noted. */
  isTrial: boolean
  names: Names
  references: References
  outcome: Outcome
}

export const errorOf = (
  kind: Kind,
  { index, name }: Pick<Desired, 'index' | 'name'>,
  field: string,
  message: string,
): AsCodeError => ({ kind: kind.name, index, name, field, message })

/** Notes a refusal, at its fields where it names such. Throws what is none. */
export function fail(
  { context, outcome }: Run,
  kind: Kind,
  row: Pick<Desired, 'index' | 'name'> | undefined,
  field: string,
  thrown: unknown,
): void {
  const { language } = context.call
  const error = translateError(thrown, language)
  if (!(error instanceof AppError) || error.status >= 500) throw thrown
  const place = row ?? { index: null, name: '' }
  const shown = (name: string) =>
    name === 'non_field_errors' ? '' : kind.isTree && ['value', 'full_value'].includes(name) ? 'path' : name
  for (const [name, messages] of Object.entries(error.fields ?? {}))
    for (const message of messages) outcome.errors.push(errorOf(kind, place, shown(name), translate(language, message)))
  if (!error.fields) outcome.errors.push(errorOf(kind, place, field, translate(language, error.message, error.values)))
}

/** Tells of a row that is not there for those that refer to it. */
export function failRow(run: Run, kind: Kind, desired: Desired, thrown: unknown): void {
  fail(run, kind, desired, '', thrown)
  run.references.hasFailed(kind, desired)
}

export const tooMany = () =>
  refused('too_large', 'One call changes at most 1000 rows: apply some of the files first, such as one kind.')
