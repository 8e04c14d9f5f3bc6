/** What the page of a workbench may send. */
import { z } from 'zod'
import { EXPORT_FORMATS } from '../../workbench/row-files.ts'

const TEXT_MAX = 512 * 1024
const NAME_MAX = 256
const number = z.number().int().min(0)
const name = z.string().max(NAME_MAX)

const textSchema = z.object({ run: number, text: z.string().max(TEXT_MAX), at: number.optional() })
export const runSchema = textSchema.extend({ isPlanned: z.boolean().optional() })
export const exportSchema = textSchema.extend({ format: z.enum(EXPORT_FORMATS) })
export const askSchema = z.object({
  question: number,
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('schemas') }),
    z.object({ about: z.literal('relations'), schema: name }),
    z.object({ about: z.literal('columns'), schema: name, relation: name }),
    z.object({ about: z.literal('completion'), before: z.string().max(TEXT_MAX), database: name }),
  ]),
})
