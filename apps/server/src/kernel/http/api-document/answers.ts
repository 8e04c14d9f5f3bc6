import type { DescribedBody } from '../../access/guard.ts'

/**
 * A call's answer when all is well: one of the route's `rows`, a bare list of them, a list that is a
 * page where `limit` was sent, always a page, or one for one and a list for a list; or something else.
 */
export type Answers =
  | 'row'
  | 'rows'
  | 'rows or page'
  | 'page'
  | 'row or rows'
  | 'nothing'
  | 'text'
  | 'html'
  | 'file'
  | 'moved'
  | 'socket'
  | 'metadata'
  | 'anything'
  | DescribedBody

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer, for the API document; one row where a route has `rows` and says nothing. */
    answers?: Answers
    /** Its status, where it is not 200, and for no answer 204. */
    answerStatus?: number
    /** Whether the body is what `takes` describes, as it is unless this says otherwise, or has many of it. */
    sends?: 'row' | 'rows' | 'row or rows'
    /** Keys of the query, besides those that `rows` gives to lists, with a sentence for each. */
    asks?: Readonly<Record<string, string>>
  }
}
