import { sql } from 'drizzle-orm'
import type { Kernel } from '../../../../kernel/kernel.ts'
import { once } from '../../../../kernel/once.ts'
import { usersUser } from '../../tables.ts'
import { hashOfNobody, KIND_IN_SQL, type StoredHash } from './stored-hash.ts'

/** So long is it taken as known how many hashes there are of which kind. */
const KNOWN_MS = 60_000

/** Kinds with the share of people up to and with this one, from 0 to 1. */
type Shares = { hash: StoredHash; upTo: number }[]

interface Decoys {
  until: number
  /** Counted once, however many sign in meanwhile. */
  shares: () => Promise<Shares>
}

const known = new WeakMap<Kernel, Decoys>()

/**
 * A hash to compare with for a name that has none. After an import people have hashes of several
 * kinds, which take different times. A name gets one of them by a secret draw that is always the
 * same, in their proportions. So the time of an answer says no more about a name than chance does.
 * As people sign in, and get our own kind, names that nobody has turn to it as well.
 */
export async function decoyFor(kernel: Kernel, username: string, ownKind: string): Promise<StoredHash> {
  let decoys = known.get(kernel)
  if (!decoys || decoys.until < Date.now()) {
    decoys = { until: Date.now() + KNOWN_MS, shares: once(() => countKinds(kernel, ownKind)) }
    known.set(kernel, decoys)
  }
  const shares = await decoys.shares().catch((error: unknown) => {
    // A database that was away for a moment is asked again.
    known.delete(kernel)
    throw error
  })
  const draw = kernel.secrets.fingerprint(`decoy of ${username}`).readUInt32BE() / 2 ** 32
  const drawn = shares.find(({ upTo }) => draw < upTo)
  return drawn?.hash ?? (hashOfNobody(ownKind) as StoredHash)
}

async function countKinds({ db }: Kernel, ownKind: string): Promise<Shares> {
  const { rows } = await db.execute<{ kind: string | null; people: number }>(
    sql`SELECT substring(${usersUser.password_hash} from ${`^(?:argon2)?(${KIND_IN_SQL})`}) AS kind, count(*)::int AS people
      FROM ${usersUser} WHERE source = 'local' AND password_hash IS NOT NULL GROUP BY 1 ORDER BY 1`,
  )
  // Our own is what remains, at the end: shares of others only shrink.
  const kinds = rows.flatMap(({ kind, people }) => {
    const hash = kind === null ? undefined : hashOfNobody(kind)
    return hash ? [{ hash, people, isOwn: kind === ownKind }] : []
  })
  const all = kinds.reduce((sum, { people }) => sum + people, 0)
  const others = kinds.filter(({ isOwn }) => !isOwn)
  return others.map(({ hash }, at) => ({
    hash,
    upTo: others.slice(0, at + 1).reduce((sum, { people }) => sum + people, 0) / all,
  }))
}
