/** Notices and questions for a page, beside its content. */
import * as z from 'zod/mini'
import { json, text } from './message.ts'

/** `code` says for programs what it is about; after the urgency `last` nothing follows. */
export const notice = json(
  z.object({ code: z.optional(z.string()), text: z.string(), urgency: z.optional(z.enum(['calm', 'urgent', 'last'])) }),
)

export const dialogue = {
  /** Something to type; `echo`: it may be seen. */
  ask: json(z.object({ text: z.string(), echo: z.optional(z.boolean()) })),
  /** Somebody has to confirm, and is waited for; empty: no longer. */
  wait: json(z.object({ text: z.string() })),
  /** The current work; empty: nothing. */
  progress: text(z.string()),
}
