import { AppError } from './errors/app-error.ts'
import { type Language, translate } from './i18n/translate.ts'

/** Keys that are named of those that had no effect. */
export const MOST_KEYS = 20

/** The query of a request as read so far. */
interface Watched {
  values: Readonly<Record<string, unknown>>
  /** Keys that something has asked for, whether they were sent or not. */
  read: Set<string>
  /** The client wants to be refused rather than misunderstood (RFC 7240 §4.4, `handling=strict`). */
  isStrict: boolean
}

const watched = new WeakMap<object, Watched & { own: object }>()

/**
 * Keys that clients may send to any address, where they may have nothing to say: paging, order and
 * search, the shape of rows, how another key is meant (`all`, `show_current_asset`), and what existing
 * clients send along (contract/README "What clients in the wild send").
 */
const COMMON = new Set(
  `limit offset order search fields fields! fields_size format template ids spm oid all show_current_asset
   draw display _ key n lv action rebuild_tree cache_policy cache_police`.split(/\s+/),
)

/** The same query, which remembers what is read of it. */
export function watchQuery<Q extends object>(query: Q, isStrict: boolean): Q {
  return remembering(query, { values: query as Record<string, unknown>, read: new Set(), isStrict })
}

/** Other values of the same query, such as the last of each key: what is read of these is read of it. */
export function sameQuery<V extends Record<string, unknown>>(query: unknown, values: V): V {
  const known = watched.get(query as object)
  return known ? remembering(values, known) : values
}

function remembering<V extends object>(values: V, known: Watched): V {
  const proxy = new Proxy(values, {
    get(target, key, receiver) {
      if (typeof key === 'string') known.read.add(key)
      return Reflect.get(target, key, receiver)
    },
  })
  watched.set(proxy, { ...known, own: values })
  return proxy
}

/** A query without asking for its values, for those who pass on all of it. */
export const unwatched = (query: unknown): Readonly<Record<string, unknown>> =>
  (watched.get(query as object)?.own ?? query ?? {}) as Record<string, unknown>

/** Keys that were sent and that nothing has asked for. */
export function ignoredKeys(query: unknown): string[] {
  const known = watched.get(query as object)
  if (!known) return []
  return Object.keys(known.values).filter((key) => key !== '' && !known.read.has(key) && !COMMON.has(key))
}

/** Whether something has asked for this key, sent or not. */
export const isReadKey = (query: unknown, key: string): boolean => watched.get(query as object)?.read.has(key) ?? false

export const isStrictQuery = (query: unknown): boolean => watched.get(query as object)?.isStrict ?? false

/**
 * The 400 that names keys which an address does not know. Each is a name as it was sent, and no path
 * of a field, as other errors have.
 */
export function unknownKeys(keys: readonly string[], language: Language): AppError {
  const text = translate(language, 'There is no such key in the query of this address.')
  const body = Object.fromEntries(keys.slice(0, MOST_KEYS).map((key) => [key, [text]]))
  return new AppError(400, 'invalid', 'Invalid input', { body })
}

/**
 * To be asked before something is done to all that a query selects: throws 400 for a client that
 * wants it strictly, where a key of theirs narrows nothing.
 */
export function refuseIgnoredKeys(query: unknown, language: Language): void {
  const ignored = isStrictQuery(query) ? ignoredKeys(query) : []
  if (ignored.length) throw unknownKeys(ignored, language)
}
