/** Pages that look around by asking: each question has a number, and an answer of its own shape. */
import * as z from 'zod/mini'
import { json } from './message.ts'

const number = z.int().check(z.minimum(0))

/** Asks; `question` numbers it. */
export const asking = <Schema extends z.core.$ZodType>(question: Schema) =>
  json(z.object({ question: number, ask: question }))

/** Enough to say to whom it was refused. */
export const numbered = z.object({ question: number })

/** Either `error`, in the person's language, or what is asked for beside it. */
export const reply = json(z.looseObject({ question: number, error: z.optional(z.string()) }))

/** The answer to each question, by what that is about. */
export type AnswersTo = Readonly<Record<string, z.core.$ZodType>>
export type AnswerTo<A extends AnswersTo, About extends keyof A = keyof A> = z.output<A[About]>
