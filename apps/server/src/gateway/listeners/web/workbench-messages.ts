/** What the page of a workbench may send. */
import { z } from 'zod'

const TEXT_MAX = 512 * 1024
const NAME_MAX = 256
const number = z.number().int().min(0)
const name = z.string().max(NAME_MAX)

export const runSchema = z.object({ run: number, text: z.string().max(TEXT_MAX), at: number.optional() })
export const exportSchema = runSchema.extend({ format: z.enum(['csv', 'json']) })
export const askSchema = z.object({
  question: number,
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('schemas') }),
    z.object({ about: z.literal('relations'), schema: name }),
    z.object({ about: z.literal('columns'), schema: name, relation: name }),
    z.object({ about: z.literal('completion'), before: z.string().max(TEXT_MAX), database: name }),
  ]),
})
