import { DrizzleQueryError } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { noteLostConnection } from '../database/lost-connection.ts'
import { translateError } from './translate-error.ts'

const coded = (code: string, message = 'of the driver') => Object.assign(new Error(message), { code })
/** As a plain query of the pool throws it. */
const ofDatabase = (error: Error) => {
  noteLostConnection(error)
  return error
}
const asQuery = (cause: Error) => new DrizzleQueryError('SELECT $1', ['secret'], cause)

test.each([
  ['that is stopped', asQuery(coded('57P01'))],
  ['that is starting', coded('57P03')],
  ['that nobody listens for', asQuery(coded('ECONNREFUSED'))],
  ['whose connection was reset', ofDatabase(coded('ECONNRESET'))],
  ['whose socket is gone', asQuery(coded('ENOENT'))],
  ['that went in the middle of a query', asQuery(new Error('Connection terminated unexpectedly'))],
  ['that has no memory left', coded('53200')],
  ['whose connections are all taken', new Error('timeout exceeded when trying to connect')],
])('a database %s is no fault of the request: 503, without its words', (_what, error) => {
  expect(translateError(error)).toMatchObject({
    status: 503,
    code: 'unavailable',
    message: 'The database does not answer: try again in a moment',
  })
})

test('what else is refused or missing somewhere says nothing of the database', () => {
  for (const error of [coded('ECONNREFUSED'), coded('ENOENT'), new Error('of ours')])
    expect(translateError(error)).toBe(error)
})

test('a full disk is no fault of the request: 507; a database that takes no changes: 503', () => {
  for (const error of [asQuery(coded('53100')), coded('ENOSPC'), coded('EDQUOT')])
    expect(translateError(error)).toMatchObject({ status: 507, code: 'no_space' })
  expect(translateError(asQuery(coded('25006')))).toMatchObject({ status: 503, code: 'unavailable' })
})
