/** What the page of a workbench may send. */
import { z } from 'zod'
import { EXPORT_FORMATS } from '../../workbench/row-files.ts'

const TEXT_MAX = 512 * 1024
const NAME_MAX = 256
const COLUMNS_MAX = 65_535
/** No longer values are shown whole. */
const VALUE_MAX = 128 * 1024
const number = z.number().int().min(0)
const name = z.string().max(NAME_MAX)

const textSchema = z.object({ run: number, text: z.string().max(TEXT_MAX), at: number.optional() })
export const runSchema = textSchema.extend({ isPlanned: z.boolean().optional() })
export const exportSchema = textSchema.extend({ format: z.enum(EXPORT_FORMATS) })
const shownValue = z.union([z.string().max(TEXT_MAX), z.null(), z.tuple([z.string().max(TEXT_MAX)])])
const editedSchema = z.object({
  run: number,
  statement: number,
  result: number,
  at: number,
  column: number,
  row: z.array(shownValue).max(COLUMNS_MAX),
  value: z.string().max(VALUE_MAX).nullable(),
})
/** Rows that were shown already: the page of them that begins at one, or ends before it. */
export const againSchema = z.intersection(
  z.object({ run: number, statement: number, result: number }),
  z.union([z.object({ from: number }), z.object({ to: number.min(1) })]),
)
/** Runs the statement that was answered to a question about an edit. */
export const editSchema = z.object({ run: number, question: number })
export const askSchema = z.object({
  question: number,
  ask: z.discriminatedUnion('about', [
    z.object({ about: z.literal('schemas') }),
    z.object({ about: z.literal('relations'), schema: name }),
    z.object({ about: z.literal('columns'), schema: name, relation: name }),
    z.object({ about: z.literal('edit'), edit: editedSchema }),
    z.object({ about: z.literal('completion'), before: z.string().max(TEXT_MAX), database: name }),
  ]),
})
