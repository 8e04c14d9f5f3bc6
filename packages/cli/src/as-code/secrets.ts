import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isSecretField, type WantedSecret } from '@sallyport/contract/as-code.ts'
import { ask } from '../ask.ts'
import type { Context } from '../command.ts'
import { Failure } from '../exit.ts'
import type { FileRow, FileRows } from './files.ts'

const MOST_BYTES = 64 * 1024
const UNSENT = { unsent: true } as const

/** Where a secret is kept. */
type Place = { env: string } | { file: string } | { prompt: true }

/** Rows as they are sent: secrets are only named. @throws Failure for one that is in a file */
export function withoutSecrets(context: Context, rows: FileRows): Record<string, unknown[]> {
  return Object.fromEntries(
    [...rows].map(([kind, some]) => [kind, some.map((row) => withPlaces(context, row, row.value, ''))]),
  )
}

function withPlaces({ say }: Context, row: FileRow, value: unknown, at: string): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]): [string, unknown] => {
      if (isSecretField(name) && inner !== null) {
        if (placeOf(inner)) return [name, UNSENT]
        throw new Failure(
          'failed',
          `${row.file}:${row.line(at + name)}: ${say('Say where the secret is: {env: NAME}, {file: PATH} or {prompt: true}')}`,
        )
      }
      return [name, at === '' && name === 'attrs' ? withPlaces({ say } as Context, row, inner, 'attrs.') : inner]
    }),
  )
}

/** The same with the values of those secrets that will be written. @throws Failure for one that is not there */
export async function withSecrets(
  context: Context,
  rows: FileRows,
  documents: Readonly<Record<string, readonly unknown[]>>,
  wanted: readonly WantedSecret[],
): Promise<Record<string, unknown[]>> {
  const sent = structuredClone(documents) as Record<string, unknown[]>
  for (const { kind, index, name, field } of wanted) {
    const row = rows.get(kind)?.[index]
    const [outer = '', inner] = field.split('.', 2)
    const target = sent[kind]?.[index]
    if (!row || !isObject(target) || !isObject(row.value)) continue
    const place = placeOf(inner === undefined ? row.value[outer] : (row.value[outer] as Record<string, unknown>)[inner])
    if (!place) continue
    const value = await read(context, place, row, `${kind} ${name} ${field}`)
    if (inner === undefined) target[outer] = value
    else target[outer] = { ...(target[outer] as object), [inner]: value }
  }
  return sent
}

async function read({ say, environment }: Context, place: Place, { file }: FileRow, what: string): Promise<string> {
  const missing = (text: string) => new Failure('failed', `${what}: ${text}`)
  if ('env' in place) {
    const value = environment[place.env]
    if (!value) throw missing(say('The variable {{name}} is empty', { name: place.env }))
    return value
  }
  if ('file' in place) {
    const path = resolve(dirname(file), place.file)
    try {
      const bytes = readFileSync(path)
      if (bytes.length <= MOST_BYTES) return bytes.toString('utf8').replace(/\r?\n$/, '')
    } catch {}
    throw missing(say('The file {{path}} cannot be read, or is too large', { path }))
  }
  const typed = await ask(`${what}: `, true)
  if (!typed) throw missing(say('Nobody is here to type it'))
  return typed
}

function placeOf(value: unknown): Place | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined
  if (typeof value.env === 'string' && value.env) return { env: value.env }
  if (typeof value.file === 'string' && value.file) return { file: value.file }
  return value.prompt === true ? { prompt: true } : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
