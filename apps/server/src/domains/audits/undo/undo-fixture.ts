import { expect } from 'vitest'
import type { Answer, Caller } from '../../../../test/server.ts'

/** The body of a call that must have succeeded. */
export const ok = ({ status, body }: Answer) => {
  expect([status, status < 300 ? '' : body]).toEqual([expect.toSatisfy((one) => one < 300), ''])
  return body
}

/** The id by which the change of that answer is taken back. */
export const changeOf = (answer: Answer): string => {
  ok(answer)
  return String(answer.headers['x-change'])
}

/** Takes back what an answer has changed, or a change by its id. */
export const undoBy = (caller: Caller, answer: Answer | string, body: unknown = {}): Promise<Answer> =>
  caller.post(`/api/v1/audits/undo/${typeof answer === 'string' ? answer : changeOf(answer)}/`, body)
