import { expect, test } from 'vitest'
import { SessionRefusal } from '../../gateway/session/refusal.ts'
import { refused } from './app-error.ts'
import { loggedError } from './logged-error.ts'

test('the log of a refusal has the words that it was filled in with', () => {
  const refusal = new SessionRefusal('The server refused the connection: {{words}}', { words: 'Unknown database $&' })
  const { message, stack } = loggedError(new Error('no session', { cause: refusal }))
  expect(message).toBe('no session: The server refused the connection: Unknown database $&')
  expect(stack).toContain('SessionRefusal: The server refused the connection: Unknown database $&')
  expect(stack).not.toContain('{{')
  expect(loggedError(refused('x', 'At most {{max}}', { max: 3 })).message).toBe('At most 3')
})
