import { existsSync, readFileSync } from 'node:fs'

/** Where `scripts/bundle-server.mjs` puts the server in few files, and says of their lines what they were. */
const BUNDLE = new URL('../../../dist/', import.meta.url)

const PLACE = /(file:\/\/[^\s()]*\/)([^\s()/]+):(\d+):\d+/g

/** By file: for each run of lines its first one, the source and the first line there, counted from 0. */
type Places = Readonly<Record<string, { sources: readonly string[]; places: readonly number[] }>>

let read: Places | undefined

/** A stack whose places in the bundled server are shown as those in our sources; others stay as they are. */
export function inSources(stack: string, bundle = BUNDLE): string {
  return stack.replace(PLACE, (place, folder: string, file: string, line: string) =>
    folder === bundle.href ? (originOf(file, Number(line) - 1, bundle) ?? place) : place,
  )
}

function originOf(file: string, line: number, bundle: URL): string | undefined {
  read ??= placesIn(bundle)
  const { sources = [], places = [] } = read[file] ?? {}
  let at = -3
  while ((places[at + 3] ?? Number.POSITIVE_INFINITY) <= line) at += 3
  const source = sources[places[at + 1] ?? -1]
  if (source === undefined) return undefined
  return `${new URL(source, bundle)}:${(places[at + 2] ?? 0) + line - (places[at] ?? 0) + 1}`
}

function placesIn(bundle: URL): Places {
  const file = new URL('places.json', bundle)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
