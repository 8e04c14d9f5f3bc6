import * as z from 'zod/mini'
import { readJson } from './read-json.ts'

/** A text frame of a socket, or JSON inside one: bounded and read once; undefined where it is not what the schema says. */
export function readMessage<Schema extends z.core.$ZodType>(
  schema: Schema,
  frame: Buffer | string,
): z.output<Schema> | undefined {
  let value: unknown
  try {
    value = readJson(frame.toString())
  } catch {
    return undefined
  }
  const read = z.safeParse(schema, value)
  return read.success ? read.data : undefined
}
