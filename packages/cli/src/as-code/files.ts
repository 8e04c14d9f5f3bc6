import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Document, isAlias, isMap, isNode, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import type { Context } from '../command.ts'
import { Failure } from '../exit.ts'

const MOST_FILES = 1000
/** Bytes of all files together: as much as the server takes. */
const MOST_BYTES = 15 * 1024 * 1024
/** How often one document may repeat what an anchor names. */
const MOST_ALIASES = 100

/** A row as it is in a file. */
export interface FileRow {
  value: unknown
  file: string
  /** The line of the row, or of a field of it (`attrs.host`). */
  line(field?: string): number
}

/** Rows by kind, in the order of the files. */
export type FileRows = Map<string, FileRow[]>

/** Reads files, and folders with all below them. @throws Failure */
export function readFiles(context: Context, paths: readonly string[]): FileRows {
  const { say } = context
  const rows: FileRows = new Map()
  const files = paths.flatMap((path) => filesIn(context, path))
  if (!files.length)
    throw new Failure('usage', say('There is no file of YAML in {{paths}}', { paths: paths.join(', ') }))
  if (files.length > MOST_FILES) throw new Failure('usage', say('These are too many files'))
  let bytes = 0
  for (const file of new Set(files)) {
    bytes += statSync(file).size
    if (bytes > MOST_BYTES) throw new Failure('failed', say('These files are too large: apply some of them first'))
    readFile(context, file, rows)
  }
  return rows
}

function filesIn({ say }: Context, path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
  } catch {
    throw new Failure('usage', say('There is no file {{path}}', { path }))
  }
  const found: string[] = []
  const folders = [path]
  for (const folder of folders)
    for (const one of readdirSync(folder, { withFileTypes: true })) {
      if (one.name.startsWith('.')) continue
      // Links are not followed, so that none leads in a circle.
      if (one.isDirectory()) folders.push(join(folder, one.name))
      else if (one.isFile() && /\.(ya?ml|json)$/i.test(one.name)) found.push(join(folder, one.name))
      if (found.length + folders.length > MOST_FILES) throw new Failure('usage', say('These are too many files'))
    }
  return found.toSorted()
}

function readFile({ say }: Context, file: string, rows: FileRows): void {
  const lines = new LineCounter()
  const at = (line: number, text: string) => new Failure('failed', `${file}:${line}: ${text}`)
  try {
    const documents = parseAllDocuments(readFileSync(file, 'utf8'), {
      lineCounter: lines,
      schema: 'core',
      logLevel: 'error',
    })
    for (const document of 'empty' in documents ? [] : documents) {
      const [wrong] = document.errors
      if (wrong) throw at(lines.linePos(wrong.pos[0]).line, wrong.message.split('\n')[0] ?? '')
      readDocument(document, file, lines, rows, (node) =>
        at(lines.linePos(node?.range?.[0] ?? 0).line, say('A file has kinds with lists of rows, such as assets:')),
      )
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    // Nested beyond what the parser can hold, or an anchor that is repeated too often.
    const isDeep = error instanceof RangeError || error instanceof ReferenceError
    throw new Failure(
      'failed',
      `${file}: ${isDeep ? say('It is nested too deeply, or repeats too much') : (error as Error).message}`,
    )
  }
}

function readDocument(
  document: Document.Parsed,
  file: string,
  lines: LineCounter,
  rows: FileRows,
  wrong: (node: Node | null) => Failure,
): void {
  const { contents } = document
  if (contents === null) return
  if (!isMap(contents)) throw wrong(contents)
  const values = document.toJS({ maxAliasCount: MOST_ALIASES, mapAsMap: true }) as Map<unknown, unknown>
  for (const { key, value } of contents.items) {
    const name = isNode(key) ? String(key.toJS(document)) : String(key)
    const some = plain(values.get(name))
    if (some === null) continue
    if (!Array.isArray(some) || !isSeq(value)) throw wrong(value as Node | null)
    const known = rows.get(name) ?? []
    rows.set(name, known)
    for (const [index, item] of value.items.entries())
      known.push({ value: some[index], file, line: (field = '') => lineOf(document, item, field, lines) })
  }
}

/** Maps as objects that have no names but their own. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  return Object.fromEntries([...value].map(([key, inner]) => [String(key), plain(inner)]))
}

function lineOf(document: Document.Parsed, item: unknown, field: string, lines: LineCounter): number {
  let node = item
  let start = startOf(item)
  for (const piece of field ? field.split('.') : []) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(isNode(key) ? key.toJS(document) : key) === piece)
      if (!pair) break
      start = startOf(pair.key) ?? start
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(piece)]
      start = startOf(node) ?? start
    } else break
  }
  return lines.linePos(start ?? 0).line
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)
