import { groupMapping } from '@sallyport/contract/resources/authentication/group-mapping.ts'
import { user as userDefinition } from '@sallyport/contract/resources/users/user.ts'
import { AppError } from '../../kernel/errors/app-error.ts'

const SOURCES: Readonly<Record<string, string>> = {
  ...groupMapping.fields.source.choices,
  ...userDefinition.fields.source.choices,
}

/** What people call a source. */
export const sourceName = (source: string): string => SOURCES[source] ?? source

const GIVEN = 'This comes from {{provider}} and is changed there'

/** Why a change by hand of something that is given from outside is refused: 400. */
export const givenFromOutside = (source: string): AppError =>
  new AppError(400, 'given_from_outside', GIVEN, { values: { provider: sourceName(source) } })

/** Throws 400 where one of these was given from outside. */
export function refuseGiven(rows: readonly { given_by: string }[]): void {
  const given = rows.find(({ given_by }) => given_by)
  if (given) throw givenFromOutside(given.given_by)
}
